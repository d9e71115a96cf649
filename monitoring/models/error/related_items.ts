import { tryReadEnvelope } from "../../protocol/scanner.ts";
import { type AttachmentFacts, attachmentFacts } from "../feedback/attachment.ts";
import { at, hexId, listAt, parseJson, tidyText } from "../json.ts";

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
  /** Null: it has none, and is not listed. */
  readonly id: string | null;
  readonly envelope: number;
  /** From the first to the last sample; null: they have no times. */
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
 * @param id of the envelope
 * @param eventId the error's
 */
export function readRelatedItems(
  envelope: Uint8Array,
  id: number,
  eventId: string | null,
): RelatedItems {
  const attachments: AttachmentRow[] = [];
  const profiles: Profile[] = [];
  // Broken framing: the error's own view reports it.
  const { header = {}, items = [] } = tryReadEnvelope(envelope) ?? {};
  const isOfEvent = eventId !== null && hexId(header.event_id) === eventId;
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
