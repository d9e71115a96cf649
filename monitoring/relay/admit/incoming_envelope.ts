import type { ItemSummary } from "../../protocol/admitted_envelope.ts";
import type { Dsn } from "../../protocol/dsn.ts";
import { MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import { EnvelopeScanner } from "../../protocol/scanner.ts";
import { DuplicateKey } from "./duplicate_key.ts";
import type { OpenBody } from "./incoming_body.ts";

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
