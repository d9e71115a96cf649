import type { EnvelopeMeta } from "./describe_envelope.ts";

/** How much a browser keeps for us while the relay cannot take it. */
export interface Room {
  readonly count: number;
  readonly bytes: number;
}

/**
 * An hour of a busy page with its recording, and a burst of errors that React alone can make; small
 * enough that no browser counts it as a burden (they allow a site hundreds of megabytes).
 */
export const ROOM: Room = { count: 2_000, bytes: 20 * 1024 * 1024 };

/** Older than this an envelope tells nothing that anybody still asks. */
export const MAX_AGE_MS = 7 * 24 * 3600_000;

/**
 * What is given up first has the lowest rank: recordings are large, and errors are why we are here.
 * A report is small and tells what is already lost: nothing would tell of it.
 */
function rank({ items }: EnvelopeMeta): number {
  const has = (type: string) => items.some((item) => item.type === type);
  if (has("replay_recording")) return 0;
  if (has("span") || has("transaction")) return 1;
  if (has("log")) return 2;
  return has("client_report") ? 4 : 3;
}

/**
 * Chooses what to give up until the rest fits: lowest rank first. Of recordings the newest segment
 * first, since what is left is then a recording that plays from its start; of all else the oldest.
 *
 * @param kept everything there is, the newcomer included
 * @returns the envelopes to give up; the newcomer may be among them
 */
export function chooseVictims<M extends EnvelopeMeta>(kept: readonly M[], room: Room = ROOM): M[] {
  let count = kept.length;
  let bytes = kept.reduce((sum, meta) => sum + meta.bytes, 0);
  if (count <= room.count && bytes <= room.bytes) return [];

  const inOrder = kept.toSorted((one, other) =>
    rank(one) - rank(other) ||
    (rank(one) === 0 ? other.createdAt - one.createdAt : one.createdAt - other.createdAt)
  );
  const victims: M[] = [];
  for (const meta of inOrder) {
    if (count <= room.count && bytes <= room.bytes) break;
    victims.push(meta);
    count--;
    bytes -= meta.bytes;
  }
  return victims;
}
