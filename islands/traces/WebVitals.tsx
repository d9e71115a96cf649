import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { PlacedVital } from "../../monitoring/models/trace/trace.ts";
import { rateVital, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

/** A web vital in words. */
export interface FormattedVital {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly rating: keyof typeof RATING_MARKS;
  readonly at_ms: number;
}

const RATING_MARKS = { good: "flows", "needs improvement": "waits", poor: "refused" } as const;

export function formatVitals(vitals: readonly PlacedVital[]): FormattedVital[] {
  return vitals.map((vital) => ({
    name: vital.name,
    title: VITALS[vital.name].title,
    value: vital.name === "cls" ? vital.value.toFixed(2) : formatFineDuration(vital.value),
    rating: rateVital(vital),
    at_ms: vital.at_ms,
  }));
}

/** The web vitals of a page load, each with its rating. */
export function WebVitals({ vitals }: { vitals: readonly FormattedVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals" aria-label="Web vitals">
      {vitals.map(({ name, title, value, rating }) => (
        <div key={name}>
          <dt title={title}>{name.toUpperCase()}</dt>
          <dd>
            <b>{value}</b>
            <OutcomeMark kind={RATING_MARKS[rating]} />
            {rating}
          </dd>
        </div>
      ))}
    </dl>
  );
}
