/**
 * A browser lets the requests that outlive their page carry 64 KiB together
 * (https://fetch.spec.whatwg.org/#http-network-or-cache-fetch, step 8.10.5) and fails the one that
 * is too much. It counts bytes, not characters. The rest is left to the page's own.
 */
export const KEEPALIVE_BYTES = 60_000;

export interface KeepaliveBudget {
  /** Takes room for a body; false: send it without keepalive. */
  take(bytes: number): boolean;
  /** Gives back what was taken. */
  give(bytes: number): void;
}

/** Creates the account of what is under way with keepalive. */
export function createKeepaliveBudget(): KeepaliveBudget {
  let taken = 0;
  return {
    take(bytes) {
      if (taken + bytes > KEEPALIVE_BYTES) return false;
      taken += bytes;
      return true;
    },
    give(bytes) {
      taken -= bytes;
    },
  };
}
