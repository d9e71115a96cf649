import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ErrorGroupRow, SourceRow } from "../../monitoring/models/rows.ts";
import { Sparkline } from "../charts/Sparkline.tsx";
import { useList } from "../data/lists.ts";
import { ApplicationTile } from "../shared/ApplicationTile.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { nameOf } from "../shared/source_labels.ts";

/** Applications of which the overview has a card; the choice in the sidebar has all. */
const MAX_CARDS = 8;

/**
 * The applications that have sent something, each with its errors in the chosen time. Those that fail come first.
 *
 * @param props.source of the filter of all views
 * @param props.since start of the time, milliseconds since 1970 as text
 * @param props.age the same as an age, for links
 */
export function Applications({ rows, source, since, age }: {
  rows: readonly SourceRow[];
  source: string | undefined;
  since: string;
  age: string;
}) {
  const errors = useList("errors", { source, since }, { view: "overview" });
  const cards = rows.toSorted((a, b) => b.last_seen - a.last_seen).slice(0, MAX_CARDS)
    .map((row) => ({ row, failures: failuresOf(row.key, errors.rows) }))
    // By name within, as the rows themselves move with each arrival.
    .toSorted((a, b) => rank(a.failures) - rank(b.failures) || (a.row.key < b.row.key ? -1 : 1));
  if (cards.length === 0) return null;
  return (
    <ul className="applications" aria-label="Applications" data-sentry-block="">
      {cards.map(({ row, failures }) => {
        const { key, name, side, environment, releases, last_seen } = row;
        const { count, last, isUnhandled } = failures;
        const kind = isUnhandled ? "refused" : count > 0 ? "waits" : "flows";
        const view = count > 0 ? "errors" : "traces";
        return (
          <li key={key}>
            <a href={fragmentTo(view, [], { source: key, since: age })}>
              <ApplicationTile name={nameOf(row)} />
              <b>{nameOf(row)}</b>
              <small>
                {[side === "unknown" ? "" : side, environment].filter(Boolean).join(", ")}
              </small>
            </a>
            <p className={errors.state === "ready" ? kind : "quiet"}>
              {errors.state === "ready" && (
                <>
                  <OutcomeMark kind={kind} />
                  {/* Groups beyond the first page are not counted. */}
                  {count > 0 && errors.more && "at least "}
                  {count === 0 ? "No errors" : formatCount(count, "error")}
                  {last !== undefined && (
                    <>
                      , the last <TimeAgo at={last} />
                    </>
                  )}
                </>
              )}
            </p>
            {failures.chart && <Sparkline row={failures.chart} />}
            <small>
              {releases[0] && <code>{shortRelease(releases[0], name)}</code>} seen{" "}
              <TimeAgo at={last_seen} />
            </small>
          </li>
        );
      })}
    </ul>
  );
}

interface Failures {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly last: number | undefined;
  readonly isUnhandled: boolean;
  readonly chart: Pick<ErrorGroupRow, "chart" | "chart_from" | "chart_to" | "count"> | undefined;
}

/** The errors of an application: of the groups whose newest error it sent. */
function failuresOf(key: string, groups: readonly ErrorGroupRow[]): Failures {
  const own = groups.filter(({ source }) => source === key);
  const [first] = own;
  const count = own.reduce((sum, { count }) => sum + count, 0);
  return {
    count,
    last: first && Math.max(...own.map(({ last_seen }) => last_seen)),
    isUnhandled: own.some(({ handled }) => handled === false),
    chart: first && {
      ...first,
      count,
      chart: first.chart.map((_, part) => own.reduce((sum, { chart }) => sum + chart[part]!, 0)),
    },
  };
}

const rank = ({ count, isUnhandled }: Failures) => isUnhandled ? 0 : count > 0 ? 1 : 2;

/** A version without the name of its package: "1.5.0" of "shop-api@1.5.0". */
const shortRelease = (release: string, name: string) =>
  release.startsWith(`${name}@`) ? release.slice(name.length + 1) : release.slice(0, 12);
