import { formatDuration } from "../../components/format.ts";
import { busySamples, mainFunction } from "../../monitoring/models/profile/call_tree.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { ProfileRow } from "../../monitoring/models/profile/profile_row.ts";
import type { TraceSpan } from "../../monitoring/models/trace/trace_span.ts";
import { linkTo } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { read } from "../data/read.ts";
import { useRead } from "../data/use_read.ts";

/** While these wait, their thread runs other requests. */
const WAITS = /^(db\b|http\.client$)/;

/** What ran most on a span's thread during it, if a profile of its application covers it; else nothing. */
export function SpanProfile({ traceId, span }: { traceId: string; span: TraceSpan }) {
  const { span_id, application, op, start_ms, end_ms, attributes } = span;
  const { rows } = useList("profiles", { trace: traceId });
  /** Milliseconds of the span that it covers. */
  const overlap = ({ started_at, ended_at }: ProfileRow) =>
    Math.min(ended_at, end_ms ?? 0) - Math.max(started_at, start_ms ?? Infinity);
  const [row] = rows.filter((row) =>
    !WAITS.test(op ?? "") && row.application === application && overlap(row) > 0
  ).sort((a, b) => overlap(b) - overlap(a));
  const asked = row && { id: row.profile_id, trace: traceId, span: span_id };
  const { state, value } = useRead(
    ["profile", asked, row?.samples],
    asked && (() => read("profile", asked)),
  );
  const busy = value && busySamples(value);
  const main = value && mainFunction(value);
  if (!asked || !busy || !main || busy < MIN_SAMPLES || state !== "ready") return null;
  // Without samples of its thread, the profile has the main one.
  if (`${attributes["thread.id"] ?? value.thread}` !== value.thread) return null;
  return (
    <p className="pad">
      {formatDuration(busy * value.interval_ms)} on its thread meanwhile, of any request:{" "}
      <b>{Math.round(main.total / busy * 100)} %</b> in{" "}
      <a href={linkTo("profiles", [asked.id], { trace: traceId, span: span_id })}>
        <code>{value.frames[main.frame]!.function}</code>
      </a>
    </p>
  );
}
