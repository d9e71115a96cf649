/**
 * Runs work that only one tab may do at a time. Never waits: another tab that has the lock is doing
 * the same work. Where the browser has no locks, or refuses them with all that a site may keep, every
 * tab works: twice is better than never.
 *
 * @param name what the work is on
 * @returns the work's result; "taken": another tab has the lock
 */
export async function underTabLock<T>(
  name: string,
  work: () => Promise<T>,
): Promise<T | "taken"> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return await work();
  let begun = false;
  try {
    return await locks.request(
      `envelope:${name}`,
      { ifAvailable: true },
      async (lock): Promise<T | "taken"> => {
        if (!lock) return "taken";
        begun = true;
        return await work();
      },
    );
  } catch (error) {
    if (begun) throw error;
    return await work();
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
): Promise<T | "taken"> {
  if (name === undefined) return await work();
  return await underTabLock(name, () => underTabLocks(others, work));
}
