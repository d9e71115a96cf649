import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";

/** The axis of sparklines below each other. */
export const SPARKLINE_TIP =
  "Of the chosen time, else of the last 30 days with errors (in Errors without those that its chart leaves" +
  " out), from the first to the last of all rows";

/**
 * Errors of a group over time: a bar for each part, as high as its share of the highest. Each has a scale of its own. Red
 * if one of them was not handled.
 */
export function Sparkline({ row: { chart, chart_from, chart_to, handled } }: {
  row: Pick<ErrorGroupRow, "chart" | "chart_from" | "chart_to" | "handled">;
}) {
  const most = Math.max(...chart);
  const parts = chart.filter((errors) => errors > 0).length;
  const time = (at: number) => formatDateAndTime(at, Date.now(), formatTimeOfDay);
  const text = `${time(chart_from)} to ${time(chart_to)}: errors in ${parts} of ` +
    `${chart.length} parts, at most ${most} in one`;
  // A part with any error has a bar that can be seen.
  const bar = (errors: number, part: number) =>
    errors === 0 ? "" : `M${part} 10v${-Math.max(1.5, errors / most * 10)}h.8V10z`;
  return (
    <svg
      className={handled === false ? "sparkline refused" : "sparkline"}
      viewBox={`0 0 ${chart.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      <title>{text}</title>
      <path d={chart.map(bar).join("")} />
    </svg>
  );
}
