import "../view_code.ts";
import { useState } from "react";
import { formatCount } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import {
  type Finding,
  MaskingReport,
  MIN_WANTED,
} from "../../monitoring/models/recording/masking_report/masking_report.ts";
import {
  MAX_SEARCHED,
  PERSONAL_KINDS,
} from "../../monitoring/models/recording/masking_report/personal_data.ts";
import type { RecordedEvent, Recording } from "../../monitoring/models/recording/recording.ts";
import { linkTo, momentHref } from "../data/fragment.ts";
import { useRead } from "../data/use_read.ts";
import { inbox } from "../data/inbox.ts";
import { inParallel, inShortTasks, listEnvelopes, MAX_BYTES } from "../player/segments.ts";

/** Where the report's links lead. */
interface Linked {
  readonly replayId: string;
  /** Undefined: it cannot be played. */
  readonly recording: Pick<Recording, "from" | "to"> | undefined;
}

const NONE: readonly string[] = [];

/** The texts of a session that look like personal data, and a search for texts that must not appear. */
export default function MaskingReportView({ events, ...linked }: Linked & {
  events: readonly RecordedEvent[];
}) {
  const [wanted, setWanted] = useState(NONE);
  const { made, error, retry } = useMaskingReport(linked.replayId, events, wanted);
  if (error !== undefined) return <ReadFailure message={error} retry={retry} />;
  if (made === undefined) return <p role="status">Reading what the session has sent.</p>;
  const { report, session } = made;
  const limits = omissions(made);
  const where = limits.length > 0 ? " in what was read" : "";
  const personal = report.findings.filter(({ what }) => what !== undefined);
  return (
    <>
      <p role="status">
        {`Read ${formatCount(events.length, "recorded event")} and ${
          formatCount(session.envelopes.length, "envelope")
        } of this session.`}
      </p>
      {limits.map((sentence) => <p key={sentence} className="waits">{sentence}</p>)}
      <section className="pad" aria-labelledby="personal-data">
        <h5 id="personal-data">Looks like personal data, not masked</h5>
        {personal.length > 0
          ? <FindingList findings={personal} {...linked} />
          : (
            <p className="empty">
              Nothing{where} that looks like one of these: {PERSONAL_KINDS.join(", ")}.
            </p>
          )}
      </section>
      <section className="pad" aria-labelledby="must-not-appear">
        <h5 id="must-not-appear">Texts that must not appear</h5>
        <SearchForm search={setWanted} />
        <div role="status">
          {report.wanted.map((text) => {
            const found = report.findings.filter(({ what, value }) =>
              what === undefined && value === text
            );
            return (
              <div key={text}>
                <p className={found.length > 0 ? "refused" : undefined}>
                  “{text}”: {resultText(text, found.length, where)}
                </p>
                <FindingList findings={found} {...linked} />
              </div>
            );
          })}
        </div>
      </section>
    </>
  );
}

/** What the report does not cover, in sentences. */
function omissions(
  { report: { omitted, cut, unread }, session }: NonNullable<
    ReturnType<typeof useMaskingReport>["made"]
  >,
): string[] {
  return [
    omitted > 0 && `${formatCount(omitted, "more finding")} not listed.`,
    session.omitted > 0 &&
    `${formatCount(session.omitted, "envelope")} of this session not read: too large, or deleted.`,
    session.hasMore && "This session has more traces; their envelopes were not read.",
    unread > 0 && `${formatCount(unread, "item")} not JSON: at most their plain text was read.`,
    cut > 0 && `${formatCount(cut, "text")} of more than ${MAX_SEARCHED / 1000},000 characters: ` +
      "only the beginning was searched for personal data.",
  ].filter((sentence) => typeof sentence === "string");
}

function resultText(text: string, count: number, where: string): string {
  if (text.length < MIN_WANTED) return `not searched, needs at least ${MIN_WANTED} characters`;
  return count > 0 ? `found in ${formatCount(count, "place")}` : `not found${where}`;
}

