import {
  at,
  booleanAt,
  hexId,
  integerAt,
  listOf,
  plausible,
  textAt,
  tidyText,
  timeAt,
} from "../json.ts";

/** A function of a profile, as it was sent or by its source map. Texts are untrusted. */
export interface ProfileFrame {
  readonly function: string;
  /** Its file, or its module. Null: none, such as of native code. */
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  /** Application code, not a library. */
  readonly own: boolean;
}

/** What ran on a thread at a time. */
export interface SentSample {
  /** Milliseconds since 1970, by the sender's clock. */
  readonly at: number;
  readonly thread: string;
  /** Index in `stacks`. */
  readonly stack: number;
}

/** A `profile` (version 1, of one transaction) or a `profile_chunk` (version 2, a part of a profiler's session). */
export interface SentProfile {
  /** Of a chunk that of its profiler, which all of its chunks have. */
  readonly profile_id: string;
  /** Null: it is a whole profile. */
  readonly chunk_id: string | null;
  /** In the order of time. */
  readonly samples: readonly SentSample[];
  /** Innermost call first, indexes in `frames`. */
  readonly stacks: readonly (readonly number[])[];
  readonly frames: readonly ProfileFrame[];
  readonly threads: ReadonlyMap<string, string>;
  /** The thread of its transaction. */
  readonly active_thread: string | null;
  readonly name: string | null;
  readonly trace_id: string | null;
  /** Samples whose stack was not sent, or over the limits. */
  readonly omitted: number;
}

/** SDKs send 100 samples a second and thread, for at most a minute. */
const MAX_SAMPLES = 100_000;
const MAX_FRAMES = 50_000;
/** Of a deeper stack the innermost calls are read: those have the self time. */
export const MAX_DEPTH = 250;
const MAX_THREADS = 100;
const MAX_NAME = 200;
const MAX_FILE = 500;
const MAX_THREAD = 100;

export const NO_NAME = "(anonymous)";

const LIBRARY =
  /(^|[\\/])(node_modules|site-packages|dist-packages|lib[\\/]python[\d.]+)[\\/]|^(node|ext|internal|chrome-extension|moz-extension):|^<frozen /;

/** Whether a file is of the application, by its path. Null: of native code, which has none. */
export const isOwnFile = (path: string | null) => path !== null && !LIBRARY.test(path);

/**
 * Reads a profile. Its content is untrusted: never throws, and bounds everything.
 *
 * @param receivedAt replaces an implausible time, milliseconds since 1970
 * @returns undefined: it has no id, or no samples
 */
export function readSentProfile(
  type: "profile" | "profile_chunk",
  payload: unknown,
  receivedAt: number,
): SentProfile | undefined {
  const isChunk = type === "profile_chunk";
  const profile_id = hexId(at(payload, isChunk ? "profiler_id" : "event_id")) ??
    hexId(at(payload, "profile_id"));
  const chunk_id = isChunk ? hexId(at(payload, "chunk_id")) : null;
  if (profile_id === null || (isChunk && chunk_id === null)) return undefined;
  const profile = at(payload, "profile");
  const hasLines = at(payload, "platform") !== "node";
  const frames = listOf(at(profile, "frames")).slice(0, MAX_FRAMES)
    .map((frame) => readFrame(frame, hasLines));
  // Browsers' SDK 10 sends time in which nothing ran as the first stack, that of the script itself.
  const isIdleFirst = isChunk && at(payload, "platform") === "javascript" &&
    textAt(payload, "client_sdk", "version")?.startsWith("10.");
  const stacks = listOf(at(profile, "stacks")).slice(0, MAX_SAMPLES)
    .map((stack, n) => n === 0 && isIdleFirst ? [] : readStack(stack, frames.length));
  const sent = listOf(at(profile, "samples"));
  const transaction = at(payload, "transaction") ?? listOf(at(payload, "transactions"))[0];
  // Early versions of Python's SDK, whose frames have `file`, send the time of the end.
  const isEarly = at(listOf(at(profile, "frames"))[0], "file") !== undefined;
  const length = isEarly ? integerAt(transaction, 0, "relative_end_ns") ?? 0 : 0;
  const start = (plausible(timeAt(payload, "timestamp"), receivedAt) ?? receivedAt) - length / 1e6;
  const read = sent.slice(0, MAX_SAMPLES).flatMap((sample): SentSample[] => {
    const ns = integerAt(sample, 0, "elapsed_since_start_ns") ??
      integerAt(sample, 0, "relative_timestamp_ns");
    const time = isChunk ? timeAt(sample, "timestamp") : ns === null ? null : start + ns / 1e6;
    const ms = plausible(time, receivedAt);
    const stack = integerAt(sample, 0, "stack_id");
    if (ms === undefined || stack === null || stacks[stack] === undefined) return [];
    return [{ at: ms, thread: threadOf(at(sample, "thread_id")) ?? "0", stack }];
  });
  if (read.length === 0) return undefined;
  return {
    profile_id,
    chunk_id,
    samples: read.sort((a, b) => a.at - b.at),
    stacks,
    frames,
    threads: readThreads(at(profile, "thread_metadata")),
    active_thread: threadOf(at(transaction, "active_thread_id")),
    name: tidyText(at(transaction, "name") ?? at(payload, "transaction_name"), MAX_NAME) || null,
    trace_id: hexId(at(transaction, "trace_id") ?? at(payload, "trace_id")),
    omitted: sent.length - read.length,
  };
}

