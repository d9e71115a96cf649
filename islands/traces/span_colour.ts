import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";

/**
 * Colour and pattern of a span, as CSS classes. `components/styles/waterfall.css`, "Span colours",
 * has their rules:
 *
 * | Span | Class | Looks |
 * |---|---|---|
 * | succeeded | | teal (`--flows`) |
 * | failed | `failed` | red (`--refused`) |
 * | of the browser | `browser` | filled |
 * | of the server | `server` | striped: colour is never the only difference |
 * | has no end | `open` | dashed right edge |
 *
 * @param span null: a parent that was not received; teal and filled, as wide as its children
 */
export function spanClasses(span: TraceSpan | null, { anomalies }: PlacedTime): string {
  const classes: string[] = [span?.side ?? "missing"];
  if (span?.failed) classes.push("failed");
  if (anomalies.includes("no end")) classes.push("open");
  return classes.join(" ");
}
