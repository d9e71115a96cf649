import { micro } from "../time_units.ts";
import type { Extent } from "../trace/span_times.ts";
import type { Call, CallTree, ProfileContent, Sample } from "./profile_content.ts";
import { isIdle, mainThread, type ProfileFrame, type SentProfile } from "./sent_profile.ts";

/** Samples of an answer: of eight minutes on one thread. */
export const MAX_JOINED_SAMPLES = 50_000;
/** Calls of an answer, which a browser lays out in some 50 ms. */
const MAX_CALLS = 50_000;
const MAX_THREADS = 100;
/** Milliseconds that a sample counts for if there is no second one: SDKs take 100 a second. */
const USUAL_INTERVAL = 10;

/**
 * Joins profiles, or the chunks of a session, to one tree of calls. They may be in any order, and again among them.
 *
 * @param window samples outside of it are left out
 * @param asked the thread; null: that of the transaction, or the main thread
 */
export function joinProfiles(
  sent: readonly SentProfile[],
  window: Extent,
  asked: string | null,
): Pick<ProfileContent, keyof CallTree | "thread" | "threads"> & { readonly left: number } {
  const chunks = new Map(sent.map((one) => [one.chunk_id, one]));
  const names = new Map([...chunks.values()].flatMap(({ threads }) => [...threads]));
  const found = [...chunks.values()].flatMap((chunk) =>
    chunk.samples.filter(({ at }) => at >= window.start_ms && at <= window.end_ms)
      .map((sample) => ({ ...sample, chunk }))
  ).sort((a, b) => a.at - b.at);
  const active = sent.find(({ active_thread }) => active_thread !== null)?.active_thread ?? null;
  const thread = mainThread(found, names, asked ?? active);
  const counts = Map.groupBy(found, ({ thread }) => thread);
  const all = counts.get(thread) ?? [];
  const own = all.slice(-MAX_JOINED_SAMPLES);
  const tree = new TreeBuilder();
  const start_ms = own[0]?.at ?? 0;
  let left = all.length - own.length;
  const samples = own.flatMap(({ at, stack, chunk }): Sample[] => {
    const call = tree.callOf(chunk, stack);
    if (call === undefined) left++;
    return call === undefined ? [] : [[micro(at - start_ms), call]];
  });
  return {
    start_ms,
    interval_ms: medianDistance(samples),
    frames: tree.frames,
    calls: tree.calls,
    samples,
    thread,
    threads: [...counts].map(([id, { length }]) => ({
      id,
      name: names.get(id) ?? null,
      samples: length,
    })).sort((a, b) => b.samples - a.samples).slice(0, MAX_THREADS),
    left,
  };
}

/** The lower one of two in the middle. Samples of one time have no distance. */
function medianDistance(samples: readonly Sample[]): number {
  const distances = samples.slice(1).map(([at], n) => at - samples[n]![0])
    .filter((distance) => distance > 0).sort((a, b) => a - b);
  const median = distances[Math.floor((distances.length - 1) / 2)] ?? USUAL_INTERVAL;
  return micro(median);
}

/** One function has one frame. Where it is written with its calls' lines, as Python's SDK does, these are the same. */
export const keyOfFrame = ({ function: name, file, line, column }: ProfileFrame) =>
  [
    name,
    file,
    ...name.startsWith("(") || /\.[cm]?[jt]sx?(\?|$)|^https?:/.test(file ?? "")
      ? [line, column]
      : [],
  ]
    .join("\n");

class TreeBuilder {
  readonly frames: ProfileFrame[] = [];
  readonly calls: Call[] = [];
  readonly #frames = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  /** For each chunk, the innermost call of each stack. */
  readonly #known = new Map<SentProfile, Map<number, number | undefined>>();

  /** The innermost call of a stack; -1: nothing ran; undefined: over the limit. */
  callOf(chunk: SentProfile, stack: number): number | undefined {
    const known = this.#known.getOrInsertComputed(chunk, () => new Map());
    return known.getOrInsertComputed(stack, () => this.#insert(chunk, stack));
  }

  #insert({ frames, stacks }: SentProfile, stack: number): number | undefined {
    let call = -1;
    for (const index of stacks[stack]!.toReversed()) {
      const frame = frames[index]!;
      if (isIdle(frame)) return -1;
      const key = `${call} ${this.#frameOf(frame)}`;
      const known = this.#calls.get(key);
      if (known === undefined && this.calls.length === MAX_CALLS) return undefined;
      call = known ?? this.calls.push([call, this.#frameOf(frame)]) - 1;
      if (known === undefined) this.#calls.set(key, call);
    }
    return call;
  }

  #frameOf(frame: ProfileFrame): number {
    return this.#frames.getOrInsertComputed(
      keyOfFrame(frame),
      () => this.frames.push(frame) - 1,
    );
  }
}
