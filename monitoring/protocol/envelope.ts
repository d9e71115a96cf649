/**
 * The first line of an envelope. Whoever posts it decides what is in it: every attribute is to be
 * checked before it is used. Known ones: `dsn`, `event_id`, `sent_at`, `sdk`, `trace`.
 */
export type EnvelopeHeader = { readonly [attribute: string]: unknown };

/** The line before a payload. Attributes beyond these are kept as they are. */
export interface ItemHeader {
  readonly type: string;
  /** Bytes of the payload. Without it the payload ends at the next line feed. */
  readonly length?: number;
  readonly [attribute: string]: unknown;
}

/** One piece of telemetry. */
export interface Item {
  readonly header: ItemHeader;
  readonly payload: Uint8Array;
}

/** What one request carries: a header and any number of items. */
export interface Envelope {
  readonly header: EnvelopeHeader;
  readonly items: readonly Item[];
}

/** The envelope's event id, where it has one that is a text. */
export function eventId(header: EnvelopeHeader): string | undefined {
  return typeof header.event_id === "string" && header.event_id !== ""
    ? header.event_id
    : undefined;
}
