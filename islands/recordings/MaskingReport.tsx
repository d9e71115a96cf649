import "../shared/view_code.ts";
import { useState } from "react";
import { formatCount, formatNumber } from "../../components/format.ts";
import { formatClock } from "../../components/format_time.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import {
  type Finding,
  type MaskingReport as Report,
  MIN_WANTED,
  readWanted,
} from "../../monitoring/models/recording/masking_report/masking_report.ts";
import {
  MAX_SEARCHED,
  PERSONAL_KINDS,
} from "../../monitoring/models/recording/masking_report/personal_data.ts";
import type { TextKind } from "../../monitoring/models/recording/masking_report/sent_text.ts";
import type { RecordedEvent } from "../../monitoring/models/recording/recording.ts";
import { fragmentTo } from "../shared/fragment.ts";
import { momentHref } from "../shared/recording_links.ts";
import { useMaskingReport } from "./use_masking_report.ts";

/** Where the report's links lead. */
interface Linked {
  readonly replayId: string;
  /** Start of the recording, milliseconds since 1970. */
  readonly from: number;
}

const NONE: readonly string[] = [];

/** Kinds of texts that people see in the recorded page. */
const PAGE_KINDS = ["text", "input", "attribute", "media", "address"] as const;

const KIND_NAMES: Readonly<Record<TextKind, string>> = {
  text: "Text",
  input: "Input",
  attribute: "Attribute",
  media: "Media",
  address: "Address",
  style: "Style",
  other: "Other part of the page",
  breadcrumb: "Breadcrumb",
  span: "Span",
  log: "Log",
  event: "Event",
};

/**
 * The texts that a visit has sent, those of them that look like personal data, and a search for texts that must not
 * appear.
 *
 * @param props.events all events of the recording
 * @param props.from start of the recording, milliseconds since 1970
 */
export default function MaskingReport({ events, ...linked }: Linked & {
  events: readonly RecordedEvent[];
}) {
  const [wanted, setWanted] = useState(NONE);
  const { made, error, retry } = useMaskingReport(linked.replayId, events, wanted);
  if (error !== undefined) return <ReadFailure message={error} retry={retry} />;
  if (made === undefined) return <p role="status">Reading what the visit has sent.</p>;
  const { report, visit } = made;
  const findings = report.findings();
  return (
    <>
      <p role="status">
        {`Read ${formatCount(events.length, "recorded event")} and ${
          formatCount(visit.envelopes.length, "envelope")
        } of this visit. ${settingsText(report)}`}
      </p>
      {omissions(made).map((sentence) => <p key={sentence} className="waits">{sentence}</p>)}
      <section className="pad" aria-labelledby="personal-data">
        <h5 id="personal-data">Looks like personal data, not masked</h5>
        <FindingList
          findings={findings.filter(({ what }) => what !== undefined)}
          empty={`Nothing that looks like one of these: ${PERSONAL_KINDS.join(", ")}.`}
          {...linked}
        />
      </section>
      <WantedSearch wanted={report.wanted} findings={findings} search={setWanted} {...linked} />
      <Contents readable={report.readable} {...linked} />
    </>
  );
}

/** The recorder's masking settings, as a sentence; empty if they are not known. */
function settingsText({ settings }: Report): string {
  const known = Object.entries(settings).filter(([, value]) => value !== undefined);
  if (known.length === 0) return "";
  return `Recorded with ${known.map(([name, value]) => `${name}: ${value}`).join(", ")}.`;
}

/** What the report does not cover, in sentences. */
function omissions(
  { report: { omitted, cut, unread }, visit }: NonNullable<
    ReturnType<typeof useMaskingReport>["made"]
  >,
): string[] {
  return [
    omitted > 0 && `${formatCount(omitted, "more finding")} not listed.`,
    visit.omitted > 0 &&
    `${formatCount(visit.omitted, "envelope")} of this visit not read: too large, or deleted.`,
    visit.hasMore && "This visit has more traces; their envelopes were not read.",
    unread > 0 && `${formatCount(unread, "item")} not read: not JSON.`,
    cut > 0 && `${formatCount(cut, "text")} of more than ${MAX_SEARCHED / 1000},000 characters: ` +
      "only the beginning was searched for personal data.",
  ].filter((sentence) => typeof sentence === "string");
}

