/**
 * What glibc's allocator is told for the server (mallopt(3)); other systems do not look at it. Blocks
 * from 64 KiB on come from the system and go back to it at once: bodies, and the buffers that the
 * runtime keeps with each connection that has brought one. Left to itself, glibc raises the size with
 * each block that is freed, up to 32 MiB, and what a burst of large envelopes took would stay with the
 * process.
 */
export const MALLOC: Readonly<Record<string, string>> = Object.freeze({
  MALLOC_MMAP_THRESHOLD_: `${64 * 1024}`,
  MALLOC_TRIM_THRESHOLD_: `${128 * 1024}`,
});
