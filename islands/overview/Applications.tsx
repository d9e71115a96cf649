import { formatCount, formatNumber } from "../../components/format.ts";
import { formatDateAndTime, formatTimeOfDay } from "../../components/format_time.ts";
import { Marked } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import {
  type ApplicationRow,
  fullLabel,
  MAX_STARTS,
  nameOf,
  newestRelease,
  type Reports,
} from "../../monitoring/models/application_rows.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { MAX_LIST_ROWS } from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { Sparkline, SPARKLINE_TIP } from "../charts/Sparkline.tsx";
import { linkTo } from "../data/fragment.ts";
import type { ConsoleList } from "../data/lists.ts";
import { ApplicationTile } from "../kit/ApplicationLabel.tsx";
import { shortRelease } from "../kit/application_labels.ts";
import { type Column, Table } from "../kit/Table.tsx";
import { durationOf, ENDPOINT_TIP } from "../kit/endpoint_columns.tsx";
import { StateMark } from "./Highlight.tsx";
import { NotSent } from "./NotSent.tsx";
import { type Reason, SINCE_TIP, STATES, STATES_TIP } from "./reasons.ts";
import { Definition } from "../kit/Definition.tsx";

/** An application, and what is known of it in the chosen time. */
export interface KnownApplication {
  readonly row: ApplicationRow & Reports;
  /** What distinguishes it from all others. */
  readonly label: string;
  /** The chosen one, else that of its newest envelope: after a rollback not the one first seen last. */
  readonly release: string | undefined;
  /** Its open errors; undefined: not known. */
  readonly errors: ConsoleList<ErrorGroupRow> | undefined;
  /** Undefined: it has none among the first slowest of all. */
  readonly slowest: EndpointRow | undefined;
  /** Worst first. */
  readonly reasons: readonly Reason[];
}

/** Index of the state without a reason in {@linkcode STATES}. */
const SOUND = STATES.length - 1;

/** Index of an application's state in {@linkcode STATES}; the last one if it is not known. */
export const stateOf = ({ reasons: [worst] }: Pick<KnownApplication, "reasons">): number =>
  STATES.findIndex(({ kind }) => kind === (worst?.kind ?? "flows"));

/**
 * The applications that have sent something, one in each row. Those that fail come first.
 *
 * @param props.known undefined: not known yet
 * @param props.failed a list that they are made of, if it could not be read
 * @param props.others have links only, with their state as far as the open groups that are read show it
 */
export function Applications({ known, failed, others, reported, labels }: {
  known: readonly KnownApplication[] | undefined;
  failed: Pick<ConsoleList<unknown>, "error" | "retry"> | undefined;
  others: readonly { readonly row: ApplicationRow; readonly state: number }[];
  reported: Parameters<typeof NotSent>[0]["rows"];
  labels: ReadonlyMap<string, string>;
}) {
  const rows = known?.toSorted((a, b) =>
    // Equal states by key: the order of arrival changes all the time.
    stateOf(a) - stateOf(b) || (a.row.key < b.row.key ? -1 : 1)
  );
  const troubled = others.filter(({ state }) => state < SOUND).length;
  return (
    <div className="applications">
      <Panel
        id="applications"
        title="Applications"
        links={
          <small className="facts">
            {STATES.map(({ kind, short }) => <Marked key={kind} kind={kind}>{short}</Marked>)}
          </small>
        }
      >
        {failed && <ReadFailure message={failed.error} retry={failed.retry} />}
        <Table
          className="highlight"
          caption="Applications"
          columns={COLUMNS.filter(({ title }) =>
            !["Started", "Crash-free sessions"].includes(title) ||
            rows?.some((known) => title === "Started" ? known.row.starts[0] : sessionsOf(known))
          )}
          rows={rows ?? []}
          keyOf={({ row }) => row.key}
          hrefOf={({ row: { key: application }, errors, reasons: [worst] }) =>
            errors?.rows.length
              ? linkTo("errors", [], { application })
              : worst?.href ?? linkTo("traces", [], { application })}
        />
        <NotSent rows={reported} labels={labels} />
        {others.length > 0 && (
          <p className="facts small others">
            <span>
              <Definition text={OTHERS_TIP}>
                {formatCount(others.length, "other application")}
              </Definition>
              , not in the panel “Needs a look”
              {troubled > 0 && `: ${formatNumber(troubled)} of them fail or need a look`}
            </span>
            {others.map(({ row: { key: application }, state }) => (
              <a key={application} href={linkTo("overview", [], { application })}>
                {state < SOUND && <StateMark {...STATES[state]!} />}
                {labels.get(application)}
              </a>
            ))}
          </p>
        )}
      </Panel>
    </div>
  );
}

const OTHERS_TIP =
  "Rows and “Needs a look” have the first ones only: those that fail, then those that need a look," +
  ` by the ${MAX_LIST_ROWS} open groups with the newest errors; then those seen last. Choose one for its reasons`;

/** Those of the release that its row names. */
const sessionsOf = ({ row, release }: KnownApplication) =>
  row.sessions.find((counts) => counts.release === release);

