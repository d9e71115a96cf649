/** Calls back after some milliseconds, if the process is still there: it does not stay for that. */
export function later(callback: () => void, ms: number): () => void {
  const timer = setTimeout(callback, ms);
  Deno.unrefTimer(timer);
  return () => clearTimeout(timer);
}
