import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";

/**
 * Looks of a span's row, as CSS classes beside the `data-kind` that has the colour.
 * `components/styles/span_kinds.css` has their rules:
 *
 * | Span | Class | Looks |
 * |---|---|---|
 * | any | | outlined in the colour of its kind, solid where it runs itself |
 * | failed | `failed` | red (`--refused`), with a cross beside its name |
 * | has no end | `open` | dashed right edge |
 * | was not received | `missing` | a dashed outline, as wide as its children |
 *
 * @param span null: a parent that was not received
 */
export function spanClasses(span: TraceSpan | null, { isOpen }: PlacedTime): string {
  return [!span && "missing", span?.failed && "failed", isOpen && "open"].filter(Boolean).join(" ");
}
