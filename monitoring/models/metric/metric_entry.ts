import { boundedAttributes } from "../attributes.ts";
import { digest } from "../digest.ts";
import {
  at,
  attributeAt,
  finiteAt,
  hexId,
  listOf,
  plausibleTime,
  spanId,
  tidyText,
} from "../json.ts";
import { boundedBuckets, type Buckets } from "./buckets.ts";
import { METRIC_KINDS, type MetricId, type MetricKind } from "./metric_id.ts";

/**
 * An item of `trace_metric`. The first fields are Sentry's: one measurement. OpenTelemetry's points have the others, too.
 * https://develop.sentry.dev/sdk/telemetry/metrics/
 */
export interface SentMetric {
  readonly name: unknown;
  readonly type: unknown;
  readonly unit?: unknown;
  readonly value?: number | null;
  readonly timestamp?: unknown;
  readonly attributes: unknown;
  readonly trace_id?: unknown;
  readonly span_id?: unknown;
  readonly instance?: string;
  /** Of the time since `start_timestamp`, not since the last point. */
  readonly is_cumulative?: boolean;
  readonly start_timestamp?: number | undefined;
  /** Of a histogram and a summary. */
  readonly count?: number;
  readonly sum?: number | null;
  readonly min?: number | null;
  readonly max?: number | null;
  readonly buckets?: Buckets;
  /** Of a summary: `quantile`, `value`. */
  readonly quantiles?: readonly unknown[];
  readonly has_no_value?: boolean;
  readonly exemplars?: readonly SentExemplar[];
}

type SentExemplar = Pick<SentMetric, "timestamp" | "trace_id" | "span_id"> & {
  readonly value: number | null;
};

/**
 * A point as it is stored. `value`: of a histogram and a summary the count; null: the sender had none. `start`: of a
 * cumulative point when its time began, -1: not sent; of another one the negative of it, 0: not sent.
 */
export type Point = readonly [
  at: number,
  value: number | null,
  start?: number,
  sum?: number | null,
  min?: number | null,
  max?: number | null,
  buckets?: Buckets | null,
  quantiles?: readonly Quantile[],
];

/** Whether it is of all the time since its start. */
export const isCumulative = ([, , start = 0]: Point): boolean => start > 0 || start === -1;

/** A percentile that the sender has computed, from 0 to 1. */
export type Quantile = readonly [level: number, value: number];

/** A single value: of a distribution and the like each point, of others those that the sender has kept (exemplars). */
export type Sample = readonly [at: number, value: number];

/** What one request has of one series: a metric with certain attributes, of one process. */
export interface MetricEntry extends MetricId {
  /** Hash of these. Series of two applications may have the same. */
  readonly series: string;
  /** The first and the last point. */
  first_at: number;
  at: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly points: Point[];
  readonly exemplars: Sample[];
  /** Trace and span of each of the samples; 0: none. */
  readonly ids: (readonly [trace: string, span: string | null] | 0)[];
}

/** Of one point. SDKs of Sentry add about ten. */
const ATTRIBUTES = { count: 32, name: 100, value: 200, all: 2_000 };
/** Characters, as a filter has. */
const MAX_NAME = 200;
const MAX_UNIT = 63;
/** Of one point: SDKs keep one for each bucket. */
const MAX_EXEMPLARS = 32;
const MAX_QUANTILES = 20;

/** Attributes of Sentry's SDKs that differ from one measurement to the next, or are the sender's. */
const OF_SDK = /^sentry\./;

/** Whether an item has what a point needs. @param item untrusted */
export function isReadable(item: unknown): boolean {
  const name = at(item, "name");
  if (typeof name !== "string" || name.trim() === "") return false;
  if (!METRIC_KINDS.some((kind) => kind === at(item, "type"))) return false;
  return at(item, "has_no_value") === true || valueOf(item) !== null;
}

const isTotal = (kind: unknown) => kind === "histogram" || kind === "summary";

const valueOf = (item: unknown) => finiteAt(item, isTotal(at(item, "type")) ? "count" : "value");

/** Collects the points of one resource by series. */
export class MetricCollector {
  readonly #bySeries = new Map<string, MetricEntry>();

