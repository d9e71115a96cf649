import { MAX_EXCEPTIONS } from "../error/exceptions.ts";

/** How a language prints stack traces. No pattern needs more than linear time: texts are a sender's. */
interface StackForm {
  /** With the groups `function`, `module`, `file`, `line`, `column`, `source`. */
  readonly frame: RegExp;
  /** Between the frames of an exception and those of its cause. */
  readonly cause?: RegExp;
  /** Where types and messages are. `together`: all before the first frame, outermost first. */
  readonly heads: "before frames" | "after frames" | "together";
}

/** The first form that has a frame is that of the text. */
const FORMS: readonly StackForm[] = [
  // Python: `  File "/app/views.py", line 12, in checkout`, then the line of source.
  {
    frame:
      /^ +File "(?<file>[^"\n]+)", line (?<line>\d+)(?:, in (?<function>.+))?(?:\n {4}(?! *File ")(?<source>.+))?/gm,
    cause:
      /\n(?:The above exception was the direct cause|During handling of the above exception).*\n/,
    heads: "after frames",
  },
  // Java and PHP: `	at java.base/java.lang.Thread.run(Thread.java:833)`
  {
    frame:
      /^[ \t]+at (?:[\w.@-]*\/){0,3}(?<module>[\w.$<>/-]+)\.(?<function>[^\s.()]+)\((?:(?<file>[\w$.-]+?\.\w+)(?::(?<line>\d+))?|Native Method|Unknown Source|<\w+>)\)/gm,
    cause: /^Caused by: /m,
    heads: "before frames",
  },
  // .NET: `   at Shop.Orders.Find(Int32 id) in /src/Orders.cs:line 12`
  {
    frame:
      /^ {2,}at (?<module>[^\s(:]+)\.(?<function>[^\s(:.]+\([^()\n]*\))(?: in (?<file>.+?):line (?<line>\d+))?$/gm,
    cause: /^ *--- End of inner exception stack trace ---/m,
    heads: "together",
  },
  // V8: `    at async find (/app/orders.js:10:5)`, `    at https://shop.example/app.js:1:200`
  {
    frame:
      /^[ \t]+at (?:(?<function>[^\n(]*) \()?(?<file>[^\n]+?):(?<line>\d+):(?<column>\d+)\)?(?: \{)?$/gm,
    // As Node prints it, and Deno.
    cause: /^ *(?:\[cause\]|Caused by): /m,
    heads: "before frames",
  },
  // Go: `main.(*Shop).Find(0xc000…)`, then `	/app/shop.go:12 +0x1d`
  {
    frame:
      /^(?:created by )?(?<function>[^\s(][^\n]*?)(?:\([^()\n]*\))?(?: in goroutine \d+)?\n\t(?<file>[^\n]+?\.(?:go|s)):(?<line>\d+)/gm,
    heads: "before frames",
  },
  // Ruby: ``/app/orders.rb:12:in `find': no order (NotFound)``, since 3.4 with `'Orders#find'`
  {
    frame: /^[ \t]*(?:from )?(?<file>[^\s:][^\n:]*):(?<line>\d+):in [`'](?<function>[^'\n]+)'/gm,
    heads: "before frames",
  },
  // Firefox and Safari: `find@https://shop.example/app.js:10:5`
  {
    frame: /^(?<function>[^@\n]*)@(?<file>[^\n]+?):(?<line>\d+):(?<column>\d+)$/gm,
    heads: "before frames",
  },
];

/** Libraries, and what belongs to a language. */
const LIBRARY_FILE =
  /\/(?:site-packages|dist-packages|node_modules|gems)\/|\/lib\/(?:python|ruby)|\/pkg\/mod\/|\/(?:go|libexec)\/src\/|^(?:<|node:|ext:|npm:|jsr:)/;
const LIBRARY_MODULE =
  /^(?:javax?|jakarta|jdk|sun|com\.sun|kotlinx?|scala|org\.(?:apache|springframework|hibernate|eclipse|postgresql)|io\.(?:netty|opentelemetry|grpc|micrometer)|reactor|System|Microsoft)\./;

/** Characters. A stack of 500 calls has 50,000. */
const MAX_TEXT = 100_000;

/**
 * Reads a printed stack trace, the outermost exception last, at most {@linkcode MAX_EXCEPTIONS}. A type that is not found
 * is empty; frames are in the form of Sentry's events, innermost call last.
 *
 * @returns empty: its form is not known
 */
export function readStackText(text: string) {
  const printed = text.slice(0, MAX_TEXT).replaceAll("\r\n", "\n");
  const form = FORMS.find(({ frame }) => printed.search(frame) >= 0);
  if (form === undefined) return [];
  const { cause, heads } = form;
  const parts = (cause === undefined ? [printed] : printed.split(cause))
    .map((part) => part.split(/^[ \t]+Suppressed: /m, 1)[0]!);
  const ordered = heads === "before frames" ? parts.toReversed() : parts;
  const together = heads === "together" &&
    printed.slice(0, printed.search(form.frame)).split(" ---> ").toReversed();
  const omitted = Math.max(0, ordered.length - MAX_EXCEPTIONS);
  return ordered.slice(omitted).map((part, index) => ({
    ...readHead(together ? together[omitted + index] ?? "" : headOf(part, form)),
    frames: framesOf(part, form),
  }));
}

/** What is printed before the frames of a part, or after them. */
function headOf(part: string, { frame, heads }: StackForm): string {
  const found = [...part.matchAll(frame)];
  if (heads === "before frames") return part.slice(0, found[0]?.index);
  const last = found.at(-1);
  // Python 3.11 marks the part of the line that failed.
  return part.slice(last && last.index + last[0].length).replace(/^[\s~^]+/, "");
}

function readHead(head: string) {
  // Java leaves out frames that the exception has in common with what it caused.
  const text = head.replace(/^[ \t]*\.\.\. \d+ (?:more|common)[^]*/m, "").trim();
  const [, type = "", value = ""] = /^([\w.$:]*[\w$])(?::\s+([^]*))?$/.exec(text) ?? [];
  return { type, value };
}

function framesOf(part: string, { frame, heads }: StackForm) {
  const frames = [...part.matchAll(frame)].map(({ groups = {} }) => {
    const { function: name, module, file, line, column, source } = groups;
    const isLibrary = LIBRARY_FILE.test(file ?? "") || LIBRARY_MODULE.test(module ?? "");
    return {
      function: name || undefined,
      module,
      filename: file,
      lineno: line === undefined ? undefined : Number(line),
      colno: column === undefined ? undefined : Number(column),
      context_line: source,
      in_app: !isLibrary,
    };
  });
  return heads === "after frames" ? frames : frames.reverse();
}
