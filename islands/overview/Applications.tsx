import { formatCount, formatNumber } from "../../components/format.ts";
import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ApplicationRow } from "../../monitoring/models/rows.ts";
import { Sparkline, SPARKLINE_TIP } from "../charts/Sparkline.tsx";
import { linkTo } from "../data/fragment.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { fullLabel, labelsByKey, nameOf, shortRelease } from "../kit/application_labels.ts";
import { type Column, Table } from "../kit/Table.tsx";
import type { ApplicationFacts } from "./application_facts.tsx";
import { durationOf, ENDPOINT_TIP } from "./Endpoints.tsx";

/** The one rule of the overview's colours, worst first. `flows`: no open errors. */
const STATES = [
  { kind: "refused", word: "Failing", rule: "unhandled open errors" },
  { kind: "waits", word: "Needs a look", rule: "other open errors" },
  { kind: "flows", word: "No errors", rule: "no open errors" },
] as const;

/** An application, and what is known of it. */
export interface KnownApplication {
  readonly row: ApplicationRow;
  readonly facts: ApplicationFacts | undefined;
}

/** Index of an application's state in {@linkcode STATES}; the last one if it is not known. */
const stateOf = ({ facts }: KnownApplication): number =>
  facts?.failures?.isUnhandled ? 0 : facts?.failures?.count ? 1 : STATES.length - 1;

/**
 * The applications that have sent something, one in each row. Those that fail come first.
 *
 * @param props.known undefined: not known yet
 * @param props.others have links only
 */
export function Applications({ known, others }: {
  known: readonly KnownApplication[] | undefined;
  others: readonly ApplicationRow[];
}) {
  const labels = labelsByKey(others);
  const rows = known?.toSorted((a, b) =>
    // Equal states by key: the order of arrival changes all the time.
    stateOf(a) - stateOf(b) || (a.row.key < b.row.key ? -1 : 1)
  );
  return (
    <div className="applications">
      <Panel
        id="applications"
        title="Applications"
        isUnrecorded
        links={
          <small className="facts" title="Of the time that the charts show">
            {STATES.map(({ kind, rule }) => (
              <span key={kind} className={kind}>
                <OutcomeMark kind={kind} />
                {rule}
              </span>
            ))}
          </small>
        }
      >
        <Table
          className="highlight"
          caption="Applications"
          columns={COLUMNS}
          rows={rows ?? []}
          keyOf={({ row }) => row.key}
          hrefOf={({ row, facts }) =>
            linkTo(facts?.failures?.count ? "errors" : "traces", [], { application: row.key })}
        />
        {others.length > 0 && (
          <p className="facts small others">
            <b>{formatCount(others.length, "other application")}</b>
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
        )}
      </Panel>
    </div>
  );
}

const COLUMNS: readonly Column<KnownApplication>[] = [
  {
    title: "Application",
    cell: ({ row }, link) => (
      <span className="beside" title={fullLabel(row)}>
        <ApplicationTile name={nameOf(row)} />
        {link(<b className="one-line">{nameOf(row)}</b>)}
        <small className="one-line roomy">
          {[row.environment, row.side === "unknown" ? "" : row.side].filter(Boolean).join(", ")}
        </small>
      </span>
    ),
  },
  {
    title: "State",
    tip: `${STATES.map(({ word, rule }) => `${word}: ${rule}`).join("; ")}, in the time of the` +
      " charts. Since: the first stored error of their groups",
    width: 13,
    className: "state",
    cell: (known) => {
      const { kind, word } = STATES[stateOf(known)]!;
      const failures = known.facts?.failures;
      return failures && (
        <span
          className={kind}
          title={failures.last === undefined
            ? undefined
            : `Last error: ${shortTime(failures.last)}`}
        >
          <OutcomeMark kind={kind} />
          {word}
          {failures.first !== undefined && <small>since {shortTime(failures.first)}</small>}
        </span>
      );
    },
  },
  {
    title: "Open errors",
    tip: `In the time of the charts. ${SPARKLINE_TIP}`,
    width: 9,
    className: "failures",
    cell: ({ facts }) =>
      facts?.failures && (
        <span className="beside ends">
          <span className={facts.failures.count === 0 ? "quiet" : undefined}>
            {facts.failures.isAtLeast && "at least "}
            {formatNumber(facts.failures.count)}
            <span className="vh">
              {facts.failures.count === 1 ? " open error" : " open errors"}
            </span>
          </span>
          {facts.failures.chart && <Sparkline row={facts.failures.chart} />}
        </span>
      ),
  },
  {
    title: "Release",
    tip: "The newest one, and when its first stored envelope was received",
    width: 11,
    className: "extra",
    cell: ({ row: { name, releases: [release], releases_since: [since] } }) =>
      release !== undefined && since !== undefined && (
        <>
          <b>{shortRelease(release, name)}</b> <small>first seen {shortTime(since)}</small>
        </>
      ),
  },
  {
    title: "Started",
    tip: "The newest start of a process that the payloads name, by its own clock, and their number",
    width: 9.5,
    className: "roomy",
    cell: ({ row: { starts } }) =>
      starts.length > 0 && (
        <span className="beside">
          <TimeAgo at={starts[0]!} />
          {starts.length > 1 && <small>{formatCount(starts.length, "start")}</small>}
        </span>
      ),
  },
  {
    title: "Slowest endpoint",
    tip: ENDPOINT_TIP,
    className: "extra slowest",
    cell: ({ facts }) => {
      const [slowest] = facts?.endpoints ?? [];
      return slowest && (
        <span className="beside">
          <span className="one-line">{slowest.name}</span>
          <span className="end">
            {durationOf(slowest)}
            <small className="roomy">n {formatNumber(slowest.requests.length)}</small>
          </span>
        </span>
      );
    },
  },
  {
    title: "Last seen",
    tip: "The newest envelope of the application",
    width: 6.5,
    className: "roomy",
    cell: ({ row }) => <TimeAgo at={row.last_seen} />,
  },
];

/** "10:12", "20 Nov 10:12". */
const shortTime = (at: number) =>
  formatDateAndTime(at, Date.now(), (at) => formatTimeOfDay(at).slice(0, 5));
