import { type ReactNode, useMemo } from "react";
import { formatCount, formatDuration, formatNumber } from "../../components/format.ts";
import { Icon } from "../../components/Icon.tsx";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { Marked } from "../../components/OutcomeMark.tsx";
import { Timestamp } from "../../components/Timestamp.tsx";
import { type AiSpan, readAiSpan } from "../../monitoring/models/ai/ai_span.ts";
import type { AiRunRow } from "../../monitoring/models/ai/ai_row.ts";
import type { PlacedTime } from "../../monitoring/models/trace/span_times.ts";
import { spanKind } from "../../monitoring/models/trace/span_kind.ts";
import { spanIdOf, type SpanNode } from "../../monitoring/models/trace/span_tree.ts";
import { readTrace, type Trace } from "../../monitoring/models/trace/trace.ts";
import { NO_CONTENT, omittedText } from "../../monitoring/models/trace/trace_content.ts";
import { percentAt } from "../charts/time_scale.ts";
import { linkTo, OF_DETAIL, useFragment } from "../data/fragment.ts";
import { useList } from "../data/lists.ts";
import { useTraceContent } from "../data/use_read.ts";
import { SentBy } from "../kit/ApplicationLabel.tsx";
import { Unread } from "../kit/Blank.tsx";
import { Counted } from "../kit/Counted.tsx";
import { Definition } from "../kit/Definition.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { PlayLink } from "../kit/PlayLink.tsx";
import { type Column, Table } from "../kit/Table.tsx";
import { CallPanel } from "./CallPanel.tsx";
import { durationText, figureColumn, formatCost, sentOr, TIPS, USAGE_COLUMNS } from "./usage.tsx";

/** A span of a run; `ai` is null of other spans, such as a tool's requests. */
interface RunNode {
  readonly node: SpanNode;
  readonly ai: AiSpan | null;
  readonly time: PlacedTime;
}

/** Rows of the tree: a run of an agent has some tens. */
const MAX_NODES = 300;

/** One run: its figures, the tree of its calls and tools, and the messages of one of them. */
export function RunView({ traceId, spanId }: { traceId: string; spanId: string }) {
  const { path, params, to } = useFragment();
  const content = useTraceContent(traceId);
  const stored = content.value ?? NO_CONTENT;
  const trace = useMemo(() => readTrace(stored), [stored]);
  const all = useMemo(() => nodesOf(trace, spanId), [trace, spanId]);
  const nodes = all.slice(0, MAX_NODES);
  const [top] = nodes;
  const row = useList("ai_runs", { trace: traceId }).rows
    .find(({ span_id }) => top && span_id === spanIdOf(top.node));
  const chosen = params.get("span");
  const selected =
    nodes.findLast(({ node, ai }) =>
      chosen === null ? ai?.kind === "call" : spanIdOf(node) === chosen
    ) ?? top;
  const columns = useMemo(() => columnsOf(all), [all]);
  return (
    <DetailView
      className="run"
      back="All AI runs"
      title={row?.asked ?? top?.ai?.name ?? "AI run"}
      facts={top && (
        <>
          {row?.asked && <b>{row.name}</b>}
          {top.node.span?.application && <SentBy keys={[top.node.span.application]} />}
          {row?.release}
          <Timestamp at={top.time.start_ms} precision="ms" />
        </>
      )}
      actions={top && (
        <>
          <PlayLink
            replayId={stored.replay_id}
            moment={{
              ...top.time,
              at_ms: top.time.start_ms,
              application: top.node.span!.application,
            }}
          />
          <a href={linkTo("traces", [traceId], { span: spanIdOf(top.node) })}>Open trace</a>
          {trace.summary.errors > 0 && (
            <a href={linkTo("errors", [], { trace: traceId, state: "all" })}>
              {formatCount(trace.summary.errors, "error")} in the trace
            </a>
          )}
          {trace.summary.logs > 0 && (
            <a href={linkTo("logs", [], { trace: traceId })}>
              {formatCount(trace.summary.logs, "log")} in the trace
            </a>
          )}
          <CopyMenu what="AI run" />
        </>
      )}
    >
      {!top && <Unread what="AI run" of={content} />}
      {top && selected && (
        <div className="run-body">
          <div className="run-tree">
            {row && <Figures row={row} />}
            <Table
              caption="Calls and tools"
              columns={columns}
              rows={nodes}
              keyOf={({ node }) => node.key}
              hrefOf={({ node }) => to(path, { span: spanIdOf(node) })}
              openKey={selected.node.key}
            />
            <p className="quiet small pad">
              {all.length > nodes.length &&
                `${formatCount(all.length - nodes.length, "span")} more in the trace. `}
              {omittedText(stored)}
            </p>
          </div>
          <CallPanel key={selected.node.key} {...selected} traceId={traceId} />
        </div>
      )}
    </DetailView>
  );
}

