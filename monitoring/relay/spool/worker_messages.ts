/**
 * Messages between the server's thread and the spool's worker. Bytes are sent as transferred buffers: of a view, the
 * runtime's `postMessage` lists every byte as a property, which takes 600 µs for 10 KB.
 */
import {
  DatabaseFileError,
  DatabaseVersionError,
  SymbolicLinkError,
} from "../../storage/errors.ts";
import type { SpoolLimits } from "./spool_file.ts";
import {
  type Expired,
  type GossipReport,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  ownBuffer,
  type PutResult,
  type ReceivedGossip,
  type SpooledEnvelope,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";

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

/** One call of a `Spool` method. */
export type Call =
  | { readonly method: "put"; readonly envelope: Packed<SpooledEnvelope> }
  | { readonly method: "has"; readonly key: ArrayBuffer }
  | { readonly method: "hasSequence"; readonly dsn: string; readonly sequence: string }
  | { readonly method: "lease"; readonly request: LeaseRequest; readonly lease: string }
  | { readonly method: "renew"; readonly leases: readonly Lease[]; readonly now: number }
  | { readonly method: "complete"; readonly lease: Lease }
  | {
    readonly method: "release";
    readonly lease: Lease;
    readonly notBefore: number;
    readonly failures?: number;
  }
  | { readonly method: "expire"; readonly now: number }
  | { readonly method: "stats" }
  | {
    readonly method: "exchange";
    readonly report: PackedGossip<GossipReport>;
    readonly now: number;
  };

/** Method → type of its result. */
export interface CallResults {
  readonly put: PutResult;
  readonly has: boolean;
  readonly hasSequence: boolean;
  readonly lease: Packed<LeasedEnvelope>[];
  readonly renew: number[];
  readonly complete: boolean;
  readonly release: boolean;
  readonly expire: Expired;
  readonly stats: SpoolStats;
  readonly exchange: PackedGossip<ReceivedGossip>[];
}

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

/** An envelope with its bytes in buffers of their own. */
export interface Packed<E extends SpooledEnvelope> {
  readonly facts: Omit<E, "bytes" | "key">;
  readonly body: ArrayBuffer;
  readonly key: ArrayBuffer;
}

/**
 * Detaches the bytes' buffer if they fill it, else copies them.
 *
 * @throws {TypeError} the buffer is already detached
 */
export function pack<E extends SpooledEnvelope>({ bytes, key, ...facts }: E): Packed<E> {
  return { facts, body: ownBuffer(bytes), key: key.slice().buffer };
}

export function unpack<E extends SpooledEnvelope>({ facts, body, key }: Packed<E>): E {
  return { ...facts, bytes: new Uint8Array(body), key: new Uint8Array(key) } as unknown as E;
}

/** Gossip with its keys in a buffer of its own. */
export type PackedGossip<G extends GossipReport> = Omit<G, "keys"> & { readonly keys: ArrayBuffer };

export function packGossip<G extends GossipReport>({ keys, ...rest }: G): PackedGossip<G> {
  return { ...rest, keys: keys.slice().buffer };
}

export function unpackGossip<G extends GossipReport>({ keys, ...rest }: PackedGossip<G>): G {
  return { ...rest, keys: new Uint8Array(keys) } as unknown as G;
}
