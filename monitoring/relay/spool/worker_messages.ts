/** Messages between the server's thread and the spool's worker. */
import type { SpoolOptions } from "./spool.ts";
import type { SqlSpool } from "./sql_spool.ts";

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

/** A call of a method. Arguments are packed, see {@linkcode pack}. */
export interface Call {
  readonly id: number;
  readonly method: keyof SqlSpool;
  readonly args: unknown;
}

/** Either the packed value of a call, or why it failed. */
export interface CallResult {
  readonly id: number;
  readonly value?: unknown;
  readonly failure?: string;
}

export type FromWorker =
  | CallResult
  /** Sent once at the start; undefined: the file is open. */
  | { readonly openFailure: string | undefined }
  /** One sentence that an operator should read. */
  | { readonly notice: string };

/**
 * Plain data with a buffer in place of each `Uint8Array`: of a view, the runtime's `postMessage` lists every byte as a
 * property, which takes 600 µs for 10 KB.
 *
 * @param transfer receives the buffers of `bytes`, an envelope's body, which are to be transferred. Others are copied.
 * @param name of the property that holds the value
 */
export function pack(value: unknown, transfer: ArrayBuffer[], name?: string): unknown {
  if (!(value instanceof Uint8Array)) {
    return mapObject(value, (item, name) => pack(item, transfer, name));
  }
  if (name !== "bytes") return value.slice().buffer;
  transfer.push(value.buffer as ArrayBuffer);
  return value.buffer;
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
