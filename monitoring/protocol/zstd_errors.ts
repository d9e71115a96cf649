/** Relies on undocumented behaviour of Deno: its test fails when that changes. */
import type { Transform } from "node:stream";

/** A function that Deno keeps under a symbol of the native handle of a `node:zlib` stream. */
const NATIVE_WRITE = "kNativeWrite";

/**
 * Makes a zstd stream emit `error` for corrupt data. Else Deno throws where nothing can catch it, and one hostile body
 * would end the process. False: the runtime has no such handle, and the stream must not be used.
 */
export function emitZstdErrors(stream: Transform): boolean {
  const handle: unknown = Reflect.get(stream, "_handle");
  if (typeof handle !== "object" || handle === null) return false;
  const key = Object.getOwnPropertySymbols(handle).find(({ description }) =>
    description === NATIVE_WRITE
  );
  const write: unknown = key && Reflect.get(handle, key);
  if (key === undefined || typeof write !== "function") return false;
  Reflect.set(handle, key, (...args: readonly unknown[]) => {
    try {
      return Reflect.apply(write, handle, args);
    } catch (error) {
      stream.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  });
  return true;
}