const COLUMNS: readonly Column<KnownApplication>[] = [
  {
    title: "Application",
    cell: ({ row, label }, link) => (
      <span className="beside" title={fullLabel(row)}>
        <ApplicationTile name={nameOf(row)} />
        {link(<b className="one-line">{label}</b>)}
        {label === nameOf(row) && (
          <>
            {row.side !== "unknown" && <small className="roomy">{row.side}</small>}
            <small className="one-line roomiest">{row.environment}</small>
          </>
        )}
      </span>
    ),
  },
  {
    title: "State",
    tip: `${STATES_TIP}\nSince: the first of these. ${SINCE_TIP}`,
    width: 12,
    className: "state",
    cell: (known) => {
      if (known.errors === undefined) return undefined;
      const { kind, word } = STATES[stateOf(known)]!;
      const worst = known.reasons.filter((reason) => reason.kind === kind);
      const since = worst.map(({ since }) => since);
      return (
        <Marked
          kind={kind}
          title={worst.map(({ what, why }) => `${what}: ${why}`).join("\n") || undefined}
        >
          {word}
          {since.length > 0 && <small>{` since ${shortTime(Math.min(...since))}`}</small>}
        </Marked>
      );
    },
  },
  {
    title: "Open errors",
    tip: `By the filter, in the chosen time, else the last 30 days with data. ${SPARKLINE_TIP}`,
    width: 8.5,
    className: "failures",
    cell: ({ errors }) => {
      if (errors === undefined) return undefined;
      const { rows: [first, ...others], more } = errors;
      const rows = first ? [first, ...others] : [];
      const count = rows.reduce((sum, { count }) => sum + count, 0);
      return (
        <span className="beside ends">
          <span className={count === 0 ? "quiet" : undefined}>
            {more && "at least "}
            {formatNumber(count)}
            <span className="vh">{count === 1 ? " open error" : " open errors"}</span>
          </span>
          {/* Of more groups than are read it is not known when they happened. */}
          {first && !more && (
            <Sparkline
              row={{
                ...first,
                handled: rows.some(({ handled }) => handled === false) ? false : null,
                chart: first.chart.map((_, part) =>
                  rows.reduce((sum, { chart }) => sum + chart[part]!, 0)
                ),
              }}
            />
          )}
        </span>
      );
    },
  },
  {
    title: "Release",
    tip:
      "The chosen one, else that of the newest envelope; and when its first stored envelope was received",
    width: 10.5,
    className: "extra",
    cell: ({ row: { releases, releases_since }, release }) =>
      release !== undefined && (
        <>
          <b title={release}>{shortRelease(release)}</b>{" "}
          <small>first seen {shortTime(releases_since[releases.indexOf(release)]!)}</small>
        </>
      ),
  },
  {
    title: "Crash-free sessions",
    tip:
      "Sessions of the release that began in the chosen time and that the SDK does not report as crashed." +
      " A browser's is a page load, before version 11 of its SDK also a navigation; with an unhandled error" +
      " it is crashed, from version 11 on unhandled. A server's is mostly a request. Rounded down",
    width: 11.5,
    className: "roomy",
    cell: (known) => {
      const found = sessionsOf(known);
      if (found === undefined) return undefined;
      const { sessions, errored, unhandled, abnormal, crashed } = found;
      const free = sessions - crashed;
      return (
        <Definition
          text={`${crashed} crashed, ${abnormal} ended abnormally, ${unhandled} had unhandled errors,` +
            ` ${errored} had other errors`}
        >
          {sessions < MIN_SAMPLES ? free : `${Math.floor(1_000 * free / sessions) / 10}\u00a0%`}
          {" "}
          <small>
            of {formatNumber(sessions)}
            {unhandled > 0 && `, ${formatNumber(unhandled)} unhandled`}
          </small>
        </Definition>
      );
    },
  },
  {
    title: "Started",
    tip:
      "The newest start of a process that the payloads name, by its own clock, and their number," +
      ` at most ${MAX_STARTS}`,
    width: 9.5,
    className: "roomiest",
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
    className: "slowest",
    cell: ({ slowest, row, release }) => {
      if (slowest === undefined) return undefined;
      const newest = newestRelease(row);
      const isOther = slowest.before !== null && newest !== release;
      return (
        <span className="beside">
          <span className="one-line">{displayName(slowest)}</span>
          <span className="end">
            {durationOf(slowest)}
            <small className="roomy">
              {` n ${formatNumber(slowest.count)}${isOther ? ` of ${shortRelease(newest!)}` : ""}`}
            </small>
          </span>
        </span>
      );
    },
  },
  {
    title: "Last seen",
    tip: "The newest envelope of the application",
    width: 6,
    className: "roomy",
    cell: ({ row }) => <TimeAgo at={row.last_seen} />,
  },
];

/** "10:12", "20 Nov 10:12". */
const shortTime = (at: number) =>
  formatDateAndTime(at, Date.now(), (at) => formatTimeOfDay(at).slice(0, 5));
