/** Often enough to not delay a test. More often, asking a server would keep it busy. */
const POLL_MS = 20;

/** Polls until `condition` returns true. Fails with `what` after `timeoutMs`, which is long because machines may be busy. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 60_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Timed out waiting until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
