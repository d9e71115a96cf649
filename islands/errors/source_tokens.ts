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

/** A name, a number, then what is between them; sticky, so that each character is read once. */
const WORD = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER =
  /(?:0[xob][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?|\.\d[\d_]*(?:e[+-]?\d+)?)n?/iy;

/** What begins a comment or a text, and what ends it; an end of "\n" is the end of the line. */
interface Span {
  readonly kind: "comment" | "string";
  readonly begin: string;
  readonly end: string;
}

/** Longer beginnings first. Backticks and triple quotes continue on the next line. */
const SPANS: Readonly<Record<Language, readonly Span[]>> = {
  script: [
    { kind: "comment", begin: "//", end: "\n" },
    { kind: "comment", begin: "/*", end: "*/" },
    { kind: "string", begin: "`", end: "`" },
    { kind: "string", begin: '"', end: '"' },
    { kind: "string", begin: "'", end: "'" },
  ],
  python: [
    { kind: "comment", begin: "#", end: "\n" },
    { kind: "string", begin: '"""', end: '"""' },
    { kind: "string", begin: "'''", end: "'''" },
    { kind: "string", begin: '"', end: '"' },
    { kind: "string", begin: "'", end: "'" },
  ],
};
const MULTILINE = new Set(["*/", "`", '"""', "'''"]);

/**
 * Splits lines of source into tokens, for colours. By common tokens of JavaScript, TypeScript and Python only: a regular
 * expression that contains a quote, or an expression in a template, gets the colours of a string.
 *
 * @param file decides the language by its extension
 * @returns the tokens of each line; their texts together are the line
 */
export function tokenize(
  lines: readonly string[],
  file: string | null,
): readonly (readonly Token[])[] {
  const language = PYTHON_FILE.test(file ?? "") ? "python" : "script";
  let open = openAtStart(lines, language);
  return lines.map((line) => {
    const reader = new LineReader(line, language, open);
    const tokens = reader.read();
    open = reader.open;
    return tokens;
  });
}

/** The lines are an excerpt: a block comment that ends before one begins has begun above them. */
function openAtStart(lines: readonly string[], language: Language): Span | undefined {
  if (language === "python") return undefined;
  const text = lines.join("\n");
  const end = text.indexOf("*/");
  const begin = text.indexOf("/*");
  // Lines of such comments begin with an asterisk.
  const isWithin = /^\s*\*(?!\/)/.test(text) || (end !== -1 && (begin === -1 || end < begin));
  return isWithin ? SPANS.script.find(({ begin }) => begin === "/*") : undefined;
}

class LineReader {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(
    readonly line: string,
    readonly language: Language,
    /** What the next line begins in. */
    public open: Span | undefined,
  ) {}

  read(): readonly Token[] {
    if (this.open) this.#readSpan(this.open, 0);
    while (this.#at < this.line.length) {
      const span = SPANS[this.language].find(({ begin }) => this.line.startsWith(begin, this.#at));
      const word = this.#match(WORD);
      const number = this.#match(NUMBER);
      if (span) this.#readSpan(span, span.begin.length);
      else if (word) this.#add(KEYWORDS[this.language].has(word) ? "keyword" : "text", word);
      else if (number) this.#add("number", number);
      else this.#add("text", this.line[this.#at]!);
    }
    return this.#tokens;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.line)?.[0];
  }

  /** Reads up to the end of a comment or text, or to that of the line. */
  #readSpan(span: Span, begin: number): void {
    let at = this.#at + begin;
    this.open = MULTILINE.has(span.end) ? span : undefined;
    while (at < this.line.length) {
      if (this.line.startsWith(span.end, at)) {
        at += span.end.length;
        this.open = undefined;
        break;
      }
      at += span.kind === "string" && this.line[at] === "\\" ? 2 : 1;
    }
    this.#add(span.kind, this.line.slice(this.#at, at));
  }

  /** Joins neighbours of one kind, so that a line has few elements. */
  #add(kind: Token["kind"], text: string): void {
    this.#at += text.length;
    const last = this.#tokens.at(-1);
    if (last?.kind === kind) {
      this.#tokens[this.#tokens.length - 1] = { kind, text: last.text + text };
    } else if (text !== "") this.#tokens.push({ kind, text });
  }
}
