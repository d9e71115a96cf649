import { useRef } from "react";
import { cutText } from "../../components/format.ts";
import { Timestamp } from "../../components/Timestamp.tsx";
import { personOf } from "../../monitoring/models/feedback/feedback_entry.ts";
import { addressPath } from "../../monitoring/models/recording/timeline.ts";
import type { FeedbackRow } from "../../monitoring/models/rows.ts";
import { useList } from "../data/lists.ts";
import { Unread } from "../kit/Blank.tsx";
import { CopyMenu, DetailView } from "../kit/DetailView.tsx";
import { GroupHeader } from "../kit/GroupState.tsx";
import { FeedbackBody } from "./FeedbackBody.tsx";

/** Characters of a message in the heading, and of a name. */
const MAX_TITLE = 120;
const MAX_NAME = 60;

/**
 * One message.
 *
 * @param props.feedback its key; undefined: the address has none
 * @param props.back link to the list
 */
export function FeedbackDetail({ feedback, back }: { feedback: string | undefined; back: string }) {
  const reading = useList("feedback", feedback === undefined ? undefined : { group: feedback });
  const found = reading.rows.find(({ group }) => group === feedback);
  // It stays while it is read again.
  const last = useRef(found);
  last.current = found ?? last.current;
  const row = last.current;
  return (
    <DetailView
      className="feedback-detail"
      back={{ text: "All feedback", href: back }}
      title={row ? `“${titleOf(row)}”` : "Feedback"}
      facts={row && (
        <>
          <b>{cutText(personOf(row) ?? "no name given", MAX_NAME)}</b>
          {row.url !== null && (
            <span title={row.url}>
              on <code className="long-text">{cutText(addressPath(row.url), MAX_NAME)}</code>
            </span>
          )}
          <Timestamp at={row.at} />
        </>
      )}
      actions={row && (
        <>
          <CopyMenu what="feedback" texts={{ "Copy as Markdown": () => asMarkdown(row) }} />
          <GroupHeader row={{ ...row, regression: null }} what="feedback" />
        </>
      )}
    >
      {row && titleOf(row) !== row.message && <p className="message long-text">{row.message}</p>}
      {row && <FeedbackBody row={row} />}
      {!row && (
        <Unread
          what="feedback"
          of={feedback === undefined ? { ...reading, state: "ready" } : reading}
        />
      )}
    </DetailView>
  );
}

/** The first line. */
function titleOf({ message }: FeedbackRow): string {
  const [line = ""] = message.trim().split("\n", 1);
  return line === "" ? "(empty)" : `${cutText(line, MAX_TITLE)}${line === message ? "" : "…"}`;
}

/** The message as a quotation, and the facts by which it is found again. */
function asMarkdown(row: FeedbackRow): string {
  const { message, at, url, release, error, trace_id } = row;
  const facts = {
    From: personOf(row),
    Page: url,
    Time: new Date(at).toISOString(),
    Release: release,
    Error: error && `${error.type}: ${error.value}`,
    Trace: trace_id,
  };
  return [
    ...message.split("\n").map((line) => `> ${line}`),
    "",
    ...Object.entries(facts).filter(([, value]) => value !== null)
      .map(([name, value]) => `- ${name}: ${value}`),
    `- ${location.href}`,
  ].join("\n");
}
