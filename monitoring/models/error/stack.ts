import { type Bounded, firstOf, flagAt, listAt, pairsAt, textAt, wholeAt } from "../fields.ts";
import { at } from "../json.ts";
import { readable } from "../readable.ts";

/** Some lines of a source, one of which is the frame's. */
export interface SourceLines {
  /** The first line's number, from 1; null: not known. */
  readonly first: number | null;
  readonly lines: readonly string[];
  /** Which of `lines` the frame is on. */
  readonly marked: number;
}

/** One call of a stack. Nothing in it is to be trusted: it is what the sender wrote. */
export interface Frame {
  /** Null: the function has no name, or none was told. */
  readonly function: string | null;
  /** The file, or the module where no file is told. */
  readonly file: string | null;
  /** Both from 1; null: not told. */
  readonly line: number | null;
  readonly column: number | null;
  /** Of the reporting project itself, not of a library; null: not told. */
  readonly own: boolean | null;
  readonly source: SourceLines | null;
  /** Local variables, which some SDKs report. */
  readonly variables: Bounded<readonly [name: string, value: string]>;
}

/** The innermost ones: Sentry itself keeps 250 of a stack, and nobody reads that many. */
const MAX_FRAMES = 250;
/** SDKs send 5 lines on each side. */
const MAX_CONTEXT_LINES = 20;
/** A line of a script that was not made to be read is cut after so many characters. */
const MAX_LINE_LENGTH = 1_000;
const MAX_VARIABLES = 50;

/**
 * A stack trace as an event carries it, innermost call first (Sentry's own order is the other way).
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
    // SDKs of browsers write a question mark for a function without a name.
    function: name === "?" ? null : name,
    file: textAt(frame, "filename") ?? textAt(frame, "abs_path") ?? textAt(frame, "module") ??
      textAt(frame, "package"),
    line: wholeAt(frame, 1, "lineno"),
    column: wholeAt(frame, 1, "colno"),
    own: flagAt(frame, "in_app"),
    source: readSource(frame),
    variables: readVariables(frame),
  };
}

function readSource(frame: unknown): SourceLines | null {
  const line = at(frame, "context_line");
  if (typeof line !== "string") return null;
  const before = linesAt(frame, "pre_context").slice(-MAX_CONTEXT_LINES);
  const after = linesAt(frame, "post_context").slice(0, MAX_CONTEXT_LINES);
  const number = wholeAt(frame, 1, "lineno");
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

/** A line of a source, cut if it is too long to be one that a person wrote. */
export function cutLine(line: string): string {
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line;
}

function readVariables(frame: unknown): Frame["variables"] {
  const { shown, more } = firstOf(pairsAt(frame, "vars"), MAX_VARIABLES);
  return { shown: shown.map(([name, value]) => [name, readable(value)] as const), more };
}
