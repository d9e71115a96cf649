/**
 * The inbox as one file: an envelope whose items are envelopes.
 *
 * ```
 * archive = {"sightglass_inbox":1,"envelopes":COUNT} LF *( item LF )
 * item    = {"type":"envelope","length":N,"received_at":MS[,"content_encoding":NAME][,"own":BOOL][,"format":NAME]} LF body
 * ```
 *
 * A body has the bytes as received, compressed if they were.
 */
import type { ReceivedEnvelope } from "./admitted_envelope.ts";
import type { ContentEncoding } from "./encoding.ts";

/** Archives of another version are refused. */
export const ARCHIVE_VERSION = 1;

/** Media type of the file. Browsers download it and never render it. */
export const ARCHIVE_TYPE = "application/x-sentry-envelope";

/** `isOwn`: undefined if it is not known. Then the importer decides by the envelope's header. */
type Archived = Omit<ReceivedEnvelope, "isOwn"> & Partial<Pick<ReceivedEnvelope, "isOwn">>;

export type ArchivedEnvelope = Archived & { readonly contentEncoding: ContentEncoding | null };

const encoder = new TextEncoder();

export function archiveHeader(envelopes: number): Uint8Array<ArrayBuffer> {
  return encoder.encode(JSON.stringify({ sightglass_inbox: ARCHIVE_VERSION, envelopes }) + "\n");
}

export function archiveItem(envelope: Archived): Uint8Array[] {
  const header = {
    type: "envelope",
    length: envelope.bytes.byteLength,
    received_at: envelope.receivedAt,
    content_encoding: envelope.contentEncoding ?? undefined,
    own: envelope.isOwn,
    dsn_key: envelope.dsnKey ?? undefined,
    format: envelope.format === "envelope" ? undefined : envelope.format,
  };
  return [encoder.encode(JSON.stringify(header) + "\n"), envelope.bytes, encoder.encode("\n")];
}

/** Whether an envelope's header is that of an archive, of any version. */
export function isArchiveHeader(header: Readonly<Record<string, unknown>>): boolean {
  return Object.hasOwn(header, "sightglass_inbox");
}

/** File name that sorts by time: `sightglass-2026-11-21T13-52-25Z.envelope`. */
export function archiveName(now: number): string {
  return `sightglass-${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}Z.envelope`;
}

/** Result of an import. Each envelope of the archive is counted once. */
export interface ImportResult {
  readonly taken: number;
  /** Already in the inbox: same bytes, received at the same time. */
  readonly present: number;
  readonly refused: number;
  /** Reasons of the first refused envelopes. */
  readonly reasons: readonly ImportRefusal[];
  /** Why the rest of the archive could not be read; undefined: all of it was read. */
  readonly broken?: string;
}

export interface ImportRefusal {
  /** The envelope's position in the archive, from 1. */
  readonly envelope: number;
  /** Byte offset of its item. */
  readonly offset: number;
  readonly reason: string;
}
