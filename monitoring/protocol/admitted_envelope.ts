import type { ParsedEnvelope } from "../models/parsed_envelope.ts";
import type { Dsn } from "./dsn.ts";
import type { ContentEncoding } from "./encoding.ts";
import type { EnvelopeHeader } from "./envelope.ts";
import type { Format } from "./format.ts";
import type { InboxItem } from "./inbox_row.ts";

/** An envelope, or an OTLP request, as the inbox stores it. */
export interface ReceivedEnvelope {
  /** As received. */
  readonly bytes: Uint8Array;
  /** Default: an envelope. */
  readonly format?: Format;
  /** The request's `Content-Encoding`. */
  readonly contentEncoding: string | null;
  /** Its content, if it was read to be admitted. */
  readonly parsed?: readonly ParsedEnvelope[] | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether this server or its page has sent it. */
  readonly isOwn: boolean;
  /** Public key that request or header names, also of a DSN that is not allowed; null: none. Default: the header's. */
  readonly dsnKey?: string | null | undefined;
}

export interface AdmittedEnvelope extends ReceivedEnvelope {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentEncoding: ContentEncoding | null;
  readonly header: EnvelopeHeader;
  readonly items: readonly ItemSummary[];
  /** Items that the ingest drops although it takes the body. Default: none. */
  readonly notForwarded?: readonly ItemSummary[];
  /** The allow-list's object, not the request's text. */
  readonly dsn: Dsn;
  /** Identifies duplicates: 64 hexadecimal digits. */
  readonly key: string;
}

export interface ItemSummary extends InboxItem {
  /** Number of entries, by its header: containers of spans and logs hold many. Default: 1. */
  readonly count: number;
}
