/** What the choice rests on. */
export interface Candidate {
  readonly meta: { readonly lane?: string };
  readonly sending: boolean;
  readonly failures: number;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
}

/**
 * The envelope to send next: of those that may go the one that failed least often, then the oldest.
 * An envelope that always fails comes last, not first. In a lane the order is kept: nothing goes
 * while an older one waits or is under way.
 *
 * @param waiting oldest first
 */
export function nextEnvelope<C extends Candidate>(
  waiting: readonly C[],
  now: number,
): C | undefined {
  const blocked = new Set<string>();
  let next: C | undefined;
  for (const candidate of waiting) {
    const { meta: { lane }, sending, failures, notBefore } = candidate;
    if (lane !== undefined) {
      if (blocked.has(lane)) continue;
      blocked.add(lane);
    }
    if (sending || notBefore > now) continue;
    if (!next || failures < next.failures) next = candidate;
  }
  return next;
}
