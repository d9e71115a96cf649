import {
  type EnvelopeContent,
  readEnvelopeContent,
  readRequestContent,
} from "../../models/envelope_content.ts";
import { decodeOtlp } from "../../models/otlp/decode.ts";
import { parseBody } from "../../models/parse_body.ts";
import { decodeBody, parseContentEncoding } from "../../protocol/encoding.ts";
import type { Inbox } from "../inbox.ts";

/** Decompressed bytes of an envelope. Parsing blocks the server for some 10 ms per MiB. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * What is shown of one envelope; undefined: it is not stored (any more).
 *
 * @throws {DecodeError | EnvelopeError | OtlpError} it is too large or broken
 */
export async function readStoredEnvelope(
  inbox: Inbox,
  id: number,
): Promise<EnvelopeContent | undefined> {
  await inbox.catchUp(id);
  const [row] = inbox.list({ since: id - 1, limit: 1 }).envelopes;
  const stored = inbox.bytes(id);
  if (row?.id !== id || stored === undefined) return undefined;
  const { contentEncoding, format = "envelope" } = stored;
  const bytes = await decodeBody(stored.bytes, parseContentEncoding(contentEncoding), MAX_BYTES);
  if (format === "envelope") return readEnvelopeContent(row, bytes);
  return readRequestContent(row, bytes, format, {
    json: decodeOtlp(bytes, format),
    resources: parseBody(bytes, format),
  });
}
