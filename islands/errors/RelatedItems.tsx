import { useEffect, useState } from "react";
import { formatBytes, formatCount, formatDuration } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { ErrorEvent } from "../../monitoring/models/error/error_event.ts";
import {
  type Attachment,
  joinRelatedItems,
  NO_ITEMS,
  readRelatedItems,
  type RelatedItems as Items,
} from "../../monitoring/models/error/related_items.ts";
import { saveFile } from "../shared/FileButton.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import type { ConsoleSource } from "../shared/source/source.ts";
import { LongText } from "./LongText.tsx";

/** Characters of a name or type. */
const MAX_NAME = 100;

/** What users wrote about an error, its attachments and profiles; nothing if there is none. */
export function RelatedItems({ source, event, envelope }: {
  source: ConsoleSource;
  event: ErrorEvent;
  envelope: number;
}) {
  const { attachments, feedback, profiles } = useRelatedItems(source, event, envelope);
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
                  onClick={() => save(attachment)}
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
    </>
  );
}

/** Saves the bytes as a file. They are a stranger's: never with a type that a browser would open as a page. */
function save({ name, bytes }: Attachment): void {
  const blob = new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/octet-stream" });
  saveFile(URL.createObjectURL(blob), name);
}

/** Other envelopes that are read: feedback comes later, attachments of some SDKs apart. */
const MAX_ENVELOPES = 10;
const MAX_ENVELOPE_BYTES = 16 * 1024 * 1024;

/** Looked up once: other envelopes are found by a search, which is too slow for each change of the inbox. */
function useRelatedItems(source: ConsoleSource, event: ErrorEvent, envelope: number): Items {
  const [found, setFound] = useState(NO_ITEMS);
  useEffect(() => {
    let outdated = false;
    findRelatedItems(source, event, envelope).then(
      (items) => !outdated && setFound(items),
      // The error itself is shown. What cannot be read now is in the list of envelopes.
      () => {},
    );
    return () => {
      outdated = true;
    };
  }, [source, event, envelope]);
  return found;
}

async function findRelatedItems(
  source: ConsoleSource,
  { event_id, trace_id }: ErrorEvent,
  envelope: number,
): Promise<Items> {
  const pages = await Promise.all([
    event_id !== null && source.envelopes({ q: event_id }),
    // A profile names its trace, never an error.
    trace_id !== null && source.envelopes({ trace: trace_id, type: "profile" }),
  ]);
  const rows = pages.flatMap((page) => page ? page.rows : []);
  const wanted = rows.filter(({ bytes, items }) =>
    bytes <= MAX_ENVELOPE_BYTES && items.some(({ type }) => RELATED_TYPES.has(type))
  ).map(({ id }) => id);
  // The search covers the newest envelopes only.
  const isListed = rows.some(({ id }) => id === envelope);
  const ids = [...new Set([...isListed ? [] : [envelope], ...wanted])].slice(0, MAX_ENVELOPES);
  const parts = await Promise.all(ids.map(async (id) => {
    const bytes = await source.envelope(id);
    return bytes === undefined ? NO_ITEMS : readRelatedItems(bytes, id, event_id);
  }));
  return joinRelatedItems(parts);
}

const RELATED_TYPES = new Set(["attachment", "feedback", "user_report", "profile"]);
