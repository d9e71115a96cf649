import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { cutText, formatOffset } from "../../components/format.ts";
import type { Trace } from "../../monitoring/models/trace/trace.ts";
import { formatVital, RATING_MARKS } from "../charts/VitalBar.tsx";
import { rateVital, VITALS } from "../../monitoring/models/trace/web_vitals.ts";
import { Definition } from "../kit/Definition.tsx";

/** Characters of a page's name. */
const MAX_PAGE = 40;

export interface FormattedVital {
  readonly name: string;
  readonly title: string;
  readonly value: string;
  readonly rating: keyof typeof RATING_MARKS;
  /** If it was measured on another page than the trace's. */
  readonly page: string | undefined;
  /** Where it is on the time axis: one from before or after the trace's time is at its edge. */
  readonly at_ms: number;
  /** To where it is, if that is outside. */
  readonly arrow: "▸" | "◂" | "";
  /** Its title, value, rating and time. */
  readonly text: string;
}

const OUTSIDE = { "▸": ", after the end of the trace", "◂": ", before its start", "": "" };

export function formatVitals({ vitals, start_ms, end_ms, origin_ms }: Trace): FormattedVital[] {
  return vitals.map(({ name, value: measured, at_ms, page }) => {
    const [{ title }, value] = [VITALS[name], formatVital(name, measured)];
    const rating = rateVital({ name, value: measured });
    const text = `${title} ${value}, ${rating}, at ${formatOffset(at_ms - origin_ms)}`;
    const arrow = at_ms > end_ms ? "▸" : at_ms < start_ms ? "◂" : "";
    return {
      ...{ name, title, value, rating, arrow },
      page: page && cutText(page, MAX_PAGE),
      at_ms: Math.max(start_ms, Math.min(end_ms, at_ms)),
      text: text + OUTSIDE[arrow],
    };
  });
}

/** The web vitals of a page load, each with its rating: a mark and, unless it is good, the word. */
export function WebVitals({ vitals }: { vitals: readonly FormattedVital[] }) {
  if (vitals.length === 0) return null;
  return (
    <dl className="vitals line end" aria-label="Web vitals">
      {vitals.map(({ name, title, page, value, rating }) => (
        <div key={name} className="well beside">
          <dt>
            <Definition text={title}>{name.toUpperCase()}</Definition>
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
