import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { PlacedVital } from "../../monitoring/models/trace/trace.ts";
import { cutText } from "../../components/format.ts";
import { formatVital, RATING_MARKS } from "../charts/VitalBar.tsx";
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

export function formatVitals(vitals: readonly PlacedVital[]): FormattedVital[] {
  return vitals.map(({ name, value, at_ms, page }) => ({
    name,
    title: VITALS[name].title,
    page: page && cutText(page, MAX_PAGE),
    value: formatVital(name, value),
    rating: rateVital({ name, value }),
    at_ms,
  }));
}

/** The web vitals of a page load, each with its rating: a mark and, unless it is good, the word. */
export function WebVitals({ vitals }: { vitals: readonly FormattedVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals line end" aria-label="Web vitals">
      {vitals.map(({ name, title, page, value, rating }) => (
        <div key={name} className="well beside">
          <dt title={title}>
            {name.toUpperCase()}
            {page && ` of ${page}`}
          </dt>
          <dd>
            <b>{value}</b>
            <OutcomeMark kind={RATING_MARKS[rating]} />
            <span className={rating === "good" ? "vh" : undefined}>{rating}</span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
