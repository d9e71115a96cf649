import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { type AttachmentFacts, attachmentFacts } from "../feedback/attachment.ts";
import { hexId, parseJson, tidyText, timeAt } from "../json.ts";
import { profileEntry } from "../profile/profile_entry.ts";

/** Items about an error other than its event. Texts are untrusted. */
export interface RelatedItems {
  readonly attachments: readonly AttachmentRow[];
  readonly profiles: readonly Profile[];
}

/** An attachment, and where it is. */
export interface AttachmentRow extends AttachmentFacts {
  readonly envelope: number;
  /** As sent, such as `image/png`; null: not sent. */
  readonly content_type: string | null;
}

export interface Profile {
  /** Null: it is not listed. */
  readonly id: string | null;
  readonly envelope: number;
  /** From the first to the last sample; null: none can be read. */
  readonly durationMs: number | null;
  readonly samples: number;
}

/** Items of one kind. */
const MAX_ITEMS = 50;
/** Characters of a content type. */
const MAX_TYPE = 100;
/** Bytes of JSON that are parsed, some 10 ms for each MiB. A profile of 30 seconds has some MiB. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/**
 * Reads what an envelope has about an error: attachments of its event, profiles.
 *
 * @param envelope decompressed bytes; unreadable ones have no items
 */
export function readRelatedItems(
  envelope: Uint8Array,
  id: number,
  eventId: string,
): RelatedItems {
  const attachments: AttachmentRow[] = [];
  const profiles: Profile[] = [];
  // Broken framing: the error's own view reports it.
  const { header = {}, items = [] } = tryReadEnvelope(envelope) ?? {};
  const isOfEvent = hexId(header.event_id) === eventId;
  for (const [index, item] of items.entries()) {
    const { header: { type, content_type: sent }, payload } = item;
    if (type === "attachment" && isOfEvent) {
      const content_type = tidyText(sent, MAX_TYPE) ?? null;
      attachments.push({ envelope: id, ...attachmentFacts(item, index), content_type });
    } else if (type === "profile") {
      const json = payload.byteLength > MAX_JSON_BYTES ? undefined : parseJson(payload);
      profiles.push(readProfile(json, id));
    }
  }
  return { attachments: attachments.slice(0, MAX_ITEMS), profiles: profiles.slice(0, MAX_ITEMS) };
}

/** As its row of the list: samples are those of its main thread. */
function readProfile(profile: unknown, envelope: number): Profile {
  const entry = profileEntry("profile", profile, timeAt(profile, "timestamp") ?? 0);
  return {
    id: entry?.profile_id ?? null,
    envelope,
    durationMs: entry ? entry.ended_at - entry.at : null,
    samples: entry?.samples ?? 0,
  };
}
