import type { Frame } from "./stack.ts";

/** No name that a minifier makes, or a person writes, is longer. */
const MAX_NAME_LENGTH = 100;

/**
 * What the sources call the function that a frame is in. The browser tells its minified name; where
 * that is declared in the script before the frame's place, the source map has the source's name.
 *
 * @param script the script's text
 * @param original what the map says of a place in the script: `line` from 1, `column` from 0
 * @returns null: the function has no name, or the sources' name for it is not to be found
 */
export function functionName(
  { function: told, line, column }: Pick<Frame, "function" | "line" | "column">,
  script: string,
  original: (line: number, column: number) => { readonly name: string | null } | null,
): string | null {
  if (told === null || told.length > MAX_NAME_LENGTH) return null;
  // V8 writes `new F`, `async F`, `Object.method [as alias]` (https://v8.dev/docs/stack-trace-api).
  const [, owner, name] = /^(?:async |new )*(.*\.)?(#?[\w$]+)(?: \[as .*\])?$/.exec(told) ?? [];
  if (name === undefined || line === null || column === null) return null;
  const before = script.split("\n", line)[line - 1]?.slice(0, column) ?? "";
  const declared = lastDeclaration(before, name);
  if (declared !== undefined) return original(line, declared)?.name ?? name;
  // Members keep their names; what they belong to does not, so it is left out.
  return owner === undefined ? null : name;
}

/** Where the nearest function of this name is declared, as a statement or as a variable's value. */
function lastDeclaration(code: string, name: string): number | undefined {
  const escaped = name.replaceAll("$", "\\$");
  const declarations = new RegExp(
    `(?<=\\b(?:function\\*?|class) )${escaped}(?![\\w$])` +
      `|(?<![\\w$.])${escaped}(?==(?:async\\b|\\(|function\\b|class\\b|[\\w$]+=>))`,
    "g",
  );
  let last: number | undefined;
  for (const { index } of code.matchAll(declarations)) last = index;
  return last;
}
