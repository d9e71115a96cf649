import type { ItemSummary } from "../../protocol/admitted_envelope.ts";
import type { Dsn } from "../../protocol/dsn.ts";
import { type EnvelopeHeader, MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import { EnvelopeScanner } from "../../protocol/scanner.ts";
import { DuplicateKey } from "./duplicate_key.ts";
import type { AdmittedBody, IncomingBody } from "./incoming_body.ts";

/** Validates an envelope while it arrives, and keeps no payload. Throws `EnvelopeError`, and what `matchDsn` throws. */
export class IncomingEnvelope implements IncomingBody {
  readonly #items: ItemSummary[] = [];
  readonly #scanner: EnvelopeScanner;
  readonly #key = new DuplicateKey();
  #dsn: Dsn | undefined;

  constructor(matchDsn: (header: EnvelopeHeader) => Dsn) {
    this.#scanner = new EnvelopeScanner({
      begin: (header) => this.#dsn = matchDsn(header),
      item: ({ header, length }) =>
        this.#items.push({
          type: shortType(header.type),
          bytes: length,
          count: countOf(header.item_count),
        }),
    });
  }

  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
    this.#key.push(chunk);
  }

  end(): AdmittedBody | undefined {
    this.#scanner.end();
    const dsn = this.#dsn;
    const { header } = this.#scanner;
    if (!dsn || !header) return undefined;
    return { header, items: this.#items, dsn, key: this.#key.finish(dsn.text, header) };
  }
}

/** A slice of a string keeps the whole string in memory; the copy that JSON makes does not. */
function shortType(type: string): string {
  if (type.length <= MAX_TYPE_LENGTH) return type;
  return JSON.parse(JSON.stringify(type.slice(0, MAX_TYPE_LENGTH)));
}

function countOf(announced: unknown): number {
  return typeof announced === "number" && Number.isSafeInteger(announced) && announced > 0
    ? announced
    : 1;
}
