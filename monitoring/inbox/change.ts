import type { EnvelopeDescription, IndexEntries } from "../models/index/index_entries.ts";
import type { GroupStateRow } from "./group_states.ts";
import type { AdmittedEnvelope } from "./inbox.ts";

/** An envelope is stored. */
export interface EnvelopeChange
  extends Pick<AdmittedEnvelope, "bytes" | "contentEncoding" | "receivedAt" | "isOwn" | "dsnKey"> {
  readonly kind: "envelope";
  /** Who reports news of groups of errors; null: no one, because it is imported, which evicts nothing. */
  readonly writer: string | null;
}

/** `group`: a group of errors has this state now. `clear`: everything before was deleted. */
export type OtherChange =
  | { readonly kind: "map"; readonly key: string; readonly bytes: Uint8Array }
  | { readonly kind: "group"; readonly key: string; readonly state: GroupStateRow }
  | { readonly kind: "clear" };

/** Every change of an inbox. */
export type Change = EnvelopeChange | OtherChange;

/** What a log has: a change, or that the changes up to an id were deleted. */
type Logged<Envelope> = Envelope | OtherChange | { readonly kind: "skip" };

/** A change at its position in the log. */
export type ChangeLogEntry = Logged<EnvelopeChange> & { readonly id: number };

/** Rows of the log, and its state when they were read. */
export interface LogPage {
  /** Identity of the log: another one after the schema was dropped. */
  readonly log: string;
  readonly last: number;
  /** Envelopes with lower ids are deleted. */
  readonly floor: number;
  /** The newest envelope up to the position that was asked for, as the log has it; null: none is left. */
  readonly mark: Pick<EnvelopeChange, "receivedAt"> & { readonly id: number } | null;
  readonly rows: readonly ChangeLogEntry[];
}

/** What is read from an envelope to store it. */
export interface EnvelopeIndex {
  readonly description: EnvelopeDescription;
  readonly entries: IndexEntries;
}

/** An envelope with its index. */
export type NewEnvelope = EnvelopeChange & EnvelopeIndex;

/** A change that can be applied. */
export type ReadyChange = Logged<NewEnvelope>;

/** Why an imported envelope is not stored. */
export type NotStored = "present" | "no room" | "too old";

/** The envelope as a change. */
export function envelopeChange(
  { bytes, contentEncoding, receivedAt, isOwn, dsnKey }: AdmittedEnvelope,
  writer: string | null,
): EnvelopeChange {
  return { kind: "envelope", bytes, contentEncoding, receivedAt, isOwn, dsnKey, writer };
}
