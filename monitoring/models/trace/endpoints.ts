import { type ListQuery } from "../list_query.ts";
import { percentile } from "../percentile.ts";
import { type EndpointRow, MAX_LIST_ROWS, type Runs } from "../rows.ts";

/** What an application did: a request, page load, navigation or job. Times are milliseconds. */
export interface Run {
  /** Key of the application. */
  readonly application: string;
  readonly trace_id: string;
  readonly name: string;
  readonly op: string | null;
  readonly release: string | null;
  readonly started_at: number;
  readonly ms: number;
  readonly failed: boolean;
}

type RunError = Pick<Run, "application" | "trace_id"> & { readonly at: number };

/** An error fails the only run of its application and trace, of several the only one at its time, else none. */
export function withErrors(runs: readonly Run[], errors: readonly RunError[]): Run[] {
  const traceOf = ({ application, trace_id }: RunError | Run) => `${application} ${trace_id}`;
  const byTrace = Map.groupBy(runs, traceOf);
  const failed = new Set(errors.flatMap((error) => {
    const all = byTrace.get(traceOf(error)) ?? [];
    const during = all.length === 1
      ? all
      : all.filter(({ started_at, ms }) => started_at <= error.at && error.at <= started_at + ms);
    return during.length === 1 ? during : [];
  }));
  return runs.map((run) => failed.has(run) ? { ...run, failed: true } : run);
}

/** Dots that a row of a table has room for: of the newest. */
const MAX_DOTS = 40;

/**
 * The runs by application and name, slowest first: by the median, of a few by the middle of their range.
 *
 * @param newest the newest release of each application
 */
export function endpointRows(
  runs: readonly Run[],
  newest: ReadonlyMap<string, string | undefined>,
  { limit = MAX_LIST_ROWS }: ListQuery,
): EndpointRow[] {
  const byName = Map.groupBy(runs, ({ application, op, name }) => `${application} ${op} ${name}`);
  const rows = [...byName.values()].map((all): EndpointRow => {
    const { application, name, op } = all[0]!;
    const release = newest.get(application);
    const [since, before] = [true, false].map((isNewest) =>
      all.filter((run) => run.release !== null && (run.release === release) === isNewest)
    ) as [Run[], Run[]];
    const isCompared = since.length > 0 && before.length > 0;
    return {
      ...{ application, name, op, ...runsOf(isCompared ? since : all) },
      before: isCompared ? runsOf(before) : null,
    };
  });
  return rows.sort((a, b) => middleOf(b) - middleOf(a)).slice(0, limit);
}

const middleOf = ({ median, shortest, longest }: Runs) => median ?? (shortest + longest) / 2;

function runsOf(runs: readonly Run[]): Runs {
  const sorted = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const byTime = runs.toSorted((a, b) => b.started_at - a.started_at);
  return {
    count: runs.length,
    failed: runs.filter(({ failed }) => failed).length,
    shortest: sorted[0]!,
    median: percentile(sorted, 0.5),
    longest: sorted.at(-1)!,
    since: byTime.at(-1)!.started_at,
    failed_since: byTime.findLast(({ failed }) => failed)?.started_at ?? null,
    dots: byTime.slice(0, MAX_DOTS).map(({ ms, failed }) => ({ ms, failed })),
  };
}
