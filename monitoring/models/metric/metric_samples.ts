import type {
  FoundPoints,
  MetricContent,
  MetricShape,
  PlacedSample,
  Series,
  StoredPoints,
} from "./metric_content.ts";

/** Dots that a chart has room for. */
const MAX_SAMPLES = 400;
const MAX_LARGEST = 20;

export interface Samples extends Pick<MetricContent, "sample_count"> {
  readonly samples: readonly PlacedSample[];
  readonly largest: readonly PlacedSample[];
}

/** The single values that are shown: of each interval the newest and the largest, and the largest of all. */
export function samplesOf(
  { series, rows }: FoundPoints,
  groupOf: (series: Series, release: string | null) => string | null,
  { from, to }: MetricShape,
  every: number,
): Samples {
  const most = Math.max(1, Math.floor(MAX_SAMPLES * every / (to - from + every)));
  const byInterval = new Map<number, { newest: Found[]; largest: Found }>();
  let sample_count = 0;
  const largest: Found[] = [];
  for (const row of rows) {
    const kind = series.get(row.series)?.kind;
    if (kind === undefined) continue;
    const isSingle = kind !== "histogram" && kind !== "summary" && row.exemplars.length === 0;
    for (
      const [index, [at, value, start = 0]] of (isSingle ? row.points : row.exemplars).entries()
    ) {
      if (value === null || at < from || at >= to) continue;
      if (start !== 0 && kind !== "updown") continue;
      sample_count++;
      const sample = { row, index, at, value };
      const interval = Math.floor(at / every);
      const of = byInterval.getOrInsert(interval, { newest: [], largest: sample });
      if (value > of.largest.value) of.largest = sample;
      keep(of.newest, sample, most, (one) => one.at);
      keep(largest, sample, MAX_LARGEST, (one) => one.value);
    }
  }
  const shown = ({ row, ...sample }: Found): PlacedSample => {
    const of = series.get(row.series)!;
    const { attributes, application } = of;
    const group = groupOf(of, row.release);
    return { ...sample, rowKey: row.rowKey, group, attributes, application };
  };
  return {
    samples: [...byInterval.values()].flatMap(({ newest, largest }) =>
      newest.includes(largest) ? newest : [...newest.slice(0, -1), largest]
    ).sort((a, b) => a.at - b.at).map(shown),
    sample_count,
    largest: largest.map(shown),
  };
}

interface Found {
  readonly row: StoredPoints;
  readonly index: number;
  readonly at: number;
  readonly value: number;
}

/** Keeps the highest, in descending order. */
function keep<T>(kept: T[], one: T, most: number, of: (one: T) => number): void {
  if (kept.length === most && of(kept.at(-1)!) >= of(one)) return;
  const place = kept.findIndex((other) => of(other) < of(one));
  kept.splice(place === -1 ? kept.length : place, 0, one);
  if (kept.length > most) kept.pop();
}
