import type { ContentEncoding } from "./encoding.ts";

/**
 * The inbox as one file, in Sentry's own framing: an envelope of envelopes.
 *
 * ```
 * archive = {"sightglass_inbox":1,"envelopes":COUNT} LF *( item LF )
 * item    = {"type":"envelope","length":N,"received_at":MS[,"content_encoding":NAME]} LF body
 * ```
 *
 * A body is what the sender sent, byte for byte, still compressed where the sender compressed.
 */
export const ARCHIVE_VERSION = 1;

/** What the server and browsers take the file for; it is never shown as a document. */
export const ARCHIVE_TYPE = "application/x-sentry-envelope";

/** An envelope as the archive carries it. */
export interface ArchivedEnvelope {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly contentEncoding: ContentEncoding | null;
  readonly bytes: Uint8Array;
}

const encoder = new TextEncoder();

/** The archive's first line. */
export function archiveHeader(envelopes: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify({ sightglass_inbox: ARCHIVE_VERSION, envelopes }) + "\n");
}

/** The lines around one envelope's body: its item header before, a line feed behind. */
export function archiveItem(
  envelope: Omit<ArchivedEnvelope, "contentEncoding"> & { readonly contentEncoding: string | null },
): Uint8Array[] {
  const header = {
    type: "envelope",
    length: envelope.bytes.byteLength,
    received_at: envelope.receivedAt,
    content_encoding: envelope.contentEncoding ?? undefined,
  };
  return [encoder.encode(JSON.stringify(header) + "\n"), envelope.bytes, encoder.encode("\n")];
}

/** Whether the header of an envelope says that it is an archive, of whatever version. */
export function isArchiveHeader(header: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(header, "sightglass_inbox");
}

/** A name for the file that sorts by time: `sightglass-2026-11-21T13-52-25Z.envelope`. */
export function archiveName(now: number): string {
  return `sightglass-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z.envelope`;
}

/** What became of an archive's envelopes: each is counted once, so that nothing goes without a word. */
export interface ImportResult {
  readonly taken: number;
  /** The inbox had them already: the same bytes, received at the same time. */
  readonly present: number;
  readonly refused: number;
  /** Why, for the first ones that were refused. */
  readonly reasons: readonly Refusal[];
  /** Why the rest of the archive could not be read; undefined: it was read to its end. */
  readonly broken?: string;
}

export interface Refusal {
  /** The envelope's place in the archive, from 1. */
  readonly envelope: number;
  /** Where its item begins, in bytes. */
  readonly offset: number;
  readonly reason: string;
}
