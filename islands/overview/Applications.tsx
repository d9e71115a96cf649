import { useEffect, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ApplicationRow, ErrorGroupRow } from "../../monitoring/models/rows.ts";
import { Sparkline } from "../charts/Sparkline.tsx";
import { useList } from "../data/lists.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import type { ConsoleQuery } from "../data/inbox.ts";
import { linkTo } from "../data/fragment.ts";
import { fullLabel, labelsByKey, nameOf, shortRelease } from "../kit/application_labels.ts";

/** Applications of which the overview has a card. It has links to the others. */
const MAX_CARDS = 8;

/** Rank of a card without errors: after those with handled and unhandled ones. */
const NO_FAILURES = 2;

/**
 * The applications that have sent something, each with its errors in the chosen time. Those that fail come first.
 *
 * @param props.rows undefined: not known yet
 * @param props.filters with the time of the charts; undefined: not known yet
 */
export function Applications({ rows, filters }: {
  rows: readonly ApplicationRow[] | undefined;
  filters: ConsoleQuery | undefined;
}) {
  const [ranks, setRanks] = useState<ReadonlyMap<string, number>>(new Map());
  const rankOf = ({ key }: ApplicationRow) => ranks.get(key) ?? NO_FAILURES;
  // Keeps the room of one row of cards.
  if (!rows) return <div className="applications" />;
  const newest = rows.toSorted((a, b) => b.last_seen - a.last_seen);
  const others = newest.slice(MAX_CARDS);
  const labels = labelsByKey(rows);
  const cards = newest.slice(0, MAX_CARDS)
    // Equal ranks by key: the order of `rows` changes with each arrival.
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.key < b.key ? -1 : 1));
  if (cards.length === 0) return null;
  return (
    <ul className="applications grid" aria-label="Applications" data-sentry-block="">
      {cards.map((row) => (
        <Card
          key={row.key}
          row={row}
          filters={filters}
          onRank={(rank) => setRanks((now) => new Map(now).set(row.key, rank))}
        />
      ))}
      {others.length > 0 && (
        <li className="card grid others">
          <b>{formatCount(others.length, "other application")}</b>
          <p className="facts small">
            {others.map((row) => (
              <a
                key={row.key}
                href={linkTo("overview", [], { application: row.key })}
                title={fullLabel(row)}
              >
                {labels.get(row.key)}
              </a>
            ))}
          </p>
        </li>
      )}
    </ul>
  );
}

/** @param props.onRank gets its place among the cards, lowest first */
function Card({ row, filters, onRank }: {
  row: ApplicationRow;
  filters: ConsoleQuery | undefined;
  onRank: (rank: number) => void;
}) {
  const { key, name, side, environment, starts: [start], last_seen } = row;
  const { releases: [release], releases_since: [since] } = row;
  const query = filters && { ...filters, application: key, state: "open" as const };
  const errors = useList("errors", query);
  const { count, last, isUnhandled, chart } = failuresOf(errors.rows);
  const kind = isUnhandled ? "refused" : count > 0 ? "waits" : "flows";
  const rank = isUnhandled ? 0 : count > 0 ? 1 : NO_FAILURES;
  useEffect(() => onRank(rank), [rank]);
  return (
    <li className="card grid">
      <a
        className="beside bare"
        href={linkTo(count > 0 ? "errors" : "traces", [], { application: key })}
        title={fullLabel(row)}
      >
        <ApplicationTile name={nameOf(row)} />
        <b className="one-line">{nameOf(row)}</b>
        <small className="end one-line">
          {[environment, side === "unknown" ? "" : side].filter(Boolean).join(", ")}
        </small>
      </a>
      <p className={errors.state === "ready" ? kind : "quiet"}>
        {errors.state === "ready" && (
          <>
            <OutcomeMark kind={kind} />
            {/* Groups beyond the first page are not counted. */}
            {count > 0 && errors.more && "at least "}
            {count === 0 ? "No open errors" : formatCount(count, "open error")}
            {last !== undefined && (
              <small>
                , last seen <TimeAgo at={last} />
              </small>
            )}
          </>
        )}
      </p>
      {chart && <Sparkline row={chart} />}
      <small title="First seen: the first stored envelope of the release. Last seen: the newest of the application.">
        {release !== undefined && since !== undefined && (
          <>
            <code>{shortRelease(release, name)}</code> first seen <TimeAgo at={since} />,{" "}
          </>
        )}
        {start !== undefined && (
          <>
            started <TimeAgo at={start} />,{" "}
          </>
        )}last seen <TimeAgo at={last_seen} />
      </small>
    </li>
  );
}

interface Failures {
  readonly count: number;
  /** Milliseconds since 1970. */
  readonly last: number | undefined;
  readonly isUnhandled: boolean;
  readonly chart: Pick<ErrorGroupRow, "chart" | "chart_from" | "chart_to" | "handled"> | undefined;
}

/** The errors of an application's groups together. */
function failuresOf(groups: readonly ErrorGroupRow[]): Failures {
  const [first] = groups;
  const count = groups.reduce((sum, { count }) => sum + count, 0);
  const isUnhandled = groups.some(({ handled }) => handled === false);
  return {
    count,
    last: first && Math.max(...groups.map(({ last_seen }) => last_seen)),
    isUnhandled,
    chart: first && {
      ...first,
      handled: !isUnhandled,
      chart: first.chart.map((_, part) => groups.reduce((sum, { chart }) => sum + chart[part]!, 0)),
    },
  };
}
