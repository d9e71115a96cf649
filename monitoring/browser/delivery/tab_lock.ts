/** What came of work under a lock: its result, or that another tab has the lock. */
export type Locked<T> = { readonly result: T } | "taken";

/**
 * Runs work that only one tab may do at a time. Never waits: another tab that has the lock is doing
 * the same work. Where the browser has no locks, or refuses them with all that a site may keep, every
 * tab works: twice is better than never.
 *
 * @param name what the work is on
 */
export async function underTabLock<T>(name: string, work: () => Promise<T>): Promise<Locked<T>> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return { result: await work() };
  let begun = false;
  try {
    return await locks.request(
      `envelope:${name}`,
      { ifAvailable: true },
      async (lock): Promise<Locked<T>> => {
        if (!lock) return "taken";
        begun = true;
        return { result: await work() };
      },
    );
  } catch (error) {
    if (begun) throw error;
    return { result: await work() };
  }
}

/**
 * Runs work that only one tab may do with an envelope at a time.
 *
 * @param names the locks that it takes, all of them or none
 */
export async function underTabLocks<T>(
  [name, ...others]: readonly string[],
  work: () => Promise<T>,
): Promise<Locked<T>> {
  if (name === undefined) return { result: await work() };
  const locked = await underTabLock(name, () => underTabLocks(others, work));
  return locked === "taken" ? "taken" : locked.result;
}
