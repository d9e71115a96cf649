import type { ReactNode } from "react";
import { Icon, type IconName, Mark } from "../../components/Icon.tsx";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import { TimeAgo } from "../../components/Timestamp.tsx";
import { nameOf, OWN_APPLICATION } from "../../monitoring/models/application_rows.ts";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { useApplications, useList } from "../data/lists.ts";
import { useInboxState } from "../data/inbox_state.ts";
import { topicOf } from "../kit/envelope_topic.ts";
import { fragmentTo } from "../data/fragment.ts";
import { SettledText } from "../kit/SettledText.tsx";
import { ellipsize } from "../../components/format.ts";

/** Characters of a signal's text: about two lines. */
const MAX_TEXT = 80;

const NEWEST = { application: APPLICATIONS, limit: 1 } as const;
/** An SDK sends what belongs to an error in envelopes of their own: its session, trace, logs and recording. */
const BURST = { application: APPLICATIONS, limit: 10 } as const;
const BURST_MS = 10_000;
/** What is named of a burst, the most telling first. */
const TELLING: readonly IconName[] = ["errors", "traces", "logs", "recordings"];

/**
 * The newest envelope of another application, of several that arrived together the most telling one.
 *
 * @returns `newest`: undefined while it is not known; null: there is none
 */
export function useNewestEnvelope() {
  const { rows, state, error, retry } = useList("envelopes", BURST);
  const burst = rows.filter(({ received_at }) => received_at > rows[0]!.received_at - BURST_MS);
  const [row] = burst.toSorted((a, b) => rankOf(a) - rankOf(b));
  const isOther = row !== undefined && row.application !== OWN_APPLICATION.key;
  // With no other application, the list has the envelopes of this page.
  const newest: InboxRow | null | undefined = isOther ? row : state === "ready" ? null : undefined;
  return { newest, error: state === "failed" ? error : undefined, retry };
}

function rankOf(row: InboxRow): number {
  const rank = TELLING.indexOf(topicOf(row).icon);
  return rank < 0 ? TELLING.length : rank;
}

/** Whether an application has sent anything yet, and its newest signal of each kind. */
export function Arrivals() {
  const { state } = useInboxState();
  const { newest, error, retry } = useNewestEnvelope();
  const sender = useApplications()?.rows.find(({ key }) => key === newest?.application);
  if (newest === undefined && error !== undefined) {
    return <ReadFailure message={error} retry={retry} />;
  }
  const name = sender ? nameOf(sender) : "an application";
  const topic = newest && ellipsize(topicOf(newest).text, MAX_TEXT);
  return (
    <section className="arrivals grid well" aria-label="Arrivals">
      <div className={newest ? undefined : "empty-glass"}>
        <Mark />
      </div>
      {newest
        ? (
          <>
            <p>
              <b className="flows">Received</b> <b>{topic}</b> from {name},{" "}
              <TimeAgo at={newest.received_at} />
            </p>
            <SettledText text={`Received ${topic} from ${name}.`} />
            <Signals />
          </>
        )
        : (
          <p role="status">
            {state === "offline"
              ? "The inbox does not respond. Retrying."
              : state === "forbidden"
              ? "This browser may not read the inbox."
              : newest === null && "No application has sent anything yet."}
          </p>
        )}
    </section>
  );
}

/** The newest signal of each kind, with a link to it. All texts are untrusted. */
function Signals() {
  const { rows: [error], ...errors } = useList("errors", NEWEST);
  const { rows: [trace], ...traces } = useList("traces", NEWEST);
  const { rows: [log], ...logs } = useList("logs", NEWEST);
  const { rows: [recording], ...recordings } = useList("recordings", NEWEST);
  const isRead = [errors, traces, logs, recordings].every(({ state }) => state === "ready");
  const signals: readonly (readonly [title: string, IconName, link: ReactNode])[] = [
    ["Error", "errors", error && link(`${error.type} ${error.value}`, "errors", error.group)],
    ["Trace", "traces", trace && link(displayName(trace), "traces", trace.trace_id)],
    ["Log", "logs", log && link(log.body, "logs")],
    [
      "Recording",
      "recordings",
      recording && link(recording.page ?? "of an unnamed page", "recordings", recording.replay_id),
    ],
  ];
  return (
    <ul className="card ruled">
      {signals.map(([title, icon, link]) => (
        <li key={title} className={link ? "flows" : "quiet"}>
          <Icon name={icon} />
          <b>{title}</b>
          {link ?? (isRead && (icon === "recordings" ? "none yet; browsers only" : "none yet"))}
        </li>
      ))}
    </ul>
  );
}

const link = (text: string, view: string, ...path: readonly string[]) => (
  <a href={fragmentTo(view, path)}>{ellipsize(text, MAX_TEXT)}</a>
);