/** A thread's id; null: none was sent. */
export const threadOf = (id: unknown) => textAt(id)?.slice(0, MAX_THREAD).toWellFormed() ?? null;

/** @param hasLines Node's SDK sends the line of the caller, which is often in another file (`kCallerLineNumbers` of V8) */
function readFrame(frame: unknown, hasLines: boolean): ProfileFrame {
  const name = tidyText(at(frame, "function") ?? at(frame, "name"), MAX_NAME)?.trim();
  const named = ["filename", "abs_path", "module", "package", "file"].map((key) =>
    textAt(frame, key)
  );
  const file = tidyText(named.find((text) => text !== null), MAX_FILE) ?? null;
  const path = textAt(frame, "abs_path")?.slice(0, MAX_FILE) ?? file;
  return {
    function: !name || name === "?" || name === "<anonymous>" ? NO_NAME : name,
    file,
    line: hasLines ? integerAt(frame, 1, "lineno") ?? integerAt(frame, 1, "line") : null,
    column: integerAt(frame, 1, "colno"),
    own: path !== null && (booleanAt(frame, "in_app") ?? isOwnFile(path)),
  };
}

function readStack(stack: unknown, frames: number): readonly number[] {
  return listOf(stack).slice(0, MAX_DEPTH)
    .filter((frame): frame is number => integerAt(frame, 0) !== null && Number(frame) < frames);
}

function readThreads(metadata: unknown): ReadonlyMap<string, string> {
  if (typeof metadata !== "object" || metadata === null) return new Map();
  return new Map(
    Object.entries(metadata).slice(0, MAX_THREADS).flatMap(([id, thread]) => {
      const name = tidyText(at(thread, "name"), MAX_THREAD);
      return name ? [[id.slice(0, MAX_THREAD), name] as const] : [];
    }),
  );
}

/**
 * The thread that is shown unless another one is asked for: that of the transaction or span, else the main thread by its
 * name, else the one with most samples.
 */
export function mainThread(
  samples: readonly SentSample[],
  names: ReadonlyMap<string, string>,
  active: string | null,
): string {
  const counts = new Map<string, number>();
  for (const { thread } of samples) counts.set(thread, (counts.get(thread) ?? 0) + 1);
  if (active !== null && counts.has(active)) return active;
  const ids = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
  return ids.find((id) => /^main(thread)?$/i.test(names.get(id) ?? "")) ?? ids[0] ?? "0";
}

/** Nothing ran: V8 names it so. */
export const isIdle = ({ function: name, file }: ProfileFrame) => name === "(idle)" && !file;
