/** What came of work under a lock: its result, or that another tab has the lock. */
export type Locked<T> = { readonly result: T } | "taken";

/**
 * Runs work that only one tab may do at a time. Never waits: another tab that has the lock is doing
 * the same work. Where the browser has no locks every tab works; the relay recognises what comes
 * twice.
 *
 * @param name what the work is on
 */
export async function underTabLock<T>(name: string, work: () => Promise<T>): Promise<Locked<T>> {
  const locks = globalThis.navigator?.locks;
  if (!locks) return { result: await work() };
  return await locks.request(
    `envelope:${name}`,
    { ifAvailable: true },
    async (lock): Promise<Locked<T>> => lock ? { result: await work() } : "taken",
  );
}