/** The spans of the run that a span is in: its topmost AI span of that application, and all below. */
function nodesOf({ tree, times }: Trace, spanId: string): RunNode[] {
  const isAi = (node: SpanNode) => node.span !== null && readAiSpan(node.span) !== null;
  let top = tree.nodes.find((node) => spanIdOf(node) === spanId);
  if (top === undefined || !isAi(top)) return [];
  for (let at = top.parent; at !== null; at = at.parent) {
    if (!isAi(at)) continue;
    if (at.span!.application !== top.span!.application) break;
    top = at;
  }
  const { application } = top.span!;
  const start = tree.nodes.indexOf(top);
  const after = tree.nodes.findIndex(({ depth }, n) => n > start && depth <= top.depth);
  // AI spans of another application, and those below them, are of other runs.
  const own = new Set<SpanNode | null>([top.parent]);
  return tree.nodes.slice(start, after === -1 ? undefined : after).map((node) => {
    const ai = node.span && readAiSpan(node.span);
    if (own.has(node.parent) && (ai === null || node.span?.application === application)) {
      own.add(node);
    }
    return { node, ai: own.has(node) ? ai : null, time: times.byNode.get(node)! };
  });
}

function Figures({ row }: { row: AiRunRow }) {
  const { to } = useFragment();
  const figures: readonly (readonly [name: string, value: ReactNode, tip?: string])[] = [
    ["Took", durationText(row.duration), "Of its topmost span, from start to end"],
    ["1st token", durationText(row.first_token_ms), TIPS.first],
    ["Tokens in", sentOr(row.input_tokens, formatNumber), TIPS.in],
    ["Tokens out", sentOr(row.output_tokens, formatNumber), TIPS.out],
    ["Cost", row.cost === null ? "not sent" : formatCost(row.cost), TIPS.cost],
    ["Calls", <Counted key="" count={row.calls} failed={row.failed_calls} />],
    ["Tools", <Counted key="" count={row.tools} failed={row.failed_tools} />],
    ...row.conversation === null ? [] : [
      [
        "Conversation",
        <a key="" href={to([], { ...OF_DETAIL, conversation: row.conversation })}>
          {row.conversation}
        </a>,
      ] as const,
    ],
  ];
  return (
    <div className="pad">
      <KeyValueList
        isInLine
        entries={figures.map(([name, value, tip]) => ({
          name: tip ? <Definition text={tip}>{name}</Definition> : name,
          value: <b>{value}</b>,
        }))}
      />
    </div>
  );
}

const columnsOf = (nodes: readonly RunNode[]): readonly Column<RunNode>[] => {
  const window = {
    start_ms: Math.min(...nodes.map(({ time }) => time.start_ms)),
    end_ms: Math.max(...nodes.map(({ time }) => time.end_ms)),
  };
  const depthOf = ({ node }: RunNode) => Math.min(8, node.depth - nodes[0]!.node.depth);
  return [
    {
      title: "Call",
      isHead: true,
      cell: (row, link) => {
        const { node: { span }, ai } = row;
        return (
          <span
            className="beside"
            style={{ paddingLeft: `${depthOf(row) * 0.875}rem` }}
            {...dataOf(row)}
          >
            {ai
              ? <Icon name={ai.kind === "tool" ? "tool" : "ai"} />
              : <i className="kind-mark" aria-hidden="true" />}
            <span className="one-line">{link(ai?.name ?? span?.name ?? "Missing parent")}</span>
            <small className="one-line">{ai ? ai.kind : span?.op}</small>
            {span?.failed && <Marked as="small" kind="refused">failed</Marked>}
          </span>
        );
      },
    },
    {
      title: formatDuration(window.end_ms - window.start_ms),
      tip: "To the end of its last span; the line in a call is its first token",
      width: 6.5,
      className: "bar",
      cell: (row) => {
        const { time, ai } = row;
        const left = percentAt(window, time.start_ms);
        const first = ai?.first_token_ms ?? null;
        return (
          <span className="track" aria-hidden="true" {...dataOf(row)}>
            <i
              className="span-bar"
              style={{ left: `${left}%`, width: `${percentAt(window, time.end_ms) - left}%` }}
            />
            {first !== null && (
              <i
                className="tick"
                style={{ left: `${percentAt(window, time.start_ms + first)}%` }}
              />
            )}
          </span>
        );
      },
    },
    figureColumn(
      "Took",
      "From start to end",
      4.5,
      ({ time }) => time.isOpen ? "no end" : formatDuration(time.end_ms - time.start_ms),
      { isWide: false },
    ),
    figureColumn(
      "1st token",
      TIPS.first,
      4.5,
      ({ ai }) => durationText(ai?.first_token_ms ?? null),
      { className: "first" },
    ),
    ...[USAGE_COLUMNS.in, USAGE_COLUMNS.out, USAGE_COLUMNS.cost].map((column) => ({
      ...column,
      tip: "As the span sent it",
      cell: ({ ai }: RunNode) => ai ? column.cell(ai) : <span className="quiet">–</span>,
    })),
  ];
};

const dataOf = ({ node: { span }, ai }: RunNode) => ({
  "data-kind": span?.failed ? "failed" : ai ? `ai-${ai.kind}` : span ? spanKind(span) : undefined,
});