  get entries(): readonly MetricEntry[] {
    return [...this.#bySeries.values()];
  }

  /**
   * Adds a point.
   *
   * @param item of a `trace_metric`, untrusted
   * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
   * @returns false: it is not {@linkcode isReadable}
   */
  add(item: unknown, receivedAt: number): boolean {
    if (!isReadable(item)) return false;
    const kind = at(item, "type") as MetricKind;
    const name = tidyText(at(item, "name"), MAX_NAME)!.trim();
    const unit = tidyText(at(item, "unit"), MAX_UNIT)?.trim() ?? "";
    const all = boundedAttributes(at(item, "attributes"), ATTRIBUTES);
    const attributes = Object.fromEntries(
      Object.entries(all).filter(([key]) => !OF_SDK.test(key)).sort(([a], [b]) => a < b ? -1 : 1),
    );
    const instance = tidyText(at(item, "instance"), MAX_NAME) ?? "";
    const series = digest([kind, unit, name, instance, JSON.stringify(attributes)]);
    const timeOf = (of: unknown) => plausibleTime(at(of, "timestamp"), receivedAt) ?? receivedAt;
    const time = timeOf(item);
    const entry = this.#bySeries.get(series) ??
      {
        ...{ name, kind, unit, series, attributes, first_at: time, at: time },
        ...{ points: [], exemplars: [], ids: [] },
      };
    this.#bySeries.set(series, entry);
    entry.first_at = Math.min(entry.first_at, time);
    entry.at = Math.max(entry.at, time);
    entry.points.push(pointOf(item, kind, time, receivedAt));
    if (at(item, "exemplars") === undefined) {
      entry.ids.push(idsOf(item));
      return true;
    }
    for (const exemplar of listOf(at(item, "exemplars")).slice(0, MAX_EXEMPLARS)) {
      const value = finiteAt(exemplar, "value");
      const ids = idsOf(exemplar);
      if (value === null || ids === 0) continue;
      entry.exemplars.push([timeOf(exemplar), value]);
      entry.ids.push(ids);
    }
    return true;
  }
}

function pointOf(item: unknown, kind: MetricKind, time: number, receivedAt: number): Point {
  const sent = plausibleTime(at(item, "start_timestamp"), receivedAt);
  const isPart = (kind === "counter" || kind === "histogram") && sent !== undefined && sent < time;
  const start = at(item, "is_cumulative") === true ? sent ?? -1 : isPart ? -sent : 0;
  const value = at(item, "has_no_value") === true ? null : valueOf(item);
  if (!isTotal(kind)) return start === 0 ? [time, value] : [time, value, start];
  const [sum, min, max] = ["sum", "min", "max"].map((name) => finiteAt(item, name));
  const totals = [time, value, start, sum!, min!, max!, bucketsOf(item)] as const;
  const quantiles = listOf(at(item, "quantiles")).slice(0, MAX_QUANTILES)
    .flatMap((one): Quantile[] => {
      // A default value is not sent.
      const [level, value] = [finiteAt(one, "quantile") ?? 0, finiteAt(one, "value") ?? 0];
      return level >= 0 && level <= 1 ? [[level, value]] : [];
    });
  return quantiles.length > 0 ? [...totals, quantiles] : totals;
}

/** Their types are the reader's own, unless a sender writes them into a `trace_metric`. */
function bucketsOf(item: unknown): Buckets | null {
  const buckets = at(item, "buckets");
  const numbers = (...path: string[]) =>
    listOf(at(buckets, ...path)).map((one) => finiteAt(one) ?? NaN);
  if (at(buckets, "bounds") !== undefined) {
    return boundedBuckets({ bounds: numbers("bounds"), counts: numbers("counts") });
  }
  const number = (...path: string[]) => finiteAt(buckets, ...path);
  const scale = number("scale");
  if (scale === null) return null;
  const side = (name: string) => ({
    offset: number(name, "offset") ?? 0,
    counts: numbers(name, "counts"),
  });
  return boundedBuckets({
    scale,
    zero: number("zero") ?? 0,
    threshold: number("threshold") ?? 0,
    positive: side("positive"),
    negative: side("negative"),
  });
}

function idsOf(sample: unknown): MetricEntry["ids"][number] {
  const trace = hexId(at(sample, "trace_id"));
  const span = spanId(at(sample, "span_id")) ??
    spanId(attributeAt(at(sample, "attributes"), "sentry.trace.parent_span_id"));
  return trace === null ? 0 : [trace, span];
}
