import { formatCount, formatDuration } from "../../components/format.ts";
import { TimeAgo } from "../../components/Timestamp.tsx";
import type { RelatedContent } from "../../monitoring/models/error/error_content.ts";
import { AttachmentList } from "../kit/AttachmentList.tsx";
import { Part } from "../kit/Part.tsx";
import { fragmentTo, linkTo } from "../data/fragment.ts";
import { LongText } from "./LongText.tsx";

/** What users wrote about an error, its attachments and profiles; nothing if there is none. */
export function RelatedItems({ eventId, items }: {
  eventId: string;
  items: RelatedContent;
}) {
  const { attachments, feedback, profiles, omitted } = items;
  return (
    <>
      {feedback.length > 0 && (
        <Part title="Feedback">
          {feedback.map(({ group, message, name, email, user, at }) => (
            <blockquote key={group}>
              <LongText text={message} />
              <footer className="quiet">
                <LongText
                  text={[name, email ?? user].filter(Boolean).join(", ") || "no name given"}
                />
                , <TimeAgo at={at} /> <a href={linkTo("feedback", [group])}>Open feedback</a>
              </footer>
            </blockquote>
          ))}
        </Part>
      )}
      {attachments.length > 0 && (
        <Part title="Attachments">
          <AttachmentList rows={attachments} />
        </Part>
      )}
      {profiles.length > 0 && (
        <Part title="Profiles">
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
        </Part>
      )}
      {omitted > 0 && (
        <p className="note">
          {formatCount(omitted, "envelope")}{" "}
          with attachments, feedback or profiles not shown: too many or too large.{" "}
          <a href={fragmentTo("envelopes", [], { q: eventId })}>Show the envelopes</a>
        </p>
      )}
    </>
  );
}
