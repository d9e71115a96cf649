import type { ReceivedEnvelope } from "../protocol/admitted_envelope.ts";
import type { EnvelopeIndex } from "../models/index/index_entries.ts";
import type { GroupStateRow } from "./group_states.ts";

export interface EnvelopeChange extends ReceivedEnvelope {
  readonly kind: "envelope";
  /** The server that reports its alerts; null: it is imported, which causes no alerts and evicts nothing. */
  readonly writer: string | null;
}

/** `map`: a source map is stored. `group`: a group of errors gets this state. `clear`: everything is deleted. */
export type Change =
  | EnvelopeChange
  | { readonly kind: "map"; readonly key: string; readonly bytes: Uint8Array }
  | { readonly kind: "group"; readonly key: string; readonly state: GroupStateRow }
  | { readonly kind: "clear" };

/** `skip`: the log has no changes up to this one any more. */
export type LoggedChange = Change | { readonly kind: "skip" };

export type ChangeLogEntry = LoggedChange & { readonly id: number };

export interface LogPage {
  /** Identity of the log: another one after the schema was dropped. */
  readonly log: string;
  readonly last: number;
  /** Envelopes with lower ids are deleted. */
  readonly floor: number;
  /** The newest envelope at or before the requested position; null: the log has none. A replica must have the same. */
  readonly mark: Pick<EnvelopeChange, "receivedAt"> & { readonly id: number } | null;
  readonly rows: readonly ChangeLogEntry[];
}

export type NewEnvelope = EnvelopeChange & EnvelopeIndex;

export type ReadyChange = NewEnvelope | Exclude<LoggedChange, EnvelopeChange>;

/** The envelope as a change, without the other properties that the relay's envelopes have. */
export function envelopeChange(
  { bytes, contentEncoding, receivedAt, isOwn, dsnKey, format, parsed }: ReceivedEnvelope,
  writer: string | null,
): EnvelopeChange {
  const content = { bytes, contentEncoding, format, parsed };
  return { kind: "envelope", ...content, receivedAt, isOwn, dsnKey, writer };
}
