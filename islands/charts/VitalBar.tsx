import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { rateVital, type VitalName, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

/** The mark beside a value with this rating. */
export const RATING_MARKS = {
  good: "flows",
  "needs improvement": "waits",
  poor: "refused",
} as const;

/** @param value milliseconds, of CLS without unit */
export const formatVital = (name: VitalName, value: number): string =>
  name === "cls" ? value.toFixed(2) : formatFineDuration(value);

/**
 * A web vital on a scale of three equal parts: good, needs improvement, poor. A mark beside the value repeats a rating
 * that is not good.
 *
 * @param props.value milliseconds, of CLS without unit; null: not sent
 */
export function VitalBar({ name, value }: { name: VitalName; value: number | null }) {
  if (value === null) return <span className="quiet">–</span>;
  const rating = rateVital({ name, value });
  return (
    <span className="beside" title={`${VITALS[name].title}: ${rating}`}>
      <i className="vital-bar">
        <i style={{ left: `${placeOf(name, value) * 100}%` }} />
      </i>
      {formatVital(name, value)}
      {rating !== "good" && <OutcomeMark kind={RATING_MARKS[rating]} />}
      <span className="vh">{rating}</span>
    </span>
  );
}

/** Where a value is on the scale: 0 to 1. Twice what is fair, and more, is at its end. */
function placeOf(name: VitalName, value: number): number {
  const { good, fair } = VITALS[name];
  if (value <= good) return value / good / 3;
  if (value <= fair) return (1 + (value - good) / (fair - good)) / 3;
  return (2 + Math.min(1, (value - fair) / fair)) / 3;
}
