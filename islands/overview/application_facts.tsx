import { useEffect } from "react";
import { percentile } from "../../monitoring/models/percentile.ts";
import type { ApplicationRow, ErrorGroupRow, TraceRow } from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { useList } from "../data/lists.ts";
import type { ConsoleQuery } from "../data/inbox.ts";

/** Traces of each application that endpoints are made of, the newest ones. */
export const MAX_TRACES = 100;

/** What an application has reported in the chosen time. */
export interface ApplicationFacts {
  /** Undefined: not known. */
  readonly failures: Failures | undefined;
  /** Slowest first. */
  readonly endpoints: readonly Endpoint[];
  /** Why the endpoints could not be read, for display. */
  readonly error: string | undefined;
  retry(): void;
}

/** The open errors of an application. Times are milliseconds since 1970. */
interface Failures {
  readonly count: number;
  /** There are further groups, which are not counted. */
  readonly isAtLeast: boolean;
  /** Of the errors of these groups; undefined: there are none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
  readonly isUnhandled: boolean;
  readonly chart: Pick<ErrorGroupRow, "chart" | "chart_from" | "chart_to" | "handled"> | undefined;
}

/** Traces that an application's span gave the same name. */
export interface Endpoint {
  readonly application: ApplicationRow;
  /** As shown; `span`: as sent. Untrusted. */
  readonly name: string;
  readonly span: string;
  /** Of the span, for each trace in which it ended. */
  readonly requests: readonly { readonly ms: number; readonly failed: boolean }[];
  /** In ascending order. */
  readonly durations: readonly number[];
  /** Milliseconds; null: there are fewer than five. */
  readonly median: number | null;
}

/**
 * Reads what an application has reported. Renders nothing.
 *
 * @param props.errors filters with the time of the charts; undefined: not known yet
 * @param props.onFacts gets them after each change
 */
export function ReadFacts({ application, filters, errors, onFacts }: {
  application: ApplicationRow;
  filters: ConsoleQuery;
  errors: ConsoleQuery | undefined;
  onFacts: (key: string, facts: ApplicationFacts) => void;
}) {
  const { key } = application;
  const groups = useList("errors", errors && { ...errors, application: key, state: "open" });
  const traces = useList("traces", { ...filters, application: key, limit: MAX_TRACES });
  useEffect(() =>
    onFacts(key, {
      failures: groups.state === "ready"
        ? failuresOf(groups.rows, groups.more !== undefined)
        : undefined,
      endpoints: endpointsOf(application, traces.rows),
      error: traces.error,
      retry: traces.retry,
    }), [groups, traces]);
  return null;
}

/** The errors of an application's groups together. */
function failuresOf(groups: readonly ErrorGroupRow[], isAtLeast: boolean): Failures {
  const [first] = groups;
  const isUnhandled = groups.some(({ handled }) => handled === false);
  // The state began with the oldest group that makes it.
  const causes = groups.filter(({ handled }) => !isUnhandled || handled === false);
  return {
    count: groups.reduce((sum, { count }) => sum + count, 0),
    isAtLeast,
    first: first && Math.min(...causes.map(({ first_seen }) => first_seen)),
    last: first && Math.max(...groups.map(({ last_seen }) => last_seen)),
    isUnhandled,
    chart: first && {
      ...first,
      handled: !isUnhandled,
      chart: first.chart.map((_, part) => groups.reduce((sum, { chart }) => sum + chart[part]!, 0)),
    },
  };
}

/** Traces by the name that the application's span gave them, slowest first: by the median, below five by the middle one. */
export function endpointsOf(
  application: ApplicationRow,
  traces: readonly TraceRow[],
): Endpoint[] {
  const named = traces.filter(({ name, spans, ended_at }) =>
    name !== null && spans > 0 && ended_at !== null
  );
  return [...Map.groupBy(named, displayName)].map(([name, rows]): Endpoint => {
    const requests = rows.map(({ started_at, ended_at, failed }) => ({
      ms: Math.max(0, ended_at! - started_at),
      failed,
    }));
    const durations = requests.map(({ ms }) => ms).sort((a, b) => a - b);
    const span = rows[0]!.name!;
    return { application, name, span, requests, durations, median: percentile(durations, 0.5) };
  }).sort((a, b) => middleOf(b) - middleOf(a));
}

/** Orders endpoints; shown only as a median, of enough traces. */
export const middleOf = ({ durations }: Endpoint): number =>
  durations[Math.ceil(durations.length / 2) - 1]!;
