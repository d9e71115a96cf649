import { type ListQuery } from "../list_query.ts";
import { percentile } from "../percentile.ts";
import { type EndpointRow, MAX_LIST_ROWS, type Runs } from "../rows.ts";

/** What an application did in one trace: its request, page load, navigation or job. Times are milliseconds. */
export interface Run {
  /** Key of the application. */
  readonly application: string;
  readonly name: string;
  readonly op: string | null;
  readonly release: string | null;
  readonly started_at: number;
  readonly ms: number;
  readonly failed: boolean;
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
    const { middle, ...shown } = runsOf(isCompared ? since : all);
    const row: EndpointRow = {
      ...{ application, name, op, ...shown },
      before: isCompared ? runsOf(before) : null,
    };
    return { row, middle };
  });
  return rows.sort((a, b) => b.middle - a.middle).slice(0, limit).map(({ row }) => row);
}

function runsOf(runs: readonly Run[]): Runs & { readonly middle: number } {
  const sorted = runs.map(({ ms }) => ms).sort((a, b) => a - b);
  const byTime = runs.toSorted((a, b) => b.started_at - a.started_at);
  return {
    count: runs.length,
    failed: runs.filter(({ failed }) => failed).length,
    shortest: sorted[0]!,
    median: percentile(sorted, 0.5),
    middle: sorted[Math.ceil(sorted.length / 2) - 1]!,
    longest: sorted.at(-1)!,
    since: byTime.at(-1)!.started_at,
    dots: byTime.slice(0, MAX_DOTS).map(({ ms, failed }) => ({ ms, failed })),
  };
}
