/**
 * What glibc's allocator is told for the server (mallopt(3)); other systems do not look at it. Blocks
 * from 128 KiB on come from the system and go back to it at once. That is glibc's own default too, but
 * left to itself it raises the size with each block that is freed, up to 32 MiB: what a burst of large
 * envelopes took would stay with the process. From 64 KiB on, the runtime's own reads would be among
 * them, and envelopes of 200 KB go through at little more than half the rate.
 */
export const MALLOC: Readonly<Record<string, string>> = Object.freeze({
  MALLOC_MMAP_THRESHOLD_: `${128 * 1024}`,
  MALLOC_TRIM_THRESHOLD_: `${128 * 1024}`,
});
