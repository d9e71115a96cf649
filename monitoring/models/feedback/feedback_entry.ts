import { digest } from "../digest.ts";
import { eventAttributes, replayOf } from "../error/error_entry.ts";
import { at, hexId, plausibleTime, textAt, tidyText } from "../json.ts";
import { browserOf, userOf } from "../recording/recording_entry.ts";
import type { FeedbackRow } from "./feedback_row.ts";

/** The index entry of what a user wrote. */
export type FeedbackEntry = Omit<
  FeedbackRow,
  "envelope" | "application" | "release" | "state" | "error"
>;

/** Characters of a message: Sentry's limit. */
const MAX_MESSAGE = 4_096;
/** Characters of a name or address of a person. */
const MAX_NAME = 200;
const MAX_URL = 500;

/**
 * Reads feedback: an event with `contexts.feedback`, or the older `user_report`.
 * https://develop.sentry.dev/sdk/data-model/envelope-items/#user-feedback
 *
 * @param sent untrusted
 * @param receivedAt replaces a missing or implausible time, milliseconds since 1970
 */
export function feedbackEntry(sent: unknown, receivedAt: number): FeedbackEntry {
  const feedback = at(sent, "contexts", "feedback");
  const isReport = feedback === undefined;
  const form = isReport ? sent : feedback;
  const text = (max: number, ...names: readonly string[]) =>
    names.map((name) => tidyText(textAt(form, name), max)).find(Boolean) ?? null;
  const source = text(MAX_NAME, "source");
  const event = {
    event_id: isReport ? null : hexId(at(sent, "event_id")),
    about: hexId(isReport ? at(sent, "event_id") : at(form, "associated_event_id")),
    message: text(MAX_MESSAGE, "message", "comments") ?? "",
    name: text(MAX_NAME, "name"),
    email: text(MAX_NAME, "contact_email", "email"),
  };
  return {
    group: `f${digest(Object.values(event).map((value) => value ?? ""))}`,
    ...event,
    at: plausibleTime(at(sent, "timestamp"), receivedAt) ?? receivedAt,
    url: text(MAX_URL, "url") ?? tidyText(at(sent, "request", "url"), MAX_URL) ?? null,
    user: userOf(sent),
    browser: browserOf(sent),
    attributes: { ...source && { source }, ...eventAttributes(sent) },
    trace_id: hexId(at(sent, "contexts", "trace", "trace_id")),
    replay_id: replayOf(sent),
    attachments: [],
  };
}
