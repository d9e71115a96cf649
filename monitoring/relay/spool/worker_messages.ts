/** Messages between the server's thread and the spool's worker. */
import {
  DatabaseFileError,
  DatabaseVersionError,
  SymbolicLinkError,
} from "../../storage/errors.ts";
import type { SpoolFile, SpoolLimits } from "./spool_file.ts";
import { ownBuffer, SpoolUnavailableError } from "./spool.ts";

/** What the worker is started with. */
export interface WorkerData {
  readonly path: string;
  readonly limits: SpoolLimits;
}

/** A batch of calls, answered by one `results` of the same length; or the request to close. */
export type ToWorker = { readonly calls: readonly Call[] } | { readonly close: true };

export type FromWorker =
  /** Sent once at the start; undefined: the file is open. */
  | { readonly openError: Failure | undefined }
  | { readonly results: readonly Result[] }
  /** One sentence that an operator should read. */
  | { readonly notice: string };

/** The methods that the worker performs. */
export type Method = Exclude<keyof SpoolFile, "transaction">;

export interface Call {
  readonly method: Method;
  /** Packed, see {@linkcode pack}. */
  readonly args: readonly unknown[];
}

/** The value is packed. */
export type Result = { readonly value: unknown } | { readonly failure: Failure };

/** An error as plain data. */
export type Failure =
  | { readonly error: "unavailable"; readonly reason: string }
  | { readonly error: "file"; readonly file: string; readonly reason: string }
  | { readonly error: "link"; readonly file: string }
  | {
    readonly error: "version";
    readonly file: string;
    readonly found: number;
    readonly known: number;
  };

export function failureOf(error: unknown): Failure {
  if (error instanceof DatabaseVersionError) {
    const { file, found, known } = error;
    return { error: "version", file, found, known };
  }
  if (error instanceof DatabaseFileError) {
    return { error: "file", file: error.file, reason: error.reason };
  }
  if (error instanceof SymbolicLinkError) return { error: "link", file: error.file };
  return { error: "unavailable", reason: error instanceof Error ? error.message : String(error) };
}

/** The opposite of {@linkcode failureOf}. */
export function errorOf(failure: Failure): Error {
  switch (failure.error) {
    case "version":
      return new DatabaseVersionError("spool", failure.file, failure.found, failure.known);
    case "file":
      return new DatabaseFileError("spool", failure.file, failure.reason);
    case "link":
      return new SymbolicLinkError("spool", failure.file);
    case "unavailable":
      return new SpoolUnavailableError(failure.reason);
  }
}

/**
 * Plain data with a buffer in place of each `Uint8Array`: of a view, the runtime's `postMessage` lists every byte as a
 * property, which takes 600 µs for 10 KB.
 *
 * Buffers of `bytes`, an envelope's body, are detached if the bytes fill them. Others are copied.
 *
 * @param name of the property that holds the value
 */
export function pack(value: unknown, name?: string): unknown {
  if (value instanceof Uint8Array) {
    return name === "bytes" ? ownBuffer(value) : value.slice().buffer;
  }
  return mapObject(value, pack);
}

/** The opposite of {@linkcode pack}. */
export function unpack(value: unknown): unknown {
  return value instanceof ArrayBuffer ? new Uint8Array(value) : mapObject(value, unpack);
}

/** The bodies in packed data, which are transferred. */
export function bodiesIn(value: unknown): ArrayBuffer[] {
  if (Array.isArray(value)) return value.flatMap(bodiesIn);
  const { bytes } = Object(value) as { bytes?: unknown };
  return bytes instanceof ArrayBuffer ? [bytes] : [];
}

function mapObject(value: unknown, map: (value: unknown, name?: string) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => map(item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, map(item, name)]));
}