function SearchForm({ search }: { search: (wanted: readonly string[]) => void }) {
  const [typed, setTyped] = useState("");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const lines = typed.split("\n").map((line) => line.trim());
        search([...new Set(lines.filter(Boolean))]);
      }}
    >
      <label>
        Search for text that must not appear, such as what you have just typed into a form; one in
        each line
        <textarea
          rows={3}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      </label>
      <button type="submit">Search</button>{" "}
      <small className="quiet">
        In the recording, breadcrumbs, spans, logs and events. Searched in this browser: nothing is
        sent or stored. Texts that are hashed, in Base64, or in several elements are not found.
      </small>
    </form>
  );
}

function FindingList({ findings, replayId, recording }: Linked & { findings: readonly Finding[] }) {
  return (
    <ul>
      {findings.map(({ what, value, excerpt, at, envelope, place }, index) => (
        <li key={index} className="entry">
          <p>
            {what && <strong>{what}</strong>} <mark>{what ? value : excerpt}</mark>{" "}
            {at !== null && recording && recording.from <= at && at <= recording.to && (
              <a href={momentHref(replayId, at)}>Play at {formatClock(at - recording.from)}</a>
            )} {envelope !== null && <a href={linkTo("envelopes", [`${envelope}`])}>envelope</a>}
          </p>
          <code>{place}</code>
        </li>
      ))}
    </ul>
  );
}

/** Traces of one session whose envelopes are read: a page of the list. */
const MAX_TRACES = 200;

/** What a session has sent beside its recording. */
interface Session {
  readonly envelopes: readonly { readonly id: number; readonly bytes: Uint8Array }[];
  /** Envelopes that were not read: too many, too large, or evicted. */
  readonly omitted: number;
  /** Whether the session has more traces than were read. */
  readonly hasMore: boolean;
}

/**
 * Makes the masking report of a recording and of the envelopes of its session: those with its segments, and those of the
 * traces that name it. Reads the envelopes once, and makes the report again when other texts are searched for.
 *
 * @param events of the recording; another list reads the envelopes again
 * @returns the last report, also while the next one is made
 */
function useMaskingReport(
  replayId: string,
  events: readonly RecordedEvent[],
  wanted: readonly string[],
) {
  const session = useRead(["session", replayId, events.length], () => readSession(replayId));
  const { value } = session;
  const made = useRead(
    ["masking report", replayId, events.length, session.version, wanted],
    value && (async (outdated) => {
      const report = new MaskingReport(wanted);
      await inShortTasks(events, (event) => report.addEvent(event), outdated);
      const addEnvelope = ({ id, bytes }: Session["envelopes"][number]) =>
        report.addEnvelope(id, bytes);
      await inShortTasks(value.envelopes, addEnvelope, outdated);
      return { report, session: value };
    }),
    0,
  );
  return { made: made.value, error: session.error ?? made.error, retry: session.retry };
}

async function readSession(replayId: string): Promise<Session> {
  const [segments, traces] = await Promise.all([
    listEnvelopes({ replay: replayId }),
    inbox.read("traces", { replay: replayId, limit: MAX_TRACES }),
  ]);
  const traceIds = new Set([
    ...traces.rows.map(({ trace_id }) => trace_id),
    ...segments.flatMap(({ trace_ids }) => trace_ids),
  ]);
  const ofTraces = await inParallel(
    [...traceIds].slice(0, MAX_TRACES),
    (trace) => listEnvelopes({ trace }),
  );
  const listed = [...segments, ...ofTraces.flat()];
  const rows = new Map(listed.map((row) => [row.id, row]));
  let bytes = 0;
  const read = [...rows.values()].filter((row) => (bytes += row.bytes) <= MAX_BYTES);
  const found = await inParallel(
    read,
    async ({ id }) => ({ id, bytes: await inbox.bytes(id) }),
  );
  const envelopes = found.flatMap(({ id, bytes }) => bytes ? [{ id, bytes }] : []);
  const omitted = rows.size - envelopes.length;
  return { envelopes, omitted, hasMore: traces.next !== null || traceIds.size > MAX_TRACES };
}
