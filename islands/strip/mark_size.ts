/** Largest size in bytes of each step but the last. */
const STEPS = [1024, 8 * 1024, 64 * 1024] as const;

/**
 * How long an envelope's mark in the tube is, in steps from 1 to 4: up to 1 KiB, 8 KiB, 64 KiB, more.
 *
 * @param bytes size of the envelope
 */
export function markSize(bytes: number): number {
  const step = STEPS.findIndex((largest) => bytes <= largest);
  return (step === -1 ? STEPS.length : step) + 1;
}
