/**
 * Runs `work` unless another tab runs it at this moment: never waits for the lock. Where the browser has
 * no Web Locks, or refuses them, every tab runs it: a duplicate is better than a loss.
 *
 * @returns the work's result; "locked": another tab has the lock
 */
export async function withTabLock<T>(
  name: string,
  work: () => Promise<T>,
): Promise<T | "locked"> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return await work();
  let hasStarted = false;
  try {
    return await locks.request(
      `envelope:${name}`,
      { ifAvailable: true },
      async (lock): Promise<T | "locked"> => {
        if (!lock) return "locked";
        hasStarted = true;
        return await work();
      },
    );
  } catch (error) {
    if (hasStarted) throw error;
    return await work();
  }
}

/** Waits until no tab has the lock. Never rejects. @param timeoutMs maximum wait in milliseconds */
export async function untilTabLockIsFree(name: string, timeoutMs: number): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  await navigator.locks.request(`envelope:${name}`, { signal }, () => {}).catch(() => {});
}

/** Like {@linkcode withTabLock}, with several locks. @param names in the same order in every tab */
export async function withTabLocks<T>(
  [name, ...others]: readonly string[],
  work: () => Promise<T>,
): Promise<T | "locked"> {
  if (name === undefined) return await work();
  return await withTabLock(name, () => withTabLocks(others, work));
}
