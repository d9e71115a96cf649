/** A part of a source line. `text` is everything without a colour of its own. */
export interface Token {
  readonly kind: "comment" | "string" | "number" | "keyword" | "text";
  readonly text: string;
}

type Language = "script" | "python";

/** Other languages have strings, numbers and comments much like these: better than no colours. */
const PYTHON_FILE = /\.pyi?$/i;

const KEYWORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  script: new Set(
    ("abstract as async await boolean break case catch class const continue debugger declare default delete do " +
      "else enum export extends false finally for from function get if implements import in instanceof " +
      "interface is keyof let namespace never new null number of override private protected public readonly " +
      "return satisfies set static string super switch symbol this throw true try type typeof undefined " +
      "unknown var void while with yield").split(" "),
  ),
  python: new Set(
    ("False None True and as assert async await break case class continue def del elif else except finally for " +
      "from global if import in is lambda match nonlocal not or pass raise return self try while with yield")
      .split(" "),
  ),
};

const NUMBER =
  /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?|\.\d[\d_]*(?:e[+-]?\d+)?)n?/;
/** Ends with its line, closed or not. */
const QUOTED = /"(?:\\.?|[^"\\\n])*"?|'(?:\\.?|[^'\\\n])*'?/;

/** Finds the next token: the first of these that matches. */
const tokenPattern = (comment: RegExp, longString: RegExp) =>
  new RegExp(
    `(?<comment>${comment.source})|(?<string>${longString.source}|${QUOTED.source})|` +
      `(?<number>${NUMBER.source})|(?<word>[\\p{L}_$][\\p{L}\\p{N}_$]*)|(?<text>[^])`,
    "giu",
  );

/** Block comments, backticks and triple quotes continue on the next line, and at most to the end of all. */
const PATTERNS: Readonly<Record<Language, RegExp>> = {
  script: tokenPattern(/\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/, /`(?:\\[^]?|[^`\\])*`?/),
  python: tokenPattern(
    /#[^\n]*/,
    /"""(?:\\[^]?|[^\\])*?(?:"""|$)|'''(?:\\[^]?|[^\\])*?(?:'''|$)/,
  ),
};

/**
 * Splits lines of source into tokens, for colours. By common tokens of JavaScript, TypeScript and Python only: a regular
 * expression that contains a quote, or an expression in a template, gets the colours of a string.
 *
 * @param file decides the language by its extension
 * @returns the tokens of each line; their texts together are the line, with blanks for line feeds that it contains
 */
export function tokenize(
  lines: readonly string[],
  file: string | null,
): readonly (readonly Token[])[] {
  const language = PYTHON_FILE.test(file ?? "") ? "python" : "script";
  const text = lines.map((line) => line.replaceAll("\n", " ")).join("\n");
  // Completes the comment, and is left out again.
  const begin = language === "script" && beginsInComment(text) ? "/*" : "";
  const found = lines.map((): Token[] => []);
  let line = 0;
  for (const { 0: token, index, groups } of (begin + text).matchAll(PATTERNS[language])) {
    const name = Object.keys(groups!).find((name) => groups![name] !== undefined);
    const kind = name !== "word"
      ? name as Token["kind"]
      : KEYWORDS[language].has(token)
      ? "keyword"
      : "text";
    for (const [n, part] of token.slice(index === 0 ? begin.length : 0).split("\n").entries()) {
      if (n > 0) line++;
      if (part !== "") addToken(found[line]!, { kind, text: part });
    }
  }
  return found;
}

/** The lines are an excerpt: a block comment that ends before one begins has begun above them. */
function beginsInComment(text: string): boolean {
  const end = text.indexOf("*/");
  const begin = text.indexOf("/*");
  // Lines of such comments begin with an asterisk.
  return /^\s*\*(?!\/)/.test(text) || (end !== -1 && (begin === -1 || end < begin));
}

/** Joins neighbours of one kind, so that a line has few elements. */
function addToken(line: Token[], { kind, text }: Token): void {
  const last = line.at(-1);
  if (last?.kind === kind) line[line.length - 1] = { kind, text: last.text + text };
  else line.push({ kind, text });
}
