let turn: Promise<unknown> = Promise.resolve();

/** Runs a read of the inbox, which blocks the process: one in each turn of the event loop, so that many delay no sender. */
export function readInTurn<T>(read: () => T): Promise<Awaited<T>> {
  const result = turn.then(read);
  // After `read` has run, but not after what it waits for.
  turn = turn.then(() => new Promise((resolve) => setTimeout(resolve)));
  return result as Promise<Awaited<T>>;
}
