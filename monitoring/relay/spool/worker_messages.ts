/** Messages between the server's thread and the spool's worker. */
import type { Spool, SpoolOptions } from "./spool.ts";

/** What the worker is started with. */
export interface WorkerData extends SpoolOptions {
  /**
   * The SQLite file; its folder is created. It is larger than the bodies: some hundred bytes for each envelope, and
   * free pages.
   */
  readonly path: string;
  /** Milliseconds to wait for another process's lock on the file. Default: 5 seconds. */
  readonly lockTimeoutMs?: number;
}

/** A call of a method. Arguments are packed, see {@linkcode pack}. The worker gets an array of calls at a time. */
export interface Call {
  readonly method: keyof Spool;
  readonly args: unknown;
}

/** Either the packed value of a call, or why it failed: part of a sentence. */
export interface CallResult {
  readonly value?: unknown;
  readonly failure?: string;
}

export type FromWorker =
  /** Of all calls of a message, in their order. */
  | { readonly results: readonly CallResult[] }
  /** One sentence that an operator should read. */
  | { readonly notice: string };

/**
 * Replaces each `Uint8Array` of plain data by a buffer, because `postMessage` of Deno 2.9 lists every byte of a view as a
 * property.
 *
 * @param transfer receives the buffers, which are to be transferred
 * @param ownsBodies whether a body (`bytes`) that fills its buffer is moved, which detaches the buffer. Others are copied
 * @param name of the property that holds the value
 * @throws {TypeError} the buffer of a body is already detached
 */
export function pack(
  value: unknown,
  transfer: ArrayBuffer[],
  ownsBodies: boolean,
  name?: string,
): unknown {
  if (!(value instanceof Uint8Array)) {
    return mapObject(value, (item, name) => pack(item, transfer, ownsBodies, name));
  }
  const { buffer } = value as Uint8Array<ArrayBuffer>;
  const isOwned = ownsBodies && name === "bytes" && buffer.byteLength === value.byteLength;
  const packed = isOwned ? buffer.transfer() : (value as Uint8Array<ArrayBuffer>).slice().buffer;
  transfer.push(packed);
  return packed;
}

/** The opposite of {@linkcode pack}. */
export function unpack(value: unknown): unknown {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : mapObject(value, unpack);
}

function mapObject(value: unknown, map: (value: unknown, name?: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item, name)]));
}
