interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** `[text](target "title")` and `![text](target)`. */
const LINKS = /\]\(\s*([^\s)]+)(?:\s+"([^"]*)")?\s*\)/g;

/** Promises are proven by test files. */
const PROOF = /_(test|spec)\.m?tsx?(#|$)/;

/**
 * Returns one line for each problem. A relative link must lead to an existing file, its anchor to a heading of it, and its
 * title must be text in it, such as the name of a test. Under a heading with the word "promise" each list entry and table
 * row must link a test.
 *
 * @param read text of a file, "" for a folder; undefined: there is none
 */
export function checkLinks(
  path: string,
  read: (path: string) => string | undefined,
): string[] {
  const lines = withoutCode(read(path) ?? "");
  const links = lines.flatMap(({ line, text }) =>
    Array.from(
      text.replace(/`[^`]*`/g, "").matchAll(LINKS),
      ([, target = "", title]) => ({ line, target, title }),
    )
  );
  const problems = links.flatMap(({ line, target, title }) => {
    if (/^[a-z][a-z\d+.-]*:/i.test(target)) return [];
    const { pathname, hash } = new URL(target, `file:///${path}`);
    const text = read(decodeURI(pathname.slice(1)));
    const problem = text === undefined
      ? "there is no such file"
      : hash !== "" && !headingAnchors(text).has(decodeURI(hash.slice(1)))
      ? "that file has no such heading"
      : title !== undefined && !text.includes(title)
      ? `that file does not contain "${title}"`
      : undefined;
    return problem === undefined ? [] : [`${path}:${line} links to ${target}, but ${problem}.`];
  });
  const unproven = promises(lines).filter(({ line }) =>
    !links.some((link) => link.line === line && PROOF.test(link.target))
  ).map(({ line, text }) =>
    `${path}:${line} is a promise without a test: "${text}". Link the test that proves it.`
  );
  return [...problems, ...unproven];
}

/** The anchors of a document's headings, as GitHub makes them. */
function headingAnchors(text: string): Set<string> {
  const headings = withoutCode(text).flatMap(({ text }) => /^#{1,6}\s+(.+)$/.exec(text)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, "").replace(/\s/g, "-")
    ),
  );
}

function withoutCode(text: string): Line[] {
  let isCode = false;
  return text.split("\n").map((text, index) => ({ line: index + 1, text })).filter(({ text }) => {
    const isFence = /^\s*```/.test(text);
    if (isFence) isCode = !isCode;
    return !isFence && !isCode;
  });
}

/** List entries and table rows under a heading with the word "promise". */
function promises(lines: readonly Line[]): Line[] {
  let level = 0;
  return lines.filter(({ text }, index) => {
    const heading = /^(#+)\s+(.*)/.exec(text);
    const depth = heading?.[1]?.length ?? 0;
    if (heading && (level === 0 || depth <= level)) {
      level = /promise/i.test(heading[2] ?? "") ? depth : 0;
    }
    if (level === 0) return false;
    const isHead = /^\|[\s|:-]+\|$/.test(lines[index + 1]?.text.trim() ?? "");
    const isRule = /^\|[\s|:-]+\|$/.test(text.trim());
    return /^\s*([-*]|\d+\.)\s+\S/.test(text) || (/^\s*\|/.test(text) && !isHead && !isRule);
  });
}
