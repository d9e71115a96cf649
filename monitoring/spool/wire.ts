/**
 * What the server's thread and the spool's worker say to each other. Bytes go as buffers: of a view, the runtime's
 * `postMessage` lists every byte as a property, 600 µs for 10 KB that a transferred buffer does not cost.
 */
import type { SpoolLimits } from "./spool_file.ts";
import type { Lease, LeaseRequest, SpooledEnvelope } from "./spool.ts";

/** An envelope, leased or not, with its bytes apart. */
export interface Packed<E extends SpooledEnvelope> {
  readonly facts: Omit<E, "bytes" | "key">;
  readonly body: ArrayBuffer;
  readonly key: ArrayBuffer;
}

/** Takes the bytes over if they fill their buffer, which is detached then; else copies them. */
export function pack<E extends SpooledEnvelope>({ bytes, key, ...facts }: E): Packed<E> {
  return { facts, body: own(bytes), key: key.slice().buffer };
}

export function unpack<E extends SpooledEnvelope>({ facts, body, key }: Packed<E>): E {
  return { ...facts, bytes: new Uint8Array(body), key: new Uint8Array(key) } as unknown as E;
}

/** @throws {TypeError} the bytes were taken over before */
function own(bytes: Uint8Array): ArrayBuffer {
  const { buffer } = bytes;
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== bytes.byteLength) {
    return bytes.slice().buffer;
  }
  return buffer.transfer();
}

/** One call of a `Spool` method. */
export type Call =
  | { readonly method: "put"; readonly envelope: Packed<SpooledEnvelope> }
  | { readonly method: "has"; readonly key: ArrayBuffer }
  | { readonly method: "hasSequence"; readonly dsn: string; readonly sequence: string }
  | { readonly method: "lease"; readonly request: LeaseRequest; readonly lease: string }
  | { readonly method: "renew"; readonly leases: readonly Lease[]; readonly now: number }
  | { readonly method: "done"; readonly lease: Lease }
  | {
    readonly method: "giveBack";
    readonly lease: Lease;
    readonly notBefore: number;
    readonly failures?: number;
  }
  | { readonly method: "expire"; readonly now: number }
  | { readonly method: "stats" };

/** Why a call failed: the facts of an error of spool.ts, or of one of the database's. */
export type Failure =
  | { readonly error: "full"; readonly maxBytes: number }
  | { readonly error: "unavailable"; readonly reason: string }
  | { readonly error: "file"; readonly file: string; readonly reason: string }
  | { readonly error: "link"; readonly file: string }
  | {
    readonly error: "version";
    readonly file: string;
    readonly found: number;
    readonly known: number;
  };

export type Result = { readonly value: unknown } | { readonly failure: Failure };

/** What the worker is started with. */
export interface WorkerData {
  readonly path: string;
  readonly limits: SpoolLimits;
}

/** A batch of calls, answered by one `results` with as many; or the end. */
export type ToWorker = { readonly calls: readonly Call[] } | { readonly close: true };

export type FromWorker =
  | { readonly opened: Failure | undefined }
  | { readonly results: readonly Result[] }
  | { readonly notice: string };
