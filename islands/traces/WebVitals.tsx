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

export function formatVitals(
  vitals: readonly Omit<PlacedVital, "span_id">[],
): FormattedVital[] {
  return vitals.map(({ name, value, at_ms }) => ({
    name,
    title: VITALS[name].title,
    value: name === "cls" ? value.toFixed(2) : formatFineDuration(value),
    rating: rateVital({ name, value, at_ms }),
    at_ms,
  }));
}

/** A rating: its mark and, unless it is good, the word. */
export function Rating({ rating }: Pick<FormattedVital, "rating">) {
  return (
    <>
      <OutcomeMark kind={RATING_MARKS[rating]} />
      <span className={rating === "good" ? "good" : undefined}>{rating}</span>
    </>
  );
}

/** A vital's value and its rating. */
export function RatedValue({ value, rating }: Pick<FormattedVital, "value" | "rating">) {
  return (
    <>
      <b>{value}</b>
      <Rating rating={rating} />
    </>
  );
}

/** The web vitals of a page load, each with its rating. */
export function WebVitals({ vitals }: { vitals: readonly FormattedVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals" aria-label="Web vitals">
      {vitals.map(({ name, title, ...vital }) => (
        <div key={name}>
          <dt title={title}>{name.toUpperCase()}</dt>
          <dd>
            <RatedValue {...vital} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
