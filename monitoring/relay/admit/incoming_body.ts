import type { AdmittedEnvelope } from "../../protocol/admitted_envelope.ts";
import type { Dsn } from "../../protocol/dsn.ts";
import type { EnvelopeHeader } from "../../protocol/envelope.ts";
import { joinBytes } from "../../protocol/join_bytes.ts";
import { RelayError } from "../errors.ts";

/** `bytes` and `contentEncoding`: if not those that were received. */
export type AdmittedBody =
  & Omit<AdmittedEnvelope, "bytes" | "contentEncoding" | "receivedAt" | "isOwn" | "dsnKey">
  & Partial<Pick<AdmittedEnvelope, "bytes" | "contentEncoding">>;

/** A body that is validated while it arrives. Its methods throw what the sender is answered. */
export interface IncomingBody {
  /** @param chunk decompressed; it may be reused afterwards */
  push(chunk: Uint8Array): void;
  /** Checks that the body is complete. Undefined: there is nothing to deliver. */
  end(): AdmittedBody | undefined;
}

/**
 * @param matchDsn finds the allowed DSN, and throws if there is none. Without a header the public key names it
 * @param hold counts decompressed bytes that are kept, and throws if there are too many
 */
export type OpenBody = (
  matchDsn: (header?: EnvelopeHeader) => Dsn,
  hold: (bytes: number) => void,
) => IncomingBody;

/** Decompressed bytes of a body that is parsed at once, during which the server does nothing else. */
const MAX_PARSED_BYTES = 20 * 1024 * 1024;

export class WholeBody {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #total = 0;

  constructor(readonly hold: (bytes: number) => void) {}

  /** @throws {RelayError} `envelope_too_large`, `overloaded` */
  push(chunk: Uint8Array): void {
    this.#total += chunk.length;
    if (this.#total > MAX_PARSED_BYTES) {
      const detail = `The body is larger than ${MAX_PARSED_BYTES} bytes once decompressed.`;
      throw new RelayError("envelope_too_large", detail);
    }
    this.hold(chunk.length);
    this.#chunks.push(chunk.slice());
  }

  end(): Uint8Array {
    return joinBytes(this.#chunks, this.#total);
  }
}
