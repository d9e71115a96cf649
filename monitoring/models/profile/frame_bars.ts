import type { Extent } from "../trace/span_times.ts";
import { countCalls } from "./call_tree.ts";
import { micro } from "../time_units.ts";
import type { CallTree, ProfileContent } from "./profile_content.ts";

/** A bar of a flame graph: a call, or several too narrow ones beside each other. Times are milliseconds on its axis. */
export interface FrameBar extends Extent {
  readonly key: string;
  /** From 0, of calls without a caller. */
  readonly lane: number;
  /** Of the first one. */
  readonly call: number;
  readonly calls: number;
  readonly samples: number;
  /** Samples in which it ran itself. */
  readonly self: number;
  /** When it did. */
  readonly selfTimes: readonly Extent[];
}

type Changing<T> = { -readonly [Key in keyof T]: T[Key] };
type OpenBar = Changing<Omit<FrameBar, "key" | "selfTimes">> & { selfTimes: Changing<Extent>[] };

/** Longer distances than so many usual ones are gaps, in which nothing was sampled. */
const GAP = 3;

/** The axis in time order: from the span's start, else from the first sample, which is at 0. */
export function wholeAxis({ samples, interval_ms, start_ms, span }: ProfileContent): Extent {
  return {
    start_ms: Math.min(0, (span?.start_ms ?? start_ms) - start_ms),
    end_ms: Math.max(
      (samples.at(-1)?.[0] ?? 0) + interval_ms,
      (span?.end_ms ?? start_ms) - start_ms,
    ),
  };
}

/** Milliseconds of the whole axis, and those of it in which nothing was sampled. */
export function profileTimes(profile: ProfileContent) {
  const whole = wholeAxis(profile);
  const sum = (extents: readonly Extent[]) =>
    micro(extents.reduce((ms, { start_ms, end_ms }) => ms + end_ms - start_ms, 0));
  return { duration_ms: sum([whole]), without_samples_ms: sum(unsampledTimes(profile, whole)) };
}

/** The parts of an axis in which nothing was sampled. */
export function unsampledTimes({ samples, interval_ms }: CallTree, axis: Extent): Extent[] {
  const times = [axis.start_ms - interval_ms, ...samples.map(([at]) => at), axis.end_ms];
  return times.flatMap((end_ms, n) => {
    const before = times[n - 1] ?? end_ms;
    const isGap = end_ms - before > GAP * interval_ms;
    return isGap ? [{ start_ms: before + interval_ms, end_ms }] : [];
  });
}

/**
 * The calls in the order of time, at milliseconds after the first sample. A sample lasts until the next one; across a gap
 * nothing does.
 *
 * @param window bars outside of it are left out
 * @param least narrower bars beside each other are one
 */
export function barsInTime(tree: CallTree, window: Extent, least: number): FrameBar[] {
  const { calls, samples, interval_ms } = tree;
  const collect = new BarCollector(window, least);
  const open: OpenBar[] = [];
  const closeTo = (depth: number) => {
    while (open.length > depth) collect.add(open.pop()!);
  };
  let end = -Infinity;
  for (const [n, [start_ms, call, isHidden]] of samples.entries()) {
    const next = samples[n + 1]?.[0] ?? Infinity;
    const end_ms = next - start_ms <= GAP * interval_ms ? next : start_ms + interval_ms;
    const path: number[] = [];
    for (let at = call; at >= 0; at = calls[at]![0]) path.push(at);
    path.reverse();
    let depth = 0;
    if (end === start_ms) {
      while (depth < path.length && open[depth]?.call === path[depth]) depth++;
    }
    closeTo(depth);
    for (const [lane, call] of path.entries()) {
      open[lane] ??= { lane, call, calls: 1, samples: 0, self: 0, start_ms, end_ms, selfTimes: [] };
      open[lane].samples++;
      open[lane].end_ms = end_ms;
    }
    const inner = open.at(-1);
    if (inner && !isHidden) {
      inner.self++;
      const last = inner.selfTimes.at(-1);
      if (last?.end_ms === start_ms) last.end_ms = end_ms;
      else inner.selfTimes.push({ start_ms, end_ms });
    }
    end = end_ms;
  }
  closeTo(0);
  return collect.bars;
}

/** The calls of each caller once, those with most samples first. The axis has the time of all samples in which one ran. */
export function barsByWeight(tree: CallTree, window: Extent, least: number): FrameBar[] {
  const { calls, interval_ms } = tree;
  const { self, total } = countCalls(tree);
  const below = Map.groupBy(calls.keys(), (call) => calls[call]![0]);
  const collect = new BarCollector(window, least);
  const place = (caller: number, lane: number, from: number) => {
    let start_ms = from;
    const inside = below.get(caller)?.filter((call) => total[call]! > 0) ?? [];
    for (const call of inside.sort((a, b) => total[b]! - total[a]!)) {
      const end_ms = start_ms + total[call]! * interval_ms;
      const own = { start_ms: end_ms - self[call]! * interval_ms, end_ms };
      place(call, lane + 1, start_ms);
      collect.add({
        ...{ lane, call, calls: 1, samples: total[call]!, self: self[call]!, start_ms, end_ms },
        selfTimes: self[call]! > 0 ? [own] : [],
      });
      start_ms = end_ms;
    }
  };
  place(-1, 0, 0);
  return collect.bars;
}

class BarCollector {
  readonly bars: (OpenBar & { readonly key: string })[] = [];
  /** Of each lane, the last narrow one. */
  readonly #narrow: (OpenBar | undefined)[] = [];
  constructor(readonly window: Extent, readonly least: number) {}

  add(bar: OpenBar): void {
    if (bar.end_ms <= this.window.start_ms || bar.start_ms >= this.window.end_ms) return;
    const narrow = this.#narrow[bar.lane];
    const isNarrow = bar.end_ms - bar.start_ms < this.least;
    if (isNarrow && narrow && bar.end_ms - narrow.start_ms < 2 * this.least) {
      narrow.end_ms = bar.end_ms;
      narrow.calls++;
      narrow.samples += bar.samples;
      narrow.self += bar.self;
      narrow.selfTimes.push(...bar.selfTimes);
      return;
    }
    const added = { ...bar, key: `${bar.lane} ${bar.call} ${bar.start_ms}` };
    if (isNarrow) this.#narrow[bar.lane] = added;
    this.bars.push(added);
  }
}
