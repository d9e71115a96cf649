import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { PlacedVital } from "../../monitoring/models/trace/trace.ts";
import { cutText } from "../shared/text.ts";
import { rateVital, VITALS } from "../../monitoring/models/trace/web_vitals.ts";

/** Characters of a page's name. */
const MAX_PAGE = 40;

/** A web vital in words. */
export interface FormattedVital {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly rating: keyof typeof RATING_MARKS;
  /** If it was measured on another page than the trace's. */
  readonly page: string | undefined;
  readonly at_ms: number;
}

const RATING_MARKS = { good: "flows", "needs improvement": "waits", poor: "refused" } as const;

export function formatVitals(
  vitals: readonly PlacedVital[],
): FormattedVital[] {
  return vitals.map(({ name, value, at_ms, page }) => ({
    name,
    title: VITALS[name].title,
    page: page && cutText(page, MAX_PAGE),
    value: name === "cls" ? value.toFixed(2) : formatFineDuration(value),
    rating: rateVital({ name, value, at_ms }),
    at_ms,
  }));
}

/** A vital's value and its rating: a mark and, in a trace unless it is good, the word. */
export function RatedValue({ value, rating }: Pick<FormattedVital, "value" | "rating">) {
  return (
    <>
      <b>{value}</b>
      <OutcomeMark kind={RATING_MARKS[rating]} />
      <span className={rating === "good" ? "rating good" : "rating"}>{rating}</span>
    </>
  );
}

/** The web vitals of a page load, each with its rating. */
export function WebVitals({ vitals }: { vitals: readonly FormattedVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals facts end" aria-label="Web vitals">
      {vitals.map(({ name, title, page, ...vital }) => (
        <div key={name} className="well">
          <dt title={title}>
            {name.toUpperCase()}
            {page && ` of ${page}`}
          </dt>
          <dd>
            <RatedValue {...vital} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