/** Searches for texts that the user types, here in the browser. */
function WantedSearch({ wanted, findings, search, ...linked }: Linked & {
  wanted: readonly string[];
  findings: readonly Finding[];
  search: (wanted: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState("");
  const [tooShort, setTooShort] = useState(0);
  return (
    <section className="pad" aria-labelledby="must-not-appear">
      <h5 id="must-not-appear">Texts that must not appear</h5>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { texts, tooShort } = readWanted(typed);
          setTooShort(tooShort);
          search(texts);
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
          In the recording, breadcrumbs, spans, logs and events. Searched in this browser: nothing
          is sent or stored. Hashed and Base64 texts are not found.
        </small>
      </form>
      {tooShort > 0 && (
        <p className="waits">
          {formatCount(tooShort, "text")} not searched: at least {MIN_WANTED} characters are needed.
        </p>
      )}
      <div role="status">
        {wanted.map((text) => {
          const found = findings.filter(({ what, value }) => what === undefined && value === text);
          return (
            <div key={text}>
              <p className={found.length > 0 ? "refused" : undefined}>
                “{text}”:{" "}
                {found.length > 0 ? `found in ${formatCount(found.length, "place")}` : "not found"}
              </p>
              <FindingList findings={found} {...linked} />
            </div>
          );
        })}
      </div>
    </section>
  );
}

function FindingList({ findings, empty, replayId, from }: Linked & {
  findings: readonly Finding[];
  empty?: string;
}) {
  if (findings.length === 0) return empty && <p className="empty">{empty}</p>;
  return (
    <ul>
      {findings.map((finding, index) => {
        const { what, value, excerpt, at, envelope, place, setting } = finding;
        return (
          <li key={index} className="entry">
            <p>
              {what && <strong>{what}</strong>} <mark>{what ? value : excerpt}</mark>{" "}
              <PlayAt replayId={replayId} from={from} at={at} />{" "}
              {envelope !== null && (
                <a href={fragmentTo("envelopes", [String(envelope)])}>envelope</a>
              )}
            </p>
            <p>
              {placeText(finding)} <code>{place}</code>
            </p>
            <p>
              To mask it: <code>{setting}</code>
            </p>
          </li>
        );
      })}
    </ul>
  );
}

/** Kind of place of a finding: "Attribute title", "Breadcrumb of the recording", "Log", "Item feedback". */
function placeText({ kind, item, name }: Finding): string {
  const isRecorded = item === "replay_recording";
  if (kind === "breadcrumb" || kind === "span") {
    return `${KIND_NAMES[kind]} of ${isRecorded ? "the recording" : `item ${item}`}`;
  }
  if (isRecorded && ["attribute", "media", "address"].includes(kind)) {
    return `${KIND_NAMES[kind]} ${name}`.trim();
  }
  return kind === "event" && item !== "event" ? `Item ${item}` : KIND_NAMES[kind];
}

/** The readable texts of each kind that people see: how many, and the first ones. */
function Contents({ readable, ...linked }: Linked & Pick<Report, "readable">) {
  return (
    <section className="pad" aria-labelledby="recorded-words">
      <h5 id="recorded-words">What was recorded in words</h5>
      {PAGE_KINDS.map((kind) => {
        const { count = 0, samples = [] } = readable.get(kind) ?? {};
        return (
          <details key={kind}>
            <summary>{KIND_NAMES[kind]}: {formatNumber(count)} readable</summary>
            <ul>
              {samples.map(({ excerpt, place, at }) => (
                <li key={excerpt} className="entry">
                  {excerpt} <PlayAt {...linked} at={at} /> <code>{place}</code>
                </li>
              ))}
            </ul>
          </details>
        );
      })}
    </section>
  );
}

function PlayAt({ replayId, from, at }: Linked & Pick<Finding, "at">) {
  return at === null ? null : <a href={momentHref(replayId, at)}>{formatClock(at - from)}</a>;
}
