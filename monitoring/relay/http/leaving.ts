/** Writes under way, by the memory that they read. */
const writes = new Map<ArrayBufferLike, number>();

/**
 * Writes bytes, and marks their memory until the write has ended, however it ends: a connection that is
 * given up may still read what it was to send.
 */
export async function whileLeaving(
  { buffer }: Uint8Array,
  write: () => Promise<void>,
): Promise<void> {
  writes.set(buffer, (writes.get(buffer) ?? 0) + 1);
  try {
    await write();
  } finally {
    const others = writes.get(buffer)! - 1;
    if (others === 0) writes.delete(buffer);
    else writes.set(buffer, others);
  }
}

/** Whether a write may still read this memory: nothing else may be put there. */
export function isLeaving(buffer: ArrayBufferLike): boolean {
  return writes.has(buffer);
}
