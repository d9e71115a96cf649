import { formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { FEW_SAMPLES, MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { VitalSample } from "../../monitoring/models/trace/trace_row.ts";
import { rateVital, type VitalName, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

export const RATING_MARKS = {
  good: "flows",
  "needs improvement": "waits",
  poor: "refused",
} as const;

/** @param value milliseconds, of CLS without unit: with more decimals if two would be rated differently */
export function formatVital(name: VitalName, value: number): string {
  if (name !== "cls") return formatDuration(value);
  const rating = rateVital({ name, value });
  const rounded = [2, 3, 4].map((digits) => value.toFixed(digits));
  return rounded.find((text) => rateVital({ name, value: Number(text) }) === rating) ?? rounded[2]!;
}

export const VITAL_TIP =
  `75th percentile, of n loads and navigations: ${FEW_SAMPLES} or fewer have n beside it,` +
  ` of fewer than ${MIN_SAMPLES} each value is a dot. What was measured as a page was left is often in the next page’s trace`;

/**
 * A web vital on a scale of three equal parts: good, needs improvement, poor. A mark beside the value repeats a rating
 * that is not good. Of a few measurements each is a dot.
 */
export function VitalBar({ name, sample }: { name: VitalName; sample: VitalSample }) {
  const { count, p75, few } = sample;
  const { title } = VITALS[name];
  if (count === 0) return <span className="quiet">–</span>;
  const n = count <= FEW_SAMPLES && <small className="quiet">n={count}</small>;
  if (p75 === null) {
    const values = few.map((value) => `${formatVital(name, value)} ${rateVital({ name, value })}`);
    return (
      <span className="beside vital-value" title={`${title}: ${values.join(", ")}`}>
        <Scale name={name} values={few} areDots />
        <span className="vh">{values.join(", ")}</span>
        {n}
      </span>
    );
  }
  const rating = rateVital({ name, value: p75 });
  return (
    <span className="beside vital-value" title={`${title}: ${rating}, n=${count}`}>
      <Scale name={name} values={[p75]} />
      {formatVital(name, p75)}
      {rating !== "good" && <OutcomeMark kind={RATING_MARKS[rating]} />}
      <span className="vh">{rating}</span>
      {n}
    </span>
  );
}

function Scale({ name, values, areDots }: {
  name: VitalName;
  values: readonly number[];
  areDots?: boolean;
}) {
  return (
    <i className={areDots ? "vital-bar few" : "vital-bar"}>
      {values.map((value, index) => (
        <i key={index} style={{ left: `${positionOf(name, value) * 100}%` }} />
      ))}
    </i>
  );
}

/** Where a value is on the scale: 0 to 1. Twice what is fair, and more, is at its end. */
function positionOf(name: VitalName, value: number): number {
  const { good, fair } = VITALS[name];
  if (value <= good) return value / good / 3;
  if (value <= fair) return (1 + (value - good) / (fair - good)) / 3;
  return (2 + Math.min(1, (value - fair) / fair)) / 3;
}
