import "../shared/background_code.ts";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import { formatFineDuration } from "../../components/format.ts";
import { Panel } from "../../components/Panel.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import {
  APPLICATIONS,
  OWN_SOURCE,
  type SourceRow,
  type TraceRow,
} from "../../monitoring/models/rows.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { fragmentTo, useIsVisible } from "../shared/fragment.ts";
import { InboxTokenForm } from "../shared/InboxTokenForm.tsx";
import { LiveStatus } from "../shared/LiveStatus.tsx";
import type { DataSource } from "../shared/source/source.ts";
import { nameOf } from "../shared/source_labels.ts";
import { useSourceList } from "../shared/source_list.ts";
import {
  type ConsoleList,
  useList,
  usePausedState,
  useSource,
  useSourceState,
} from "../shared/use_source.ts";
import { cutText } from "../shared/text.ts";
import { ConnectGuide } from "./ConnectGuide.tsx";
import { INBOX_STATES } from "./inbox_states.ts";
import { useArrival } from "./use_arrival.ts";

/** Rows of each list; the views have the others. */
const ROWS = 5;
const HOUR_MS = 3_600_000;
/** Characters of a message: more than a line. */
const MAX_TEXT = 200;
/** Releases with a link to their errors. */
const MAX_RELEASES = 3;

/**
 * The newest errors and the slowest traces in the inbox, live; before anything has arrived the guide to connect an
 * application; or the form for the token. Inbox mode only.
 */
export default withBoundary("The overview", InboxOverview);

function InboxOverview() {
  const source = useSource("inbox");
  const { arrival } = useArrival(source, "overview");
  const { state } = useSourceState(source);
  const isForbidden = state === "forbidden";
  const paused = usePausedState();
  const container = useRef<HTMLDivElement>(null);
  const wasForbidden = useRef(false);
  useEffect(() => {
    // The token form, which had the focus, was removed.
    if (wasForbidden.current && document.activeElement === document.body) {
      container.current?.focus();
    }
    wasForbidden.current = isForbidden;
  }, [isForbidden]);

  if (source && isForbidden) {
    return (
      <Panel id="locked" title="Inbox" isUnrecorded>
        <InboxTokenForm source={source} />
      </Panel>
    );
  }
  if (arrival === null) {
    return (
      <section className="first-run" aria-labelledby="first-run">
        <h2 id="first-run">Point any Sentry SDK here</h2>
        <p>
          Nothing has arrived yet. Copy one line into the application that you are developing: its
          errors, traces, logs and recordings appear here. No account, and nothing leaves this
          machine.
        </p>
        <ConnectGuide />
      </section>
    );
  }
  return (
    <div className="highlights" ref={container} tabIndex={-1}>
      {paused && (
        <div className="bar">
          <LiveStatus source={source} />
        </div>
      )}
      <NewestErrors source={source} />
      <SlowestTraces source={source} />
    </div>
  );
}

function NewestErrors({ source }: { source: DataSource | undefined }) {
  const list = useList(source, "errors", { source: APPLICATIONS, limit: ROWS }, {
    view: "overview",
  });
  const sources = useSourceList(source)?.rows;
  const releases = new Set(
    sources?.filter(({ key }) => key !== OWN_SOURCE.key).flatMap(({ releases }) => releases),
  );
  const since = "10m";
  return (
    <Panel
      id="newest-errors"
      title="Newest errors"
      isUnrecorded
      links={
        <>
          <a href={fragmentTo("errors", [], { since })}>Last 10 minutes</a>
          <a href={fragmentTo("errors")}>All errors</a>
        </>
      }
    >
      <HighlightList source={source} list={list} what="errors">
        {list.rows.map(({ group, type, value, source, count, last_seen }) => (
          <li key={group}>
            <a href={fragmentTo("errors", [group])}>
              <b>{type}</b> {cutText(value, MAX_TEXT)}
            </a>
            <span className="quiet">{namesOf([source], sources)}</span>
            <span className="n">{count.toLocaleString("en")}×</span>
            <TimeAgo at={last_seen} />
          </li>
        ))}
      </HighlightList>
      {releases.size > 0 && (
        <p className="releases">
          <span>Last 10 minutes of</span>
          {[...releases].slice(0, MAX_RELEASES).map((release) => (
            <a key={release} href={fragmentTo("errors", [], { since, release })}>{release}</a>
          ))}
        </p>
      )}
    </Panel>
  );
}

/** The names of a row's sources. */
const namesOf = (keys: readonly string[], sources: readonly SourceRow[] | undefined) =>
  [...new Set(sources?.filter(({ key }) => keys.includes(key)).map(nameOf))].join(" + ");

function SlowestTraces({ source }: { source: DataSource | undefined }) {
  const [expired, setExpired] = useState(0);
  const since = useLastHour(expired);
  const list = useList(source, "traces", {
    source: APPLICATIONS,
    sort: "slowest",
    since,
    limit: ROWS,
  }, { view: "overview" });
  const oldest = Math.min(...list.rows.map(({ started_at }) => started_at));
  useEffect(() => {
    if (oldest === Infinity) return;
    // A sender's clock may be wrong: at most one request a minute.
    const ms = Math.max(60_000, oldest + HOUR_MS - Date.now());
    const timer = setTimeout(() => setExpired((count) => count + 1), ms);
    return () => clearTimeout(timer);
  }, [oldest, expired]);
  const sources = useSourceList(source)?.rows;
  const query = { since: "1h", sort: "slowest" };
  return (
    <Panel
      id="slowest-traces"
      title="Slowest traces of the last hour"
      isUnrecorded
      links={
        <>
          <a href={fragmentTo("traces", [], { ...query, q: "pageload" })}>Page loads</a>
          <a href={fragmentTo("traces", [], query)}>All traces</a>
        </>
      }
    >
      <HighlightList source={source} list={list} what="traces">
        {list.rows.map((row) => (
          <li key={row.trace_id}>
            <a href={fragmentTo("traces", [row.trace_id])}>{displayName(row)}</a>
            <span className="quiet">{namesOf(row.sources, sources)}</span>
            <span className="n">{durationOf(row)}</span>
            <TimeAgo at={row.started_at} />
          </li>
        ))}
      </HighlightList>
    </Panel>
  );
}

function durationOf({ started_at, ended_at }: TraceRow): string {
  return ended_at === null ? "–" : formatFineDuration(Math.max(0, ended_at - started_at));
}

/**
 * The start of the last hour, milliseconds since 1970 as text. The same until a trace expires or the view is shown
 * again: an idle page requests nothing, and a busy one waits for its answers.
 *
 * @param expired counts the traces that have become older than an hour: another number is another start
 */
function useLastHour(expired: number): string {
  const isVisible = useIsVisible("overview");
  return useMemo(() => String(Date.now() - HOUR_MS), [isVisible, expired]);
}

/** Rows in columns, or why there are none and what to do. */
function HighlightList({ source, list, what, children }: {
  source: DataSource | undefined;
  list: ConsoleList<unknown>;
  what: "errors" | "traces";
  children: ReactNode;
}) {
  const { state } = useSourceState(source);
  if (list.state === "failed") {
    // Repeated: an inbox that does not answer is reported above, too.
    return <ReadFailure message={list.error} retry={list.retry} isRepeated />;
  }
  if (list.rows.length > 0) return <ol>{children}</ol>;
  const isEmpty = list.state === "ready" && state === "live";
  return <p className="empty">{isEmpty ? EMPTY[what] : INBOX_STATES[state]}</p>;
}

const EMPTY = {
  errors: "No errors received.",
  traces: "No traces in the last hour. Use your application to see them.",
} as const;
