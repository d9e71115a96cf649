import type { ComponentProps, ReactNode } from "react";
import { Marked } from "../../components/OutcomeMark.tsx";
import { formatCount, formatNumber } from "../../components/format.ts";
import { MINUTE_MS } from "../../monitoring/models/time_units.ts";
import {
  DEFAULTS,
  type MonitorRow,
  type MonitorState,
} from "../../monitoring/models/monitors/monitor_row.ts";
import type { Extent } from "../../monitoring/models/trace/span_times.ts";

type Kind = ComponentProps<typeof Marked>["kind"];

/** Class of its mark and colour, its name, and what it means. */
const STATES: Readonly<Record<MonitorState, readonly [Kind, word: string, tip: string]>> = {
  ok: ["flows", "Ok", "Reported its end without an error"],
  failed: ["refused", "Failed", "Reported an error"],
  running: ["ring", "Running", "No end yet, within its time"],
  over_time: [
    "waits",
    "Over its time",
    "No end yet after its max_runtime, 30 min if none was sent",
  ],
  unfinished: [
    "waits",
    "Never finished",
    "No end within its time, and the job or a process of its application has started since",
  ],
  missed: [
    "missed",
    "Did not come",
    "No run started, or reported its end alone, within the margin after the expected time; one that a clock change skips is right after it",
  ],
};

export const kindOf = (state: MonitorState): Kind => STATES[state][0];
export const wordOf = (state: MonitorState): string => STATES[state][1];

/** A state with its mark. @param props.children default: its name */
export function State({ state, children }: { state: MonitorState; children?: ReactNode }) {
  const [kind, word, tip] = STATES[state];
  return <Marked kind={kind} title={tip}>{children ?? word}</Marked>;
}

/** Margins and maximum durations are sent in minutes; whether one was sent is not stored. */
export const minutesText = (ms: number): string => `${formatNumber(ms / MINUTE_MS)}\u00a0min`;
export const maxRuntimeText = ({ max_runtime: ms }: MonitorRow): string =>
  minutesText(ms) + (ms === DEFAULTS.max_runtime_ms ? ", also the default" : "");

/** A run in the address. */
export const runPath = ({ envelope, index }: MonitorRow["runs"][number]) => [
  `${envelope}`,
  `${index}`,
];
export const runKey = (run: MonitorRow["runs"][number]): string => runPath(run).join("/");

export const isDuring = ({ start_ms, end_ms }: Extent, at: number): boolean =>
  at >= start_ms && at <= end_ms;

/** "2 of 3 runs failed, 1 did not come", of some "2 of 50 listed runs failed", of those on the axis "2 of 3 shown runs" */
export function describeRuns(row: MonitorRow, time: Extent): ReactNode {
  const { runs, missed, missed_from, has_more } = row;
  const shown = runs.filter(({ started_at }) => isDuring(time, started_at));
  const count = (...states: readonly MonitorState[]) =>
    shown.filter(({ state }) => states.includes(state)).length;
  const [failed, open] = [count("failed"), count("unfinished")];
  const absent = missed.filter((at) => isDuring(time, at)).length;
  const what = has_more ? "listed run" : shown.length < runs.length ? "shown run" : "run";
  const of = `of ${formatCount(shown.length, what)}`;
  const when = absent < missed.length ? " in the time shown" : "";
  const isSome = missed_from !== null && missed_from > time.start_ms;
  const failures = failed > 0 && <State state="failed">{formatNumber(failed)} {of} failed</State>;
  const parts = [
    open > 0 && `${formatNumber(open)} ${failed > 0 ? "" : `${of} `}never finished`,
    absent > 0 && `${isSome ? "at least " : ""}${formatNumber(absent)} did not come${when}`,
  ].filter(Boolean);
  if (failures) return <>{failures}{parts.map((part) => `, ${part}`)}</>;
  if (parts.length > 0) return parts.join(", ");
  return shown.length === 0
    ? "no runs started in the time shown"
    : `${formatNumber(count("ok"))} ${of} ok`;
}
