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

/** An error that the application sent. */
type RunError = Pick<Run, "application" | "trace_id"> & { readonly at: number };

const traceOf = ({ application, trace_id }: RunError | Run) => `${application} ${trace_id}`;

/**
 * Runs with an error failed. It is of the only run of its application in its trace, else of the only one that it
 * occurred in; else it is of none.
 */
export function withErrors(runs: readonly Run[], errors: readonly RunError[]): Run[] {
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
 * The runs by application and name, slowest first: by the median, of a few by the middle one.
 *
 * @param newest the newest release of each application
 */
export function endpointRows(
  runs: readonly Run[],
  newest: ReadonlyMap<string, string | undefined>,
  { limit = MAX_LIST_ROWS }: ListQuery,
): EndpointRow[] {
  const byName = Map.groupBy(runs, ({ application, op, name }) => `${application} ${op} ${name}`);
  const rows = [...byName.values()].map((all) => {
    const { application, name, op } = all[0]!;
    const release = newest.get(application);
    const [since, before] = [true, false].map((isNewest) =>
      all.filter((run) => run.release !== null && (run.release === release) === isNewest)
    ) as [Run[], Run[]];
    const isCompared = since.length > 0 && before.length > 0;
    const shown = isCompared ? since : all;
    const row: EndpointRow = {
      ...{ application, name, op, ...runsOf(shown) },
      before: isCompared ? runsOf(before) : null,
    };
    return { row, middle: timesOf(shown)[Math.ceil(shown.length / 2) - 1]! };
  });
  return rows.sort((a, b) => b.middle - a.middle).slice(0, limit).map(({ row }) => row);
}

const timesOf = (runs: readonly Run[]) => runs.map(({ ms }) => ms).sort((a, b) => a - b);

function runsOf(runs: readonly Run[]): Runs {
  const sorted = timesOf(runs);
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
