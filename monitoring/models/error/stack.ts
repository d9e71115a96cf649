import {
  at,
  booleanAt,
  type Bounded,
  debugId,
  firstOf,
  integerAt,
  listAt,
  textAt,
} from "../json.ts";
import { type NamedValue, readablePairs } from "../readable_json.ts";

/** Some lines of source code around the line of a frame. */
export interface SourceLines {
  /** Number of the first line, from 1; null: unknown. */
  readonly first: number | null;
  readonly lines: readonly string[];
  /** Index in `lines` of the frame's line. */
  readonly marked: number;
}

/** One call of a stack trace. All values are the sender's and untrusted; null: not sent. */
export interface Frame {
  /** Null also for a function without a name. */
  readonly function: string | null;
  /** The file; the module if no file was sent. */
  readonly file: string | null;
  /** Line and column count from 1. */
  readonly line: number | null;
  readonly column: number | null;
  /** Application code, not a library (`in_app`). */
  readonly own: boolean | null;
  readonly source: SourceLines | null;
  /** Local variables, which some SDKs send. */
  readonly variables: Bounded<NamedValue>;
}

/** Sentry's own limit for one stack trace. */
const MAX_FRAMES = 250;
/** SDKs send 5 lines before and 5 after. */
const MAX_CONTEXT_LINES = 20;
/** Characters. Lines of minified scripts are longer. */
const MAX_LINE_LENGTH = 1_000;
const MAX_VARIABLES = 50;

/**
 * Reads a stack trace, innermost call first (Sentry's order is the reverse).
 *
 * @param stacktrace `{frames: […]}`, see https://develop.sentry.dev/sdk/data-model/event-payloads/stacktrace/
 */
export function readStack(stacktrace: unknown): Bounded<Frame> {
  const frames = listAt(stacktrace, "frames");
  const { shown, more } = firstOf(frames.toReversed(), MAX_FRAMES);
  return { shown: shown.map(readFrame), more };
}

function readFrame(frame: unknown): Frame {
  const name = textAt(frame, "function");
  return {
    // Browser SDKs send "?" for a function without a name.
    function: name === "?" ? null : name,
    file: textAt(frame, "filename") ?? textAt(frame, "abs_path") ?? textAt(frame, "module") ??
      textAt(frame, "package"),
    line: integerAt(frame, 1, "lineno"),
    column: integerAt(frame, 1, "colno"),
    own: booleanAt(frame, "in_app"),
    source: readSource(frame),
    variables: readablePairs(frame, MAX_VARIABLES, "vars"),
  };
}

function readSource(frame: unknown): SourceLines | null {
  const line = at(frame, "context_line");
  if (typeof line !== "string") return null;
  const before = linesAt(frame, "pre_context").slice(-MAX_CONTEXT_LINES);
  const after = linesAt(frame, "post_context").slice(0, MAX_CONTEXT_LINES);
  const number = integerAt(frame, 1, "lineno");
  const first = number === null ? null : number - before.length;
  return {
    first: first !== null && first >= 1 ? first : null,
    lines: [...before, line, ...after].map(cutLine),
    marked: before.length,
  };
}

function linesAt(frame: unknown, name: string): readonly string[] {
  return listAt(frame, name).map((line) => typeof line === "string" ? line : "");
}

/** Cuts a line that is too long to display. */
export function cutLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}

/** A page loads some tens of scripts. */
const MAX_IMAGES = 1_000;

/**
 * The debug ids of an event's scripts, by script URL, from `debug_meta.images`. Images of native code
 * are ignored. https://develop.sentry.dev/sdk/data-model/event-payloads/debugmeta/
 */
export function readDebugIds(event: unknown): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const image of listAt(event, "debug_meta", "images").slice(0, MAX_IMAGES)) {
    const file = textAt(image, "code_file");
    const id = debugId(at(image, "debug_id"));
    if (textAt(image, "type") !== "sourcemap" || file === null || id === null) continue;
    if (!ids.has(file)) ids.set(file, id);
  }
  return ids;
}
