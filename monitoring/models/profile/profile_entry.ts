import type { MapOf } from "../error/error_group.ts";
import { at, hexId, plausible } from "../json.ts";
import type { SpanEntry } from "../trace/span_entry.ts";
import { displayName } from "../trace/trace_name.ts";
import { keyOfFrame } from "./join_profiles.ts";
import {
  isIdle,
  mainThread,
  NO_NAME,
  type ProfileFrame,
  readSentProfile,
  type SentProfile,
  threadOf,
} from "./sent_profile.ts";

/** How many samples ended in a function. */
type Share = readonly [name: string, file: string | null, samples: number];

/**
 * The index entry of a profile, of a chunk of a profiler's session, or of a span that names its profiler. Times are
 * milliseconds since 1970.
 */
export interface ProfileEntry {
  readonly kind: "profile" | "chunk" | "span";
  readonly profile_id: string;
  /** Of a chunk; of others null. */
  readonly chunk_id: string | null;
  readonly at: number;
  readonly ended_at: number;
  /** Of its main thread; of a span 0. */
  readonly samples: number;
  /** Of these, those in which a function ran. */
  readonly busy: number;
  readonly name: string | null;
  readonly trace_id: string | null;
  readonly span_id: string | null;
  /** Of a span the one that it names, of others that of `samples`. */
  readonly thread: string | null;
  /** The functions with most samples of their own, at most {@linkcode MAX_FUNCTIONS}. */
  readonly functions: readonly Share[];
  /** What is searched: functions and files, at most {@linkcode MAX_WORDS}. */
  readonly words: readonly string[];
}

/** Enough to find the function with most samples in many chunks. */
const MAX_FUNCTIONS = 20;
const MAX_WORDS = 1_000;

/**
 * The entry of a `profile` or `profile_chunk`; undefined: it has no id, or no samples.
 *
 * @param mapOf finds source maps, for the functions with most samples
 */
export function profileEntry(
  type: "profile" | "profile_chunk",
  payload: unknown,
  receivedAt: number,
  mapOf?: MapOf,
): ProfileEntry | undefined {
  const sent = readSentProfile(type, payload, receivedAt);
  if (sent === undefined) return undefined;
  const { profile_id, chunk_id, samples, threads, active_thread, name, trace_id } = sent;
  const thread = mainThread(samples, threads, active_thread);
  const { functions, busy } = mostSamples(sent, thread, mapOf);
  const ofFrames = sent.frames.map(({ function: name, file }) => [name, file] as const);
  const words = [...functions, ...ofFrames].flatMap(([name, file]) => [name, file ?? ""]);
  return {
    kind: type === "profile" ? "profile" : "chunk",
    profile_id,
    chunk_id,
    at: samples[0]!.at,
    ended_at: samples.at(-1)!.at,
    samples: samples.filter((sample) => sample.thread === thread).length,
    busy,
    name,
    trace_id,
    span_id: null,
    thread,
    functions,
    words: [...new Set(words)].slice(0, MAX_WORDS),
  };
}

/** A profile with the name of its transaction, which SDKs send in the same envelope, before or after it. */
export function namedProfile(profile: ProfileEntry, spans: readonly SpanEntry[]): ProfileEntry {
  const own = profile.kind === "profile" &&
    spans.find(({ is_segment, trace_id }) => is_segment && trace_id === profile.trace_id);
  return own ? { ...profile, name: displayName(own) } : profile;
}

function mostSamples({ samples, stacks, frames }: SentProfile, thread: string, mapOf?: MapOf) {
  const counts = new Map<ProfileFrame, number>();
  for (const sample of samples) {
    const frame = frames[stacks[sample.stack]![0] ?? -1];
    if (sample.thread !== thread || frame === undefined || isIdle(frame)) continue;
    counts.set(frame, (counts.get(frame) ?? 0) + 1);
  }
  const mapped = addedUp(counts, ([frame]) => keyOfFrame(frame)).map(([frame, count], n): Share => {
    const map = n < MAX_FUNCTIONS && frame.file !== null ? mapOf?.(frame.file) : undefined;
    const position = map?.positionOf(frame);
    return map && position
      ? [map.functionOf(frame) ?? NO_NAME, position.file, count]
      : [frame.function, frame.file, count];
  });
  const shares = mapped.map(([name, file, count]) => [{ name, file }, count] as const);
  const functions = addedUp(shares, ([{ name, file }]) => `${name}\n${file}`)
    .slice(0, MAX_FUNCTIONS).map(([{ name, file }, count]): Share => [name, file, count]);
  return { functions, busy: shares.reduce((sum, [, count]) => sum + count, 0) };
}

/** The sums of those with one key, the largest first. */
const addedUp = <T>(
  counts: Iterable<readonly [of: T, count: number]>,
  keyOf: (one: readonly [of: T, count: number]) => string,
) =>
  [...Map.groupBy(counts, keyOf).values()]
    .map((all) => [all[0]![0], all.reduce((sum, [, count]) => sum + count, 0)] as const)
    .sort((a, b) => b[1] - a[1]);

/** The entry of the first span of a page or process that names its profiler: an attribute, or a context of its transaction. */
export function profiledSpan(
  { span_id, trace_id, name, op, start_ms, end_ms, is_segment, attributes }: SpanEntry,
  transaction: unknown,
  receivedAt: number,
): ProfileEntry | undefined {
  const profile_id = hexId(attributes.profiler_id) ?? hexId(attributes["sentry.profiler_id"]) ??
    hexId(at(transaction, "contexts", "profile", "profiler_id"));
  const [started, ended_at] = [plausible(start_ms, receivedAt), plausible(end_ms, receivedAt)];
  if (!is_segment || !profile_id || started === undefined || ended_at === undefined) return;
  const unsampled = { chunk_id: null, samples: 0, busy: 0, functions: [], words: [] };
  const thread = threadOf(attributes["thread.id"]);
  const named = { name: displayName({ name, op }), trace_id, span_id, thread };
  return { kind: "span", profile_id, at: started, ended_at, ...named, ...unsampled };
}
