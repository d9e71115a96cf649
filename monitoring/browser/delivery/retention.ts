import type { EnvelopeMeta } from "./envelope.ts";

/** Maximum age of an envelope in the browser. Older errors are of no use to anyone who debugs. */
export const MAX_AGE_MS = 7 * 24 * 3600_000;

/** How much the browser stores while the relay is unreachable. */
export interface StorageQuota {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Enough for an hour of a busy page with its recording, and for a burst of errors; far below the
 * hundreds of megabytes that browsers allow a site.
 */
export const STORAGE_QUOTA: StorageQuota = { count: 2_000, bytes: 20 * 1024 * 1024 };

/**
 * Chooses the envelopes to drop until the others fit, lowest priority first. Of recordings the newest
 * segments, so that the rest plays from its start; of all others the oldest.
 *
 * @param stored all envelopes, the newest one included
 */
export function selectForEviction<E extends { readonly meta: EnvelopeMeta }>(
  stored: readonly E[],
  quota: StorageQuota,
): E[] {
  let count = stored.length;
  let bytes = stored.reduce((sum, { meta }) => sum + meta.bytes, 0);
  if (count <= quota.count && bytes <= quota.bytes) return [];

  const inOrder = stored.toSorted(({ meta: one }, { meta: other }) =>
    priority(one) - priority(other) ||
    (priority(one) === 0 ? other.createdAt - one.createdAt : one.createdAt - other.createdAt)
  );
  const evicted: E[] = [];
  for (const envelope of inOrder) {
    if (count <= quota.count && bytes <= quota.bytes) break;
    evicted.push(envelope);
    count--;
    bytes -= envelope.meta.bytes;
  }
  return evicted;
}

/** Recordings are large and go first; client reports are small and the only record of discarded events. */
function priority({ items }: EnvelopeMeta): number {
  const has = (type: string) => items.some((item) => item.type === type);
  if (has("replay_recording")) return 0;
  if (has("span") || has("transaction")) return 1;
  if (has("log")) return 2;
  return has("client_report") ? 4 : 3;
}
