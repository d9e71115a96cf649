import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { at, hexId, listAt, parseJson, textAt, timeAt } from "../json.ts";

/** Items about an error other than its event. Texts are untrusted; those of an attachment or a feedback have any length. */
export interface RelatedItems {
  readonly attachments: readonly Attachment[];
  readonly feedback: readonly Feedback[];
  readonly profiles: readonly Profile[];
}

interface Attachment {
  readonly name: string;
  /** As sent, such as `image/png`; null: not sent. */
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
}

/** What a user wrote about an error. */
export interface Feedback {
  readonly message: string;
  readonly name: string | null;
  /** Address or other contact. */
  readonly contact: string | null;
  /** Milliseconds since 1970; null: not sent. */
  readonly at: number | null;
}

export interface Profile {
  /** Null: it has none, and is not listed. */
  readonly id: string | null;
  readonly envelope: number;
  /** From the first to the last sample; null: they have no times. */
  readonly durationMs: number | null;
  readonly samples: number;
}

/** Items of one kind. */
const MAX_ITEMS = 50;
/** Bytes of JSON that are parsed, some 10 ms for each MiB. A profile of 30 seconds has some MiB. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/**
 * Reads what an envelope has about an error: attachments of its event, feedback, profiles.
 *
 * @param envelope decompressed bytes; unreadable ones have no items
 * @param id of the envelope, for the profiles
 * @param eventId the error's
 */
export function readRelatedItems(
  envelope: Uint8Array,
  id: number,
  eventId: string | null,
): RelatedItems {
  const found = { attachments: [] as Attachment[], feedback: [] as Feedback[] };
  const profiles: Profile[] = [];
  // Broken framing: the error's own view reports it.
  const { header = {}, items = [] } = tryReadEnvelope(envelope) ?? {};
  const isOfEvent = (value: unknown) => eventId !== null && hexId(value) === eventId;
  for (const { header: item, payload } of items) {
    const json = () => payload.byteLength > MAX_JSON_BYTES ? undefined : parseJson(payload);
    if (item.type === "attachment" && isOfEvent(header.event_id)) {
      found.attachments.push({
        name: textAt(item, "filename") ?? "attachment",
        contentType: textAt(item, "content_type"),
        bytes: payload,
      });
    } else if (item.type === "user_report") {
      const report = json();
      if (isOfEvent(at(report, "event_id"))) found.feedback.push(readFeedback(report));
    } else if (item.type === "feedback") {
      const event = json();
      const feedback = at(event, "contexts", "feedback");
      if (isOfEvent(at(feedback, "associated_event_id"))) {
        found.feedback.push({ ...readFeedback(feedback), at: timeAt(event, "timestamp") });
      }
    } else if (item.type === "profile") {
      profiles.push(readProfile(json(), id));
    }
  }
  return {
    attachments: found.attachments.slice(0, MAX_ITEMS),
    feedback: found.feedback.slice(0, MAX_ITEMS),
    profiles: profiles.slice(0, MAX_ITEMS),
  };
}

/** The feedback of browsers' SDKs, or the older user report. */
function readFeedback(value: unknown): Feedback {
  return {
    message: textAt(value, "message") ?? textAt(value, "comments") ?? "",
    name: textAt(value, "name"),
    contact: textAt(value, "contact_email") ?? textAt(value, "email"),
    at: null,
  };
}

function readProfile(profile: unknown, envelope: number): Profile {
  const samples = listAt(profile, "profile", "samples");
  let first = Infinity;
  let last = -Infinity;
  for (const sample of samples) {
    const ms = Number(at(sample, "elapsed_since_start_ns") ?? NaN) / 1e6;
    if (!Number.isFinite(ms)) continue;
    first = Math.min(first, ms);
    last = Math.max(last, ms);
  }
  const id = hexId(at(profile, "event_id")) ?? hexId(at(profile, "profile_id"));
  return { id, envelope, durationMs: last >= first ? last - first : null, samples: samples.length };
}
