import type { Dsn } from "../../protocol/dsn.ts";
import type { ContentEncoding } from "../../protocol/encoding.ts";
import { type EnvelopeHeader, MAX_TYPE_LENGTH } from "../../protocol/envelope.ts";
import type { InboxItem } from "../../protocol/inbox_row.ts";
import { EnvelopeScanner } from "../../protocol/scanner.ts";
import { DuplicateKey } from "./duplicate_key.ts";

interface ItemSummary extends InboxItem {
  /** Number of entries, by its header: containers of spans and logs hold many. Default: 1. */
  readonly count: number;
}

/** An envelope that may be sent to its DSN. */
export interface AdmittedEnvelope {
  /** As received. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentEncoding: ContentEncoding | null;
  readonly header: EnvelopeHeader;
  readonly items: readonly ItemSummary[];
  /** The allow-list's object, not the request's text. */
  readonly dsn: Dsn;
  /** Identifies duplicates: 64 hexadecimal digits, see {@linkcode DuplicateKey}. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether this server or its page has sent it. */
  readonly isOwn: boolean;
  /** Public key that the request or the envelope's header names, also of a DSN that is not allowed; null: none. */
  readonly dsnKey: string | null;
}

/**
 * Validates an envelope while it arrives: header line, DSN at the first byte of an item, framing. Keeps no payload.
 *
 * Its methods throw {@linkcode EnvelopeError} for broken framing and what `matchDsn` throws.
 */
export class IncomingEnvelope {
  readonly #items: ItemSummary[] = [];
  readonly #scanner: EnvelopeScanner;
  readonly #key = new DuplicateKey();
  #dsn: Dsn | undefined;

  /** @param matchDsn finds the allowed DSN, and throws if there is none */
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

  /** @param chunk decompressed; it may be reused afterwards */
  push(chunk: Uint8Array): void {
    this.#scanner.push(chunk);
    this.#key.push(chunk);
  }

  /**
   * Checks that the envelope is complete.
   *
   * @returns undefined for an envelope without items
   */
  end(): Pick<AdmittedEnvelope, "header" | "items" | "dsn" | "key"> | undefined {
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
