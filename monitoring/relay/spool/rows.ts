/** What the tables of both backends have in common. */
import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES } from "../admit/duplicates.ts";
import type { GossipReport, LeaseRequest, ReceivedGossip } from "./spool.ts";

/** Bytes of the newest keys that are kept of all reports. */
export const MAX_GOSSIP_BYTES = MAX_REMEMBERED * REMEMBERED_KEY_BYTES;

/** An envelope that may be leased. */
export interface LeasableRow {
  readonly id: number;
  readonly bytes: number;
}

/** The columns of a leased envelope that both backends have. */
export interface LeasedRow {
  readonly id: number;
  readonly lease: string;
  readonly dsn: string;
  readonly sequence: string | null;
  readonly received_at: number;
  readonly key: Uint8Array;
  readonly categories: number;
  readonly failures: number;
}

/**
 * Chooses envelopes within both limits of a request, one of each DSN at a time.
 *
 * @param queues rows of one DSN each, the least recently served DSN first
 */
export function takeTurns<Row extends LeasableRow>(
  queues: readonly (readonly Row[])[],
  { limit, maxBytes }: Pick<LeaseRequest, "limit" | "maxBytes">,
): Row[] {
  const chosen: Row[] = [];
  let bytes = 0;
  for (let turn = 0; queues.some((queue) => turn < queue.length); turn++) {
    for (const row of queues.flatMap((queue) => queue[turn] ?? [])) {
      bytes += row.bytes;
      const fits = chosen.length < limit && (chosen.length === 0 || bytes <= maxBytes);
      if (!fits) return chosen;
      chosen.push(row);
    }
  }
  return chosen;
}

/** A report of a server. */
export interface GossipRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly reported_at: number;
  readonly keys: Uint8Array;
  /** JSON. */
  readonly limits: string;
}

export function receivedGossip(
  { reported_at, keys, limits }: GossipRow,
  now: number,
): ReceivedGossip {
  // A copy: `pg` returns parts of shared buffers.
  return {
    keys: new Uint8Array(keys),
    limits: JSON.parse(limits),
    ageMs: Math.max(0, now - reported_at),
  };
}

/** Whether a report has anything to store. */
export function hasContent({ keys, limits }: GossipReport): boolean {
  return keys.length > 0 || limits.length > 0;
}
