import type { Dsn } from "../envelope/dsn.ts";
import { admit, type AdmittedEnvelope } from "./admission.ts";
import { AllowList } from "./allow_list.ts";
import { type Answer, takenAnswer, toResponse } from "./answer.ts";
import { PROGRESS_MS } from "./body.ts";
import { clientAddress } from "./client_address.ts";
import { errorAnswer, RelayError } from "./errors.ts";
import { InFlight } from "./in_flight.ts";
import { OriginRule } from "./origin.ts";
import { OutcomeCounter } from "./outcomes.ts";
import { type Sender, sendUpstream, UpstreamSilentError } from "./upstream.ts";
import { verdict } from "./verdict.ts";

export type { AdmittedEnvelope } from "./admission.ts";

/** Where envelopes end that go to no ingest. */
export interface EnvelopeStore {
  /** Resolves once the envelope is stored. Whatever it throws, the envelope counts as not stored. */
  store(envelope: AdmittedEnvelope): Promise<void> | void;
}

/** Takes envelopes from pages, and sees that none ends without an answer that says how. */
export interface Relay {
  /**
   * `POST /monitoring`: judges an envelope while it comes in, and delivers or stores it.
   *
   * @param peer address of the other end of the connection
   */
  receive(request: Request, peer: string | undefined): Promise<Response>;
  /** `OPTIONS /monitoring`: the preflight of pages of another origin. */
  preflight(request: Request): Response;
  /** `GET /monitoring`: 200, or 503 when nothing can be taken. */
  health(): Response;
  /** The server stops: from now on its health is 503. What comes nevertheless is still served. */
  stop(): void;
}

export interface RelayOptions {
  /** Every DSN that may be relayed. */
  readonly allowedDsns: readonly Dsn[];
  /** With a store nothing is forwarded: inbox mode. Default: relay mode. */
  readonly store?: EnvelopeStore;
  /** Bytes of one body on the wire; decompressed: 10 times that. */
  readonly maxEnvelopeBytes: number;
  /** Bytes of all bodies held at once. */
  readonly maxInFlightBytes: number;
  /** Milliseconds for one upstream attempt. */
  readonly relayTimeoutMs: number;
  /** Origin to send to in place of a DSN's own. */
  readonly upstream?: string;
  /** The page's origin as browsers see it, behind a proxy. */
  readonly publicOrigin?: string;
  /** Further origins whose pages may post. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Whether the ingest learns the sender's address. Default: no. */
  readonly forwardClientIp?: boolean;
  /** Header to take that address from, in lower case. Default: the peer's own. */
  readonly trustedProxyHeader?: string;
  /** Milliseconds that a body may stand still. Default: {@linkcode PROGRESS_MS}. */
  readonly bodyProgressMs?: number;
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Is told why the store failed. Default: standard error. */
  readonly onStoreError?: (error: unknown) => void;
}

/** Makes the relay of one server. */
export function createRelay(options: RelayOptions): Relay {
  const { store, now = Date.now, onStoreError = reportStoreError } = options;
  const origins = new OriginRule(options);
  const inFlight = new InFlight(options.maxInFlightBytes);
  const outcomes = new OutcomeCounter();
  const rules = {
    allowList: new AllowList(options.allowedDsns),
    inFlight,
    maxBytes: options.maxEnvelopeBytes,
    progressMs: options.bodyProgressMs ?? PROGRESS_MS,
  };
  const deliver = store ? keepIn(store, onStoreError) : forward(options, now);
  let stopping = false;

  return {
    async receive(request, peer) {
      let cors = {};
      let answer: Answer;
      const hold = inFlight.hold();
      try {
        cors = origins.judge(request);
        const envelope = await admit(request, hold, rules, now());
        answer = envelope
          ? await deliver(envelope, {
            userAgent: request.headers.get("user-agent"),
            address: clientAddress(request.headers, peer, options),
          })
          : takenAnswer({});
      } catch (error) {
        answer = errorAnswer(error);
      } finally {
        hold.release();
      }
      if (answer.outcome !== undefined) outcomes.count(answer.outcome);
      return toResponse(answer, cors);
    },

    preflight(request) {
      try {
        return new Response(null, { status: 204, headers: origins.preflight(request) });
      } catch (error) {
        const { outcome: _, ...answer } = errorAnswer(error);
        return toResponse(answer, {});
      }
    },

    health() {
      const healthy = !stopping && inFlight.hasRoomFor(1);
      return Response.json({
        is_healthy: healthy,
        mode: store ? "inbox" : "relay",
        // Without a spool nothing waits in one; who reads this finds the fields all the same.
        spool: { pending: 0, bytes: 0, oldest_age_s: 0 },
        outcomes: outcomes.counts,
        in_flight_bytes: inFlight.bytes,
      }, { status: healthy ? 200 : 503, headers: { "cache-control": "no-store" } });
    },

    stop() {
      stopping = true;
    },
  };
}

/** The last step of an envelope's way. */
type Delivery = (envelope: AdmittedEnvelope, sender: Sender) => Promise<Answer>;

/** Relay mode: to the ingest, which decides. */
function forward({ upstream, relayTimeoutMs }: RelayOptions, now: () => number): Delivery {
  const attempt = { origin: upstream, timeoutMs: relayTimeoutMs };
  return async (envelope, sender) => {
    try {
      return verdict(await sendUpstream(envelope, sender, attempt), envelope.header, now());
    } catch (error) {
      if (!(error instanceof UpstreamSilentError)) throw error;
      throw new RelayError(
        "spool_unavailable",
        "The ingest did not answer and nothing here keeps the envelope; send it again later.",
      );
    }
  };
}

/** Inbox mode: to the store, and nowhere else. */
function keepIn(store: EnvelopeStore, onStoreError: (error: unknown) => void): Delivery {
  return async (envelope) => {
    try {
      await store.store(envelope);
    } catch (error) {
      onStoreError(error);
      throw new RelayError(
        "spool_unavailable",
        "The inbox could not store the envelope; send it again later.",
      );
    }
    return takenAnswer(envelope.header, "stored");
  };
}

function reportStoreError(error: unknown): void {
  console.error("Cannot store an envelope:", error);
}
