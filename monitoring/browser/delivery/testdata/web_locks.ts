/** Replaces `navigator.locks` until it is disposed. Undefined: a browser without Web Locks. */
export function replaceLocks(locks: unknown): Disposable {
  const before = Object.getOwnPropertyDescriptor(navigator, "locks");
  Object.defineProperty(navigator, "locks", { value: locks, configurable: true });
  return {
    [Symbol.dispose]() {
      if (before) Object.defineProperty(navigator, "locks", before);
      else Reflect.deleteProperty(navigator, "locks");
    },
  };
}

/** Web Locks that the pages of a test share: a lock is free as soon as its work has ended. */
export function sharedLocks(): Disposable {
  const held = new Set<string>();
  return replaceLocks({
    async request(name: string, _options: unknown, work: (lock: object | null) => unknown) {
      if (held.has(name)) return work(null);
      held.add(name);
      return await Promise.resolve(work({})).finally(() => held.delete(name));
    },
  });
}
