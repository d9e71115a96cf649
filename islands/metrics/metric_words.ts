import { formatBytes, formatDuration, formatNumber } from "../../components/format.ts";
import type { Figure } from "../../monitoring/models/metric/figures.ts";
import type { MetricId, MetricKind } from "../../monitoring/models/metric/metric_id.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";

/** Short names of units as SDKs of Sentry (plurals too) and of OpenTelemetry (https://ucum.org) send them. */
const SHORT_UNITS = new Map(Object.entries({
  ...{ nanosecond: "ns", us: "µs", microsecond: "µs", millisecond: "ms", sec: "s", second: "s" },
  ...{ minute: "min", hour: "h", day: "d", percent: "%", B: "bytes", By: "bytes", byte: "bytes" },
  ...{ kBy: "kB", kilobyte: "kB", MBy: "MB", megabyte: "MB", GBy: "GB", gigabyte: "GB" },
  ...{ KiBy: "KiB", kibibyte: "KiB", MiBy: "MiB", mebibyte: "MiB", GiBy: "GiB", gibibyte: "GiB" },
}));
/** Milliseconds and bytes of a unit. */
const TIMES = new Map(
  Object.entries({ ns: 1e-6, µs: 1e-3, ms: 1, s: 1e3, min: 6e4, h: 36e5, d: 864e5 }),
);
const SIZES = new Map(Object.entries({
  ...{ bytes: 1, kB: 1e3, MB: 1e6, GB: 1e9, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 },
}));
const NO_UNIT = new Set(["", "1", "none"]);

/** A number of values. Histograms of hostile senders may have parts of one. */
export const formatWhole = (count: number) => formatNumber(Math.round(count));

const shortUnit = (unit: string) =>
  SHORT_UNITS.get(unit) ?? SHORT_UNITS.get(unit.replace(/s$/, "")) ?? unit;

/** The unit as text: "{request}" is an annotation. https://ucum.org/ucum#section-Curly-Braces */
export const unitText = (unit: string) =>
  NO_UNIT.has(unit) ? "" : shortUnit(unit).replace(/^\{(.*)\}$/, "$1");

/** A figure of a metric: "407 ms", "12.5/s". */
export function formatFigure(value: number, figure: Figure, { kind, unit }: MetricId): string {
  if (figure === "count") return formatDecimal(value);
  if (figure !== "rate") return formatValue(value, unit);
  return `${kind === "counter" ? formatValue(value, unit) : formatDecimal(value)}/s`;
}

export function formatValue(value: number, unit: string): string {
  const sign = value < 0 ? "−" : "";
  const ms = TIMES.get(shortUnit(unit));
  if (ms !== undefined) return sign + formatDuration(Math.abs(value) * ms);
  const bytes = SIZES.get(shortUnit(unit));
  if (bytes !== undefined) {
    const size = Math.abs(value) * bytes;
    return size < 1024 ? `${formatDecimal(value * bytes)}\u00a0B` : sign + formatBytes(size);
  }
  return [formatDecimal(value), unitText(unit)].filter(Boolean).join("\u00a0");
}

/** Four digits, of a number from 1,000 all. */
function formatDecimal(value: number): string {
  const size = Math.abs(value);
  const text = size >= 1e15
    ? size.toPrecision(4)
    : size >= 1_000
    ? formatNumber(Math.round(size))
    : String(Number(size.toPrecision(4)));
  return value < 0 ? `−${text}` : text;
}

/** What a figure is called: percentiles of histograms are estimated. */
export const figureName = (figure: Figure, kind: MetricKind) =>
  kind === "histogram" && figure.startsWith("p") ? `${figure} (estimated)` : figure;

/** What a single value is: of a histogram the sender has kept some. */
export const sampleName = (kind: MetricKind) =>
  kind === "counter" ? "increment" : kind === "histogram" ? "exemplar" : "value";

const PERCENTILE = `By nearest rank, of at least ${MIN_SAMPLES} values`;
/** Definitions, as in docs/contract.md. */
export function figureTip(figure: Figure, kind: MetricKind): string {
  switch (figure) {
    case "rate":
      return kind === "counter" ? "What was added, each second" : "Number of values each second";
    case "count":
      return "Number of values";
    case "sum":
      return kind === "counter" ? "What was added" : "Sum of the values";
    case "avg":
      return kind === "updown"
        ? "Average of the values of single series, of which “last” is the sum"
        : "Sum of the values, divided by their number";
    case "last":
      return kind === "updown"
        ? "Sum of the newest values of the series that are still sent"
        : "Newest value, of several series that are still sent the average of each one’s";
    default:
      return kind === "histogram"
        ? `${PERCENTILE}; estimated: within a bucket values are taken to be spread evenly, from the` +
          " smallest to the largest value"
        : kind === "summary"
        ? "The newest that the sender has computed, of one series"
        : PERCENTILE;
  }
}

/** {@linkcode figureTip} of an interval: what was added is continued, see `addGrowth`. */
export const intervalTip = (figure: Figure, kind: MetricKind): string =>
  figureTip(figure, kind) +
  (/^(rate|count|sum)$/.test(figure)
    ? "; in the newest interval cumulative series that are still sent are taken to go on as before"
    : "");

/** Interval lengths that can be chosen, as in the address. */
export const INTERVALS = ["10s", "1m", "5m", "15m", "1h", "6h", "1d"] as const;

/** 1, 2 or 5 of a power of ten, of bytes a power of two; not below this. */
export function niceStep(least: number, unit: string): number {
  const bytes = SIZES.get(shortUnit(unit));
  if (bytes !== undefined) return 2 ** Math.max(0, Math.ceil(Math.log2(least * bytes))) / bytes;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least * 0.9999)!;
}
