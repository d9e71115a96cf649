import { formatBytes, formatCount, formatDuration } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ReportedError } from "../../monitoring/models/error/error_event.ts";
import {
  joinRelatedItems,
  NO_ITEMS,
  readRelatedItems,
  type RelatedItems as Items,
} from "../../monitoring/models/error/related_items.ts";
import { saveBytes } from "../shared/FileButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { LongText } from "./LongText.tsx";
import { useRead } from "../data/use_read.ts";
import { source } from "../data/source.ts";

/** Characters of a name or type. */
const MAX_NAME = 100;

/** What users wrote about an error, its attachments and profiles; nothing if there is none. */
export function RelatedItems({ event, envelope }: {
  event: ReportedError;
  envelope: number;
}) {
  // Looked up once: a search is too slow for each change of the inbox. The error is shown without what cannot be read.
  const { value = NOTHING } = useRead(
    ["related items", event.event_id, envelope],
    (outdated) => findRelatedItems(event, envelope, outdated),
  );
  const { attachments, feedback, profiles, omitted } = value;
  return (
    <>
      {feedback.length > 0 && (
        <section aria-labelledby="error-feedback">
          <h4 id="error-feedback">Feedback</h4>
          {feedback.map(({ message, name, contact, at }, index) => (
            <blockquote key={index}>
              <LongText text={message} />
              <footer>
                <LongText text={[name, contact].filter(Boolean).join(", ") || "anonymous"} />
                {at !== null && (
                  <>
                    , <TimeAgo at={at} />
                  </>
                )}
              </footer>
            </blockquote>
          ))}
        </section>
      )}
      {attachments.length > 0 && (
        <section aria-labelledby="error-attachments">
          <h4 id="error-attachments">Attachments</h4>
          <ul>
            {attachments.map((attachment, index) => (
              <li key={index} className="line">
                <LongText text={attachment.name} max={MAX_NAME} />
                <small>
                  {attachment.contentType?.slice(0, MAX_NAME)}{" "}
                  {formatBytes(attachment.bytes.length)}
                </small>
                <button
                  type="button"
                  className="plain"
                  aria-label={`Download ${attachment.name.slice(0, MAX_NAME)}`}
                  onClick={() => saveBytes(attachment.bytes, attachment.name)}
                >
                  Download
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {profiles.length > 0 && (
        <section aria-labelledby="error-profiles">
          <h4 id="error-profiles">Profiles</h4>
          <ul>
            {profiles.map(({ envelope, durationMs, samples }, index) => (
              <li key={index} className="line">
                <a href={fragmentTo("envelopes", [String(envelope)])}>Profile</a>
                <small>
                  {durationMs !== null && `${formatDuration(durationMs)}, `}
                  {formatCount(samples, "sample")}
                </small>
              </li>
            ))}
          </ul>
        </section>
      )}
      {omitted > 0 && (
        <p className="note">
          {formatCount(omitted, "envelope")}{" "}
          with attachments, feedback or profiles not shown: at most {MAX_ENVELOPES} are read,{" "}
          {formatBytes(MAX_BYTES)} in all.{" "}
          {event.event_id !== null && (
            <a href={fragmentTo("envelopes", [], { q: event.event_id })}>Show the envelopes</a>
          )}
        </p>
      )}
    </>
  );
}

/** Envelopes that are read: feedback is sent later than its error, and some SDKs send attachments separately. */
const MAX_ENVELOPES = 10;
/** Of all of them together: their bytes stay in memory while the error is shown. */
const MAX_BYTES = 16 * 1024 * 1024;

interface FoundItems extends Items {
  /** Envelopes that were not read: beyond the limits, too large, deleted, or the inbox does not respond. */
  readonly omitted: number;
}

const NOTHING: FoundItems = { ...NO_ITEMS, omitted: 0 };

async function findRelatedItems(
  { event_id, trace_id }: ReportedError,
  envelope: number,
  outdated: AbortSignal,
): Promise<FoundItems> {
  const pages = await Promise.all([
    event_id !== null && source.envelopes({ q: event_id }),
    // A profile names its trace, never an error.
    trace_id !== null && source.envelopes({ trace: trace_id, type: "profile" }),
  ]);
  const rows = pages.flatMap((page) => page ? page.rows : []);
  // The search covers the newest envelopes only.
  const isListed = rows.some(({ id }) => id === envelope);
  const sizes = new Map(isListed ? [] : [[envelope, 0]]);
  for (const { id, bytes, items } of rows) {
    if (items.some(({ type }) => RELATED_TYPES.has(type))) sizes.set(id, bytes);
  }
  const parts: Items[] = [];
  let left = MAX_BYTES;
  for (const [id, size] of sizes) {
    if (outdated.aborted || parts.length === MAX_ENVELOPES) break;
    if (size > left) continue;
    const bytes = await source.envelope(id).catch(() => undefined);
    if (bytes === undefined) continue;
    left -= bytes.length;
    parts.push(readRelatedItems(bytes, id, event_id));
  }
  return { ...joinRelatedItems(parts), omitted: sizes.size - parts.length };
}

const RELATED_TYPES = new Set(["attachment", "feedback", "user_report", "profile"]);
