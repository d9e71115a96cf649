/** What the backends' leases have in common. */
import type { LeaseRequest } from "./spool.ts";

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
