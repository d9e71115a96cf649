import { contentTypeOf, type Format } from "../protocol/format.ts";
import type { InboxRow } from "../protocol/inbox_row.ts";
import { readEnvelope } from "../protocol/scanner.ts";
import { errorTitle } from "./error/error_entry.ts";
import { type AttachmentFacts, attachmentFacts } from "./feedback/attachment.ts";
import { indexBody, tidyType } from "./index/index_entries.ts";
import { parseJson, toJson } from "./json.ts";
import { MAX_ITEMS, type ParsedEnvelope, parseEnvelope } from "./parsed_envelope.ts";
import { type BoundedText, indentJson, readableJson } from "./readable_json.ts";

/** What is shown of one envelope: the answer of `view=envelope`. All texts are untrusted. */
export interface EnvelopeContent {
  readonly row: InboxRow;
  /** Size when decompressed. */
  readonly bytes: number;
  /** Indented JSON. */
  readonly header: string;
  /** At most {@linkcode MAX_ITEMS}. */
  readonly items: readonly ItemContent[];
  /** Items that are left out. */
  readonly omitted: number;
  /** See {@linkcode EnvelopeSummary.unlisted}. */
  readonly unlisted: number;
  /** The errors in it, as the address of an error names them. */
  readonly errors: readonly { readonly name: string; readonly title: string }[];
}

/** An item. `text` is its payload, readable, and may have only the beginning. */
interface ItemContent extends BoundedText {
  readonly type: string;
  /** Of the payload. */
  readonly bytes: number;
  /** Of the payload in the decompressed envelope. */
  readonly offset: number;
  /** Indented JSON. */
  readonly header: string;
  /** JSON is indented, `bytes` is a hex dump. */
  readonly kind: "JSON" | "text" | "bytes";
  readonly attachment?: AttachmentFacts;
}

/** Characters of a payload, and of all: a browser needs a second to render a million. */
const MAX_PAYLOAD_TEXT = 200_000;
const MAX_TEXT = 1_000_000;
/** Of a larger payload the beginning is shown as sent: parsing takes about 10 ms per MiB. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
/** Bytes of a hex dump, and of each of its lines. */
const DUMP_BYTES = 512;
const LINE_BYTES = 16;

/** Makes an envelope readable. @param bytes decompressed. @throws {EnvelopeError} its framing is broken */
export function readEnvelopeContent(row: InboxRow, bytes: Uint8Array): EnvelopeContent {
  const { header, items } = readEnvelope(bytes);
  let left = MAX_TEXT;
  const shown = items.slice(0, MAX_ITEMS).map((item, index): ItemContent => {
    const { header, payload } = item;
    const readable = readPayload(payload, Math.min(left, MAX_PAYLOAD_TEXT));
    left -= readable.text.length;
    return {
      type: tidyType(header.type),
      bytes: payload.byteLength,
      offset: payload.byteOffset - bytes.byteOffset,
      header: readableJson(header),
      ...readable,
      ...header.type === "attachment" && { attachment: attachmentFacts(item, index) },
    };
  });
  return withErrors([parseEnvelope(bytes)], {
    row,
    bytes: bytes.byteLength,
    header: readableJson(header),
    items: shown,
    omitted: items.length - shown.length,
  });
}

/**
 * Makes an OTLP request readable: one item with its JSON, also of one in protobuf.
 *
 * @param bytes decompressed
 * @param request what is in them
 */
export function readRequestContent(
  row: InboxRow,
  bytes: Uint8Array,
  format: Format,
  request: { readonly json: object; readonly resources: readonly ParsedEnvelope[] },
): EnvelopeContent {
  const item = { type: format, bytes: bytes.byteLength, offset: 0, header: "" };
  const text = indentJson(toJson(request.json), MAX_PAYLOAD_TEXT);
  return withErrors(request.resources, {
    row,
    bytes: bytes.byteLength,
    header: readableJson({ "content-type": contentTypeOf(format) }),
    items: [{ ...item, kind: "JSON", ...text }],
    omitted: 0,
  });
}

function withErrors(
  body: readonly ParsedEnvelope[],
  content: Omit<EnvelopeContent, "unlisted" | "errors">,
): EnvelopeContent {
  const { resources, unlisted } = indexBody(body, content.row.received_at);
  const errors = resources.flatMap(({ errors }) => errors);
  return {
    ...content,
    unlisted,
    errors: errors.map((error) => ({ name: error.event_id, title: errorTitle(error) })),
  };
}

function readPayload(
  payload: Uint8Array,
  limit: number,
): Pick<ItemContent, "kind" | "text" | "truncated"> {
  const isWhole = payload.length <= MAX_PARSED_BYTES;
  const text = decodeText(payload.subarray(0, MAX_PARSED_BYTES), isWhole);
  if (text === undefined) {
    const start = payload.subarray(0, DUMP_BYTES);
    return { kind: "bytes", text: hexDump(start), truncated: start.length < payload.length };
  }
  const json = isWhole ? parseJson(payload) : undefined;
  // Other JSON values are shown as text.
  if (typeof json === "object" && json !== null) {
    return { kind: "JSON", ...indentJson(text, limit) };
  }
  const truncated = !isWhole || text.length > limit;
  return { kind: "text", text: text.slice(0, limit).toWellFormed(), truncated };
}

/** Control characters other than tab, line feed and carriage return. */
// deno-lint-ignore no-control-regex -- matches them on purpose
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

/** Undefined: the bytes are not text. */
function decodeText(bytes: Uint8Array, isWhole: boolean): string | undefined {
  try {
    const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const text = utf8.decode(bytes, { stream: !isWhole });
    return CONTROL.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

/** In the format of `hexdump -C`: offset, bytes, printable ASCII. */
function hexDump(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += LINE_BYTES) {
    const line = [...bytes.subarray(at, at + LINE_BYTES)];
    const digits = line.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const characters = line.map((byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : "."
    );
    const offset = at.toString(16).padStart(8, "0");
    lines.push(`${offset}  ${digits.padEnd(3 * LINE_BYTES - 1)}  ${characters.join("")}`);
  }
  return lines.join("\n");
}
