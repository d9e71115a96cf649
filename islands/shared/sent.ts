import { passingKey } from "./flow.ts";

/** A receipt as far as its sending goes. */
export interface Sending {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
  readonly attempts: number;
}

/** What was sent since the page was opened. */
export interface Sent {
  readonly envelopes: number;
  /** Each time an envelope was sent counts. */
  readonly requests: number;
  /** Bytes of the envelopes in these requests, without the requests' headers. */
  readonly bytes: number;
  /** How often each envelope was sent that is still in the list of receipts, by its key. */
  readonly attempts: ReadonlyMap<string, number>;
}

export const nothingSent: Sent = { envelopes: 0, requests: 0, bytes: 0, attempts: new Map() };

/**
 * Takes the list of receipts into account. The list is bounded, the sums are not.
 *
 * @param before the sums so far
 * @param receipts as they are now; one that was sent again comes with more attempts
 */
export function sum(before: Sent, receipts: readonly Sending[]): Sent {
  const attempts = new Map<string, number>();
  let { envelopes, requests, bytes } = before;
  for (const receipt of receipts) {
    const key = passingKey(receipt);
    const known = before.attempts.get(key) ?? 0;
    attempts.set(key, receipt.attempts);
    if (receipt.attempts <= known) continue;
    if (known === 0) envelopes += 1;
    requests += receipt.attempts - known;
    bytes += (receipt.attempts - known) * receipt.bytes;
  }
  return { envelopes, requests, bytes, attempts };
}
