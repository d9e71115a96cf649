import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";

/**
 * Colour and pattern of a span's row, as CSS classes beside the `data-kind` that has the colour.
 * `components/styles/waterfall.css`, "Span colours", has their rules:
 *
 * | Span | Class | Looks |
 * |---|---|---|
 * | succeeded | | the colour of its kind |
 * | failed | `failed` | red (`--refused`) |
 * | of the browser | `browser` | filled |
 * | of the server | `server` | striped: colour is never the only difference |
 * | has no end | `open` | dashed right edge |
 * | was not received | `missing` | a dashed outline, as wide as its children |
 *
 * @param span null: a parent that was not received
 */
export function spanClasses(span: TraceSpan | null, { anomalies }: PlacedTime): string {
  const classes: string[] = [span?.side ?? "missing"];
  if (span?.failed) classes.push("failed");
  if (anomalies.includes("no end")) classes.push("open");
  return classes.join(" ");
}
