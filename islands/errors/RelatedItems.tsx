import { formatBytes, formatCount, formatDuration } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { AttachmentRow, RelatedContent } from "../../monitoring/models/error/error_content.ts";
import { readRelatedItems } from "../../monitoring/models/error/related_items.ts";
import { saveBytes } from "../kit/FileButton.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { LongText } from "./LongText.tsx";
import { inbox } from "../data/inbox.ts";

/** Characters of a name or type. */
const MAX_NAME = 100;

/** What users wrote about an error, its attachments and profiles; nothing if there is none. */
export function RelatedItems({ eventId, items }: {
  eventId: string | null;
  items: RelatedContent;
}) {
  const { attachments, feedback, profiles, omitted } = items;
  const save = async ({ envelope, index, name }: AttachmentRow) => {
    const bytes = await inbox.bytes(envelope);
    const attachment = bytes &&
      readRelatedItems(bytes, envelope, eventId).attachments[index];
    // Evicted since the error was read.
    if (attachment) saveBytes(attachment.bytes, name);
  };
  return (
    <>
      {feedback.length > 0 && (
        <section aria-labelledby="error-feedback">
          <h4 id="error-feedback">Feedback</h4>
          {feedback.map(({ message, name, contact, at }, index) => (
            <blockquote key={index}>
              <LongText text={message} />
              <footer className="quiet">
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
                  {attachment.content_type?.slice(0, MAX_NAME)} {formatBytes(attachment.bytes)}
                </small>
                <button
                  type="button"
                  className="plain"
                  aria-label={`Download ${attachment.name.slice(0, MAX_NAME)}`}
                  onClick={() => void save(attachment)}
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
            {profiles.map(({ id, envelope, durationMs, samples }, index) => (
              <li key={index} className="line">
                <a
                  href={id === null
                    ? linkTo("envelopes", [String(envelope)])
                    : linkTo("profiles", [id])}
                >
                  Profile
                </a>
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
          with attachments, feedback or profiles not shown: too many or too large.{" "}
          {eventId !== null && (
            <a href={fragmentTo("envelopes", [], { q: eventId })}>Show the envelopes</a>
          )}
        </p>
      )}
    </>
  );
}
