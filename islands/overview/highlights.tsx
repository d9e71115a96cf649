import type { ReactNode } from "react";
import { formatFineDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { SourceRow } from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { rateVital, VITALS } from "../../monitoring/models/trace/web_vitals.ts";
import { Sparkline } from "../charts/Sparkline.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { nameOf } from "../shared/source_labels.ts";
import { cutText } from "../shared/text.ts";
import { ApplicationTile } from "../shared/ApplicationTile.tsx";
import { INBOX_STATES } from "./inbox_states.ts";
import { type ConsoleList, useList, useSourceList } from "../data/lists.ts";
import { useSourceState } from "../data/queries.ts";

/** Rows of each list; the views have the others. */
const ROWS = 6;
/** Characters of a message: more than a line. */
const MAX_TEXT = 200;

interface HighlightProps {
  /** The filter of all views. */
  readonly source: string | undefined;
  /** Milliseconds since 1970 as text. */
  readonly since: string;
  /** The same as an age, for links: "1h". */
  readonly age: string;
}

const inOverview = { view: "overview" } as const;

/** The groups of errors that were seen last. */
export function NewestErrors({ source, since, age }: HighlightProps) {
  const query = { source, since };
  const list = useList("errors", { ...query, limit: ROWS }, inOverview);
  return (
    <Panel
      id="newest-errors"
      title="Newest errors"
      isUnrecorded
      links={<a href={fragmentTo("errors", [], { since: age })}>All errors</a>}
    >
      <Highlights list={list} empty="No errors in this time.">
        {list.rows.map((row) => (
          <li key={row.group}>
            <a href={fragmentTo("errors", [row.group])}>
              <b>{row.type}</b> {cutText(row.value, MAX_TEXT)}
            </a>
            <SentBy keys={[row.source]} />
            <Sparkline row={row} />
            <span className="n">{row.count.toLocaleString("en")}×</span>
            <TimeAgo at={row.last_seen} />
          </li>
        ))}
      </Highlights>
    </Panel>
  );
}

/** The traces that took longest. */
export function SlowestTraces({ source, since, age }: HighlightProps) {
  const query = { source, since, sort: "slowest" } as const;
  const list = useList("traces", { ...query, limit: ROWS }, inOverview);
  const longest = Math.max(1, ...list.rows.map(durationOf));
  return (
    <Panel
      id="slowest-traces"
      title="Slowest traces"
      isUnrecorded
      links={<a href={fragmentTo("traces", [], { since: age, sort: "slowest" })}>All traces</a>}
    >
      <Highlights list={list} empty="No traces in this time.">
        {list.rows.map((row) => (
          <li key={row.trace_id}>
            <a href={fragmentTo("traces", [row.trace_id])}>{displayName(row)}</a>
            <SentBy keys={row.sources} />
            <i
              className={row.failed || row.errors > 0 ? "level-bar failed" : "level-bar"}
              aria-hidden="true"
            >
              <i style={{ width: `${durationOf(row) / longest * 100}%` }} />
            </i>
            <span className="n">
              {row.ended_at === null ? "–" : formatFineDuration(durationOf(row))}
            </span>
            <TimeAgo at={row.started_at} />
          </li>
        ))}
      </Highlights>
    </Panel>
  );
}

function durationOf(row: { started_at: number; ended_at: number | null }): number {
  return Math.max(0, (row.ended_at ?? row.started_at) - row.started_at);
}

const SHOWN_VITALS = ["lcp", "inp", "cls"] as const;
const RATING_MARKS = { good: "flows", "needs improvement": "waits", poor: "refused" } as const;

/** The web vitals of the pages with the most loads. */
export function VitalsByPage({ source, since, age }: HighlightProps) {
  const query = { source, since };
  const list = useList("pages", query, inOverview);
  return (
    <Panel
      id="vitals-by-page"
      title="Web vitals by page"
      isUnrecorded
      links={<a href={fragmentTo("traces", ["vitals"], { since: age })}>All pages</a>}
    >
      <Highlights list={list} empty="No page loads in this time.">
        {list.rows.slice(0, ROWS).map((row) => (
          <li key={`${row.source} ${row.page}`}>
            <a
              href={fragmentTo("traces", [], {
                page: row.page,
                source: row.source,
                sort: "slowest",
              })}
            >
              {row.page}
            </a>
            {SHOWN_VITALS.map((name) => {
              const value = row[name];
              if (value === null) return <span key={name} className="vital quiet">–</span>;
              const rating = rateVital({ name, value, at_ms: null });
              return (
                <span key={name} className="vital" title={`${VITALS[name].title}: ${rating}`}>
                  <OutcomeMark kind={RATING_MARKS[rating]} />
                  <small>{name.toUpperCase()}</small>{" "}
                  {name === "cls" ? value.toFixed(2) : formatFineDuration(value)}
                </span>
              );
            })}
            <span className="n quiet">
              {row.loads > 0 && `${row.loads.toLocaleString("en")}×`}
            </span>
          </li>
        ))}
      </Highlights>
    </Panel>
  );
}

/** The newest envelopes of the applications. */
export function JustArrived({ source }: Pick<HighlightProps, "source">) {
  const query = { source, limit: ROWS };
  const list = useList("envelopes", query, inOverview);
  return (
    <Panel
      id="just-arrived"
      title="Just arrived"
      isUnrecorded
      links={<a href={fragmentTo("envelopes")}>Envelopes</a>}
    >
      <Highlights list={list} empty="Nothing has arrived.">
        {list.rows.map(({ id, items, summary, source: sender, received_at }) => (
          <li key={id}>
            <a href={fragmentTo("envelopes", [String(id)])}>
              {[...new Set(items.map(({ type }) => type))].join(", ")}
              {summary?.title && ` · ${cutText(summary.title, MAX_TEXT)}`}
            </a>
            <SentBy keys={sender === null ? [] : [sender]} />
            <TimeAgo at={received_at} />
          </li>
        ))}
      </Highlights>
    </Panel>
  );
}

/** Tile and name of the first application, and how many others there are. */
function SentBy({ keys }: {
  keys: readonly string[];
}) {
  const sources = useSourceList()?.rows;
  const names = namesOf(keys, sources);
  const [first] = names;
  return (
    <span className="sent-by" title={names.join(" + ")}>
      {first !== undefined && (
        <>
          <ApplicationTile name={first} />
          {first}
          {names.length > 1 && <small>+{names.length - 1}</small>}
        </>
      )}
    </span>
  );
}

const namesOf = (keys: readonly string[], sources: readonly SourceRow[] | undefined) => [
  ...new Set(keys.flatMap((key) => {
    const source = sources?.find((row) => row.key === key);
    return source ? [nameOf(source)] : [];
  })),
];

/** Rows in columns, or why there are none. */
function Highlights({ list, empty, children }: {
  list: ConsoleList<unknown>;
  empty: string;
  children: ReactNode;
}) {
  const { state } = useSourceState();
  if (list.state === "failed") {
    // Repeated: an inbox that does not answer is reported above, too.
    return <ReadFailure message={list.error} retry={list.retry} isRepeated />;
  }
  if (list.rows.length > 0) return <ol>{children}</ol>;
  const isEmpty = list.state === "ready" && state === "live";
  return <p className="empty">{isEmpty ? empty : INBOX_STATES[state]}</p>;
}
