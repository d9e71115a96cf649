import { decodeBody, DecodeError } from "../../protocol/encoding.ts";
import { EnvelopeError } from "../../protocol/envelope.ts";
import { readEnvelope } from "../../protocol/scanner.ts";
import type { Inbox } from "../store.ts";
import type { ArchivedEnvelope, ImportResult, Refusal } from "../../protocol/inbox_archive.ts";
import { type ArchiveLimits, readArchive } from "./read_archive.ts";

/** As many as a person reads. */
export const MAX_REASONS = 20;

/** The contract's bound of what comes out of a compressed envelope. */
const MAX_EXPANSION = 10;

/**
 * Takes an archive's envelopes into the inbox, one after the other as they come. Each is held to the framing and the
 * limits that hold for one that is posted. One that finds no room is refused: importing pushes nothing out.
 */
export async function importArchive(
  inbox: Inbox,
  stream: ReadableStream<Uint8Array>,
  limits: ArchiveLimits,
): Promise<ImportResult> {
  const count = { taken: 0, present: 0, refused: 0 };
  const reasons: Refusal[] = [];
  try {
    for await (const { number, offset, envelope } of readArchive(stream, limits)) {
      const outcome = typeof envelope === "string" ? envelope : await take(inbox, envelope, limits);
      if (outcome === "taken" || outcome === "present") {
        count[outcome]++;
        continue;
      }
      count.refused++;
      if (reasons.length < MAX_REASONS) reasons.push({ envelope: number, offset, reason: outcome });
    }
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error;
    return { ...count, reasons, broken: error.message };
  }
  return { ...count, reasons };
}

/** `taken`, `present`, or a sentence that says why it was refused. */
async function take(
  inbox: Inbox,
  { bytes, contentEncoding, receivedAt }: ArchivedEnvelope,
  { maxEnvelopeBytes }: ArchiveLimits,
): Promise<string> {
  try {
    const decoded = await decodeBody(bytes, contentEncoding, maxEnvelopeBytes * MAX_EXPANSION);
    const { header, items } = readEnvelope(decoded);
    const outcome = await inbox.storeOnce({
      bytes,
      contentEncoding,
      header,
      items: items.map((item) => ({ type: item.header.type, bytes: item.payload.byteLength })),
      decoded: () => Promise.resolve(decoded),
      receivedAt,
    });
    if (outcome !== "no room") return outcome === "stored" ? "taken" : "present";
    return "The inbox has no room for it (INBOX_MAX_BYTES).";
  } catch (error) {
    if (error instanceof DecodeError || error instanceof EnvelopeError) return error.message;
    throw error;
  }
}
