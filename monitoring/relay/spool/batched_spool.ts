import { Batches } from "../../storage/batches.ts";
import {
  type Dropped,
  type GossipReport,
  KEY_BYTES,
  type Lease,
  type LeasedEnvelope,
  type LeaseRequest,
  type PutResult,
  type ReceivedGossip,
  type Spool,
  type SpooledEnvelope,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";
import type { Release, SqlSpool } from "./sql_spool.ts";

/** A {@linkcode SqlSpool} in this thread, or in another one. */
export type SqlSpoolCalls = { readonly [Name in keyof SqlSpool]: SqlSpool[Name] };

interface BatchedSpoolOptions {
  readonly calls: SqlSpoolCalls;
  /** Part of a sentence. */
  readonly reasonOf: (error: unknown) => string;
  /** Whether an error is caused by a single envelope of a batch. */
  readonly isItemError?: (error: unknown) => boolean;
}

/** Commits together what is called while the database is busy. */
export class BatchedSpool implements Spool {
  readonly #calls: SqlSpoolCalls;
  readonly #reasonOf: (error: unknown) => string;
  readonly #puts: Batches<SpooledEnvelope, PutResult>;
  readonly #lookups: Batches<Uint8Array, boolean>;
  readonly #completions: Batches<Lease, boolean>;
  readonly #releases: Batches<Release, boolean>;
  /** Calls that `close` waits for. */
  readonly #running = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ calls, reasonOf, isItemError }: BatchedSpoolOptions) {
    this.#calls = calls;
    this.#reasonOf = reasonOf;
    this.#puts = new Batches({
      concurrency: 1,
      run: (envelopes) => calls.put(envelopes),
      sizeOf: ({ bytes }) => bytes.byteLength,
      isItemError,
    });
    this.#lookups = new Batches({ concurrency: 1, run: (keys) => calls.has(keys) });
    this.#completions = new Batches({ concurrency: 1, run: (leases) => calls.complete(leases) });
    this.#releases = new Batches({ concurrency: 1, run: (releases) => calls.release(releases) });
  }

  async put(envelope: SpooledEnvelope): Promise<PutResult> {
    const { key, receivedAt, categories } = envelope;
    if (key.byteLength !== KEY_BYTES || !Number.isSafeInteger(receivedAt) || categories === 0) {
      throw new TypeError(
        `Cannot spool: an envelope needs a key of ${KEY_BYTES} bytes, a time, and categories.`,
      );
    }
    const bytes = ownBytes(envelope.bytes);
    return await this.#call(() => this.#puts.add({ ...envelope, bytes }));
  }

  has(key: Uint8Array): Promise<boolean> {
    return this.#call(() => this.#lookups.add(key));
  }

  hasSequence(dsn: string, sequence: string): Promise<boolean> {
    return this.#call(() => this.#calls.hasSequence(dsn, sequence));
  }

  lease(request: LeaseRequest): Promise<LeasedEnvelope[]> {
    return this.#call(() => this.#calls.lease(request));
  }

  renew(leases: readonly Lease[], now: number): Promise<number[]> {
    return this.#call(() => this.#calls.renew(leases.map(leaseOf), now));
  }

  complete(lease: Lease): Promise<boolean> {
    return this.#call(() => this.#completions.add(leaseOf(lease)));
  }

  release(lease: Lease, notBefore: number, failures?: number): Promise<boolean> {
    return this.#call(() => this.#releases.add([leaseOf(lease), notBefore, failures]));
  }

  expire(now: number): Promise<Dropped[]> {
    return this.#call(() => this.#calls.expire(now));
  }

  stats(): Promise<SpoolStats> {
    return this.#call(() => this.#calls.stats());
  }

  exchange(report: GossipReport, now: number): Promise<ReceivedGossip[]> {
    return this.#call(() => this.#calls.exchange(report, now));
  }

  close(): Promise<void> {
    return this.#closing ??= (async () => {
      await Promise.allSettled(this.#running);
      await this.#calls.close();
    })();
  }

  /** Does a call unless the spool is closed. */
  #call<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(new SpoolUnavailableError("it is closed"));
    const call = work().catch((error) => {
      throw new SpoolUnavailableError(this.#reasonOf(error), { cause: error });
    });
    this.#running.add(call);
    const forget = () => void this.#running.delete(call);
    call.then(forget, forget);
    return call;
  }
}

/** Callers may pass whole envelopes: their bodies are not copied to a worker. */
function leaseOf({ id, lease }: Lease): Lease {
  return { id, lease };
}

/**
 * Detaches the bytes' buffer if they fill it, else copies them.
 *
 * @throws {TypeError} the buffer is already detached
 */
function ownBytes(bytes: Uint8Array): Uint8Array {
  const { buffer } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === bytes.byteLength;
  return isWhole ? new Uint8Array(buffer.transfer()) : bytes.slice();
}
