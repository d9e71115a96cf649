import { readEnvelopeContent, readRequestContent } from "../../models/envelope_content.ts";
import { attachedBytes, attachmentFacts } from "../../models/feedback/attachment.ts";
import { decodeOtlp } from "../../models/otlp/decode.ts";
import { parseBody } from "../../models/parse_body.ts";
import { decodeBody, DecodeError, parseContentEncoding } from "../../protocol/encoding.ts";
import { readEnvelope } from "../../protocol/scanner.ts";
import type { Inbox } from "../inbox.ts";
import type { StoredEnvelope } from "../inbox_types.ts";

/** A decompressed body; undefined: more than `maxBytes`, corrupt, or not stored any more. */
export async function readBody(inbox: Pick<Inbox, "bytes">, id: number, maxBytes: number) {
  const stored = inbox.bytes(id);
  if (stored === undefined || stored.bytes.byteLength > maxBytes) return undefined;
  try {
    return { bytes: await decoded(stored, maxBytes), format: stored.format ?? "envelope" };
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

const decoded = ({ bytes, contentEncoding }: StoredEnvelope, maxBytes: number) =>
  decodeBody(bytes, parseContentEncoding(contentEncoding), maxBytes);

/** Returns a function that reads source maps as text. */
export const mapReader = (inbox: Inbox) => async (key: string) => {
  const map = await inbox.sourceMap(key);
  return map && new TextDecoder().decode(map);
};

/** Decompressed bytes of an envelope. Parsing blocks the server for some 10 ms per MiB. */
export const MAX_ENVELOPE_BYTES = 16 * 1024 * 1024;

/** What is shown of one envelope; undefined: it is not stored (any more). @throws {DecodeError | EnvelopeError | OtlpError} */
export async function readStoredEnvelope(inbox: Inbox, id: number) {
  await inbox.catchUp(id);
  const [row] = inbox.list({ since: id - 1, limit: 1 }).envelopes;
  const stored = inbox.bytes(id);
  if (row?.id !== id || stored === undefined) return undefined;
  const { format = "envelope" } = stored;
  const bytes = await decoded(stored, MAX_ENVELOPE_BYTES);
  if (format === "envelope") return readEnvelopeContent(row, bytes);
  return readRequestContent(row, bytes, format, {
    json: decodeOtlp(bytes, format),
    resources: parseBody(bytes, format),
  });
}

/**
 * An attachment and its facts; undefined: the item is none, or not stored (any more).
 *
 * @param item index of the item
 * @throws {DecodeError | EnvelopeError} its envelope is too large or broken
 */
export async function readAttachment(inbox: Inbox, envelope: number, item: number) {
  const stored = inbox.bytes(envelope);
  if (stored === undefined || (stored.format ?? "envelope") !== "envelope") return undefined;
  const { items } = readEnvelope(await decoded(stored, MAX_ENVELOPE_BYTES));
  const found = items[item];
  if (found?.header.type !== "attachment") return undefined;
  return { ...attachmentFacts(found, item), content: attachedBytes(found) };
}
