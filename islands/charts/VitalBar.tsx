import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { rateVital, type VitalName, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

const RATING_MARKS = { good: null, "needs improvement": "waits", poor: "refused" } as const;

/**
 * A web vital on a scale of three equal parts: good, needs improvement, poor. A mark beside the value repeats a rating
 * that is not good.
 *
 * @param props.value milliseconds, of CLS without unit; null: not sent
 */
export function VitalBar({ name, value }: { name: VitalName; value: number | null }) {
  if (value === null) return <span className="quiet">–</span>;
  const rating = rateVital({ name, value, at_ms: null });
  const mark = RATING_MARKS[rating];
  return (
    <span className="beside" title={`${VITALS[name].title}: ${rating}`}>
      <i className="vital-bar">
        <i style={{ left: `${placeOf(name, value) * 100}%` }} />
      </i>
      {name === "cls" ? value.toFixed(2) : formatFineDuration(value)}
      {mark && <OutcomeMark kind={mark} />}
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
