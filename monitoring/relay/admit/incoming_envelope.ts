import type { ItemSummary } from "../../protocol/admitted_envelope.ts";
import type { Dsn } from "../../protocol/dsn.ts";
import { MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import { EnvelopeScanner } from "../../protocol/scanner.ts";
import { RelayError } from "../errors.ts";
import { DuplicateKey } from "./duplicate_key.ts";
import { type OpenBody, WholeBody } from "./incoming_body.ts";

/** Validates an envelope while it arrives, and keeps no payload. Throws `EnvelopeError`, and what `matchDsn` throws. */
export const openEnvelope: OpenBody = (matchDsn) => {
  const items: ItemSummary[] = [];
  const key = new DuplicateKey();
  let dsn: Dsn | undefined;
  const scanner = new EnvelopeScanner({
    begin: (header) => dsn = matchDsn(header),
    item: ({ header: { type, item_count }, length }) =>
      items.push({ type: shortType(type), bytes: length, count: countOf(item_count) }),
  });
  return {
    push(chunk) {
      scanner.push(chunk);
      key.push(chunk);
    },
    end() {
      scanner.end();
      const { header } = scanner;
      return dsn && header && { header, items, dsn, key: key.finish(dsn.text, header) };
    },
  };
};

/** A slice of a string keeps the whole string in memory; the copy that JSON makes does not. */
function shortType(type: string): string {
  if (type.length <= MAX_TYPE_LENGTH) return type;
  return JSON.parse(JSON.stringify(type.slice(0, MAX_TYPE_LENGTH)));
}

function countOf(announced: unknown): number {
  return Number.isSafeInteger(announced) && Number(announced) > 0 ? Number(announced) : 1;
}

/** One event as JSON, as old SDKs and scripts post it: made an envelope, with an event id if it has none. */
export const openEvent: OpenBody = (matchDsn, hold) => {
  const dsn = matchDsn();
  const body = new WholeBody(hold);
  return {
    push: (chunk) => body.push(chunk),
    end() {
      const { text, event_id, type } = readEvent(body.end());
      const payload = new TextEncoder().encode(text);
      const lines = [{ event_id }, { type, length: payload.length }]
        .map((line) => `${JSON.stringify(line)}\n`);
      const bytes = new TextEncoder().encode(lines.join("") + text);
      const envelope = openEnvelope(() => dsn, hold);
      envelope.push(bytes);
      const admitted = envelope.end();
      return admitted && { ...admitted, bytes, contentEncoding: null };
    },
  };
};

/** @throws {RelayError} `envelope_malformed` */
function readEvent(body: Uint8Array): Record<"text" | "event_id" | "type", string> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body).trimEnd();
    const event: unknown = JSON.parse(text);
    if (typeof event === "object" && event !== null && !Array.isArray(event)) {
      const { event_id: sent, type: kind } = event as { event_id?: unknown; type?: unknown };
      const type = kind === "transaction" ? kind : "event";
      if (typeof sent === "string" && /^[\da-f-]{32,36}$/i.test(sent)) {
        return { text, event_id: sent, type };
      }
      const event_id = crypto.randomUUID().replaceAll("-", "");
      // The last of two members counts. Not serialized again: that fails for deep nesting.
      const separator = Object.keys(event).length > 0 ? "," : "";
      return { text: `${text.slice(0, -1)}${separator}"event_id":"${event_id}"}`, event_id, type };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  throw new RelayError(
    "envelope_malformed",
    "The body is no event: it must be a JSON object in UTF-8.",
  );
}
