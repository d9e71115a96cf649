import "../shared/view_code.ts";
import { type ReactNode, useState } from "react";
import { formatCount } from "../../components/format.ts";
import { ReadFailure } from "../../components/ReadFailure.tsx";
import type {
  Finding,
  KindCount,
  PersonalFinding,
} from "../../monitoring/models/recording/masking_report/masking_report.ts";
import { PERSONAL_KINDS } from "../../monitoring/models/recording/masking_report/personal_data.ts";
import {
  MIN_WANTED,
  readWanted,
} from "../../monitoring/models/recording/masking_report/wanted_texts.ts";
import type { RecordedEvent } from "../../monitoring/models/recording/recording.ts";
import { CopyButton } from "../shared/CopyButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { momentHref } from "../shared/use_recording_href.ts";
import {
  countText,
  KIND_TITLES,
  omissions,
  PAGE_KINDS,
  placeText,
  reportAsText,
  settingsText,
} from "./report_as_text.ts";
import { formatClock } from "../../components/format_time.ts";
import { type MaskingReading, useMaskingReport } from "./use_masking_report.ts";

/** Where the report's links lead. */
interface Linked {
  readonly replayId: string;
  /** Start of the recording, milliseconds since 1970. */
  readonly from: number;
}

const NONE: readonly string[] = [];

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
  const { state, report, error, retry } = useMaskingReport(
    linked.replayId,
    events,
    wanted,
  );
  return (
    <>
      {error !== undefined && <ReadFailure message={error} retry={retry} />}
      <p role="status">
        {state === "reading" ? "Reading what the visit has sent." : report &&
          `Read ${formatCount(report.events, "recorded event")} and ${
            formatCount(report.envelopes, "envelope")
          } of this visit. ${settingsText(report.settings)}`}
      </p>
      {report && (
        <>
          {omissions(report).map((sentence) => <p key={sentence} className="waits">{sentence}</p>)}
          <p className="line">
            <CopyButton text={() => reportAsText(report, linked)}>Copy as text</CopyButton>
            <button type="button" onClick={retry}>Read again</button>
          </p>
          <PersonalData findings={report.personal} {...linked} />
          <WantedSearch report={report} search={setWanted} {...linked} />
          <Contents counts={report.counts} {...linked} />
        </>
      )}
    </>
  );
}

function PersonalData({ findings, ...linked }: Linked & {
  findings: readonly PersonalFinding[];
}) {
  return (
    <section aria-labelledby="personal-data">
      <h5 id="personal-data">Looks like personal data, not masked</h5>
      {findings.length === 0
        ? (
          <p className="empty">
            Nothing that looks like one of these: {PERSONAL_KINDS.join(", ")}.
          </p>
        )
        : (
          <FindingList
            {...linked}
            findings={findings}
            title={({ what, value }) => (
              <>
                <strong>{what}</strong> <mark>{value}</mark>
              </>
            )}
          />
        )}
    </section>
  );
}

/** Searches for texts that the user types, here in the browser. */
function WantedSearch({ report, search, ...linked }: Linked & {
  report: MaskingReading;
  search: (wanted: readonly string[]) => void;
}) {
  const [typed, setTyped] = useState("");
  const [tooShort, setTooShort] = useState(0);
  return (
    <section aria-labelledby="must-not-appear">
      <h5 id="must-not-appear">Texts that must not appear</h5>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const { texts, tooShort } = readWanted(typed);
          setTooShort(tooShort);
          search(texts);
        }}
        // Escape closes the recording.
        onKeyDown={(event) => event.key === "Escape" && event.stopPropagation()}
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
        {report.wanted.map(({ text, findings }) => (
          <div key={text}>
            <p className={findings.length > 0 ? "refused" : undefined}>
              “{text}”: {findings.length > 0
                ? `found in ${formatCount(findings.length, "place")}`
                : "not found"}
            </p>
            <FindingList
              {...linked}
              findings={findings}
              title={({ excerpt }) => <mark>{excerpt}</mark>}
            />
          </div>
        ))}
      </div>
    </section>
  );
}

function FindingList<One extends Finding>({ findings, title, replayId, from }: Linked & {
  findings: readonly One[];
  title: (finding: One) => ReactNode;
}) {
  return (
    <ul>
      {findings.map((finding, index) => {
        const { at, envelope, setting, count } = finding;
        return (
          <li key={index}>
            <p>
              {title(finding)} {count > 1 && `${count}×`}{" "}
              {at !== null && <a href={momentHref(replayId, at)}>{formatClock(at - from)}</a>}{" "}
              {envelope !== null && (
                <a href={fragmentTo("envelopes", [String(envelope)])}>envelope</a>
              )}
            </p>
            <p>
              {placeText(finding)} <code>{finding.place}</code>
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

/** The texts of each kind: counts, and the first readable ones. */
function Contents({ counts, replayId, from }: Linked & { counts: readonly KindCount[] }) {
  const of = (kind: KindCount["kind"]) => counts.find((count) => count.kind === kind);
  return (
    <section aria-labelledby="recorded-words">
      <h5 id="recorded-words">What was recorded in words</h5>
      {PAGE_KINDS.map((kind) => {
        const count = of(kind);
        const text = countText(count);
        if (!count?.samples.length) return <p key={kind}>{KIND_TITLES[kind]}: {text}</p>;
        const more = count.distinct - count.samples.length;
        return (
          <details key={kind}>
            <summary>{KIND_TITLES[kind]}: {text}</summary>
            <ul>
              {count.samples.map((sample) => (
                <li key={sample.text}>
                  <p>
                    {sample.text}{" "}
                    {sample.at !== null && (
                      <a href={momentHref(replayId, sample.at)}>{formatClock(sample.at - from)}</a>
                    )}
                  </p>
                  <p>
                    <code>{sample.place}</code>
                  </p>
                </li>
              ))}
              {more > 0 && <li className="quiet">{formatCount(more, "other text")} not listed.</li>}
            </ul>
          </details>
        );
      })}
      <p className="quiet">
        Searched beside these: {(["style", "breadcrumb", "span", "log", "event"] as const)
          .map((kind) => formatCount(of(kind)?.readable ?? 0, "text") + ` of ${KIND_TITLES[kind]}`)
          .join(", ")}.
      </p>
    </section>
  );
}
