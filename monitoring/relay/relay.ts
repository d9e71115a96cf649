import { type WriteAccess, WriteAccessRule } from "../access/write_access.ts";
import type { Dsn } from "../protocol/dsn.ts";
import { admit, type AdmittedEnvelope } from "./admission.ts";
import { AllowList } from "./allow_list.ts";
import { type Answer, heldAnswer, takenAnswer, toResponse } from "./answer.ts";
import { BodyMemory } from "./body_memory.ts";
import { BrokenBrotli } from "./broken_brotli.ts";
import { categoryOf } from "../protocol/categories.ts";
import { type EnvelopeStore, toIngest, toStore } from "./delivery.ts";
import { createDraining, type Draining } from "./draining.ts";
import { Duplicates } from "./duplicates.ts";
import { errorAnswer, RelayError } from "./errors.ts";
import { InFlight } from "./in_flight.ts";
import { IngestClient, type IngestClientOptions } from "./ingest_client.ts";
import type { IngestState } from "./ingest_health.ts";
import { RelayMetrics } from "./metrics.ts";
import { type Outcome, OutcomeCounter } from "./outcomes.ts";
import { Pace } from "./pace.ts";
import { RateLimits } from "./rate_limits.ts";
import { ReadingSlots } from "./reading_slots.ts";
import { type Sender, senderOf } from "./sender.ts";
import { type EnvelopeSpool, Spooling } from "./spooling.ts";

export type { AdmittedEnvelope } from "./admission.ts";
export type { EnvelopeStore } from "./delivery.ts";
export type { IngestState } from "./ingest_health.ts";
export type { EnvelopeSpool } from "./spooling.ts";

/** Takes envelopes from pages, and sees that none ends without an answer that says how. */
export interface Relay {
  /**
   * `POST /monitoring`: judges an envelope while it comes in, and delivers or stores it.
   *
   * @param peer address of the other end of the connection
   */
  receive(request: Request, peer: string | undefined): Promise<Response>;
  /** `OPTIONS /monitoring`: the preflight of pages of another origin. */
  preflight(request: Request, peer: string | undefined): Response;
  /** `GET /monitoring`: 200, or 503 when nothing can be taken. */
  health(): Promise<Response>;
  /** What the spool's drain needs of this relay. */
  readonly draining: Draining;
  /** Somebody waits for a connection: bodies that come slowly are let go sooner than else. */
  hurry(): void;
  /**
   * The server stops: from now on its health is 503. What comes nevertheless is still served, and
   * what has no answer from its ingest soon is kept in the spool.
   */
  stop(): void;
}

export interface RelayOptions {
  /** Every DSN that may be relayed. */
  readonly allowedDsns: readonly Dsn[];
  /** With a store nothing is forwarded: inbox mode. Default: relay mode. */
  readonly store?: EnvelopeStore;
  /** Keeps what an ingest does not take now. Default: none, and that stays with its sender. */
  readonly spool?: EnvelopeSpool;
  /** Bytes of one body on the wire; decompressed: 10 times that. */
  readonly maxEnvelopeBytes: number;
  /** Bytes of all bodies held at once. */
  readonly maxInFlightBytes: number;
  /** Milliseconds for one upstream attempt. */
  readonly relayTimeoutMs: number;
  /** Origin to send to in place of a DSN's own. */
  readonly upstream?: string;
  /** Proxies on the way to the ingests. Default: none. */
  readonly proxies?: IngestClientOptions["proxies"];
  /** The page's origin as browsers see it, behind a proxy. */
  readonly publicOrigin?: string;
  /** Further origins whose pages may post. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Whether a platform's proxy is between the server and every client. Default: no. */
  readonly onDeploy?: boolean;
  /** Whether the ingest learns the sender's address and client hints. Default: no. */
  readonly forwardClientIp?: boolean;
  /** Header to take that address from, in lower case. Default: the peer's own. */
  readonly trustedProxyHeader?: string;
  /** Milliseconds that a body may stand still. Default: 30 seconds. */
  readonly bodyProgressMs?: number;
  /** Large bodies that are read at the same time. Default: {@linkcode MAX_READING}. */
  readonly maxReading?: number;
  /** Brotli bodies that may fail to decompress. Default: {@linkcode MAX_BROKEN_BROTLI}. */
  readonly maxBrokenBrotli?: number;
  /** Sends requests to the ingests. Default: a connection pool of its own. */
  readonly connections?: IngestClientOptions["connections"];
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
  /** Milliseconds of a clock that never goes back. Default: the process's own. */
  readonly uptime?: () => number;
  /** Told when an ingest goes down and when it answers again, never for each envelope. Default: nobody. */
  readonly onIngestState?: (state: IngestState) => void;
  /** Is told why the store failed. Default: standard error. */
  readonly onStoreError?: (error: unknown) => void;
}

/**
 * Once the server stops, attempts get this long, in milliseconds, so that what has no answer then is
 * still kept before the server ends: it has four seconds for everything.
 */
const LAST_ATTEMPTS_MS = 1_500;

/** Makes the relay of one server. */
export function createRelay(options: RelayOptions): Relay {
  const { store, now = Date.now, uptime = () => performance.now() } = options;
  const writeAccess = new WriteAccessRule({
    ...options,
    refusesRebinding: store !== undefined && !options.onDeploy,
  });
  const metrics = new RelayMetrics();
  const inFlight = new InFlight(options.maxInFlightBytes, (bytes) => metrics.received(bytes));
  const outcomes = new OutcomeCounter(metrics);
  const limits = new RateLimits();
  const duplicates = new Duplicates();
  // Not with a store: it may read a body still when its answer is made.
  const memory = store ? undefined : new BodyMemory();
  const rules = {
    memory,
    allowList: new AllowList(options.allowedDsns),
    inFlight,
    maxBytes: options.maxEnvelopeBytes,
    pace: new Pace(options.bodyProgressMs),
    slots: new ReadingSlots(options.maxReading),
    brokenBrotli: new BrokenBrotli(options.maxBrokenBrotli),
  };
  const client = new IngestClient({ ...options, limits, metrics, now, uptime });
  const spooling = options.spool && new Spooling(options.spool, uptime);
  metrics.watch({
    inFlightBytes: () => inFlight.bytes,
    spool: async () => {
      if (spooling === undefined) return undefined;
      const { spool: { pending, bytes, oldest_age_s }, known } = await lookAtSpool(spooling, now());
      return known ? { pending, bytes, oldestAgeSeconds: oldest_age_s } : undefined;
    },
  });
  const deliver = store ? toStore(store, options.onStoreError) : toIngest(client, spooling, now);
  let stopping = false;

  /** What is left to judge of an envelope that may go where its DSN leads, and then its delivery. */
  const take = async (envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> => {
    const { dsn, header, items, key } = envelope;
    const categories = items.map(({ type }) => categoryOf(type));
    const held = () => limits.judge(dsn.text, categories, uptime());
    const limit = held();
    if (limit) return heldAnswer(limit);
    const begun = duplicates.begin(key, uptime);
    const settle = begun instanceof Promise ? await begun : begun;
    if (!settle) return takenAnswer(header, "duplicate");
    let outcome: Outcome | undefined;
    try {
      // Asked again: one like it, whose end it awaited, may have been told of a limit.
      const since = held();
      const answer = since ? heldAnswer(since) : await deliver(envelope, sender, held);
      outcome = answer.outcome;
      return answer;
    } finally {
      settle(outcome !== undefined && TAKEN.has(outcome));
    }
  };

  const relay: Relay = {
    async receive(request, peer) {
      let cors = {};
      let answer: Answer;
      let envelope: AdmittedEnvelope | undefined;
      const hold = inFlight.hold();
      try {
        cors = corsOf(writeAccess.check(request, peer));
        envelope = await admit(request, hold, rules, now());
        answer = envelope
          ? await take(envelope, senderOf(request.headers, peer, options))
          : takenAnswer({});
      } catch (error) {
        answer = errorAnswer(stopping ? stoppedBy(error) : error);
      } finally {
        if (envelope) memory?.give(envelope.bytes);
        hold.release();
      }
      if (answer.outcome !== undefined) outcomes.count(answer.outcome, answer.reason);
      return toResponse(answer, cors);
    },

    preflight(request, peer) {
      try {
        const cors = corsOf(writeAccess.checkPreflight(request, peer));
        return new Response(null, { status: 204, headers: cors });
      } catch (error) {
        const answer = { ...errorAnswer(error), outcome: undefined };
        return toResponse(answer, {});
      }
    },

    async health() {
      const { spool, fails } = await lookAtSpool(spooling, now());
      // An ingest that is down is no illness, as long as what it does not take can be kept.
      const { failing } = client;
      const takesNothing = (fails && failing.length > 0) || store?.canStore?.() === false;
      const healthy = !stopping && inFlight.hasRoomFor(1) && !takesNothing;
      return Response.json({
        is_healthy: healthy,
        mode: store ? "inbox" : "relay",
        spool,
        ...(failing.length > 0 && { ingest: { failing } }),
        outcomes: outcomes.counts,
        in_flight_bytes: inFlight.bytes,
      }, { status: healthy ? 200 : 503, headers: { "cache-control": "no-store" } });
    },

    draining: createDraining({
      client,
      allowList: rules.allowList,
      limits,
      outcomes,
      now,
      uptime,
      report: (envelope) => void relay.receive(ownRequest(envelope), undefined),
    }),

    hurry: () => rules.pace.hurry(),

    stop() {
      if (stopping) return;
      stopping = true;
      const timer = setTimeout(() => client.abort(), LAST_ATTEMPTS_MS);
      Deno.unrefTimer(timer);
    },
  };
  return relay;
}

/** The spool's part of the health; without one nothing waits in it, and who reads this finds the fields all the same. */
async function lookAtSpool(spooling: Spooling | undefined, now: number) {
  const empty = { pending: 0, bytes: 0, oldest_age_s: 0 };
  if (spooling === undefined) return { spool: empty, known: true, fails: false };
  try {
    const { pending, bytes, oldestAt = now } = await spooling.stats();
    const age = Math.max(0, Math.floor((now - oldestAt) / 1000));
    return { spool: { pending, bytes, oldest_age_s: age }, known: true, fails: spooling.isFailing };
  } catch {
    // What it holds cannot be said; that it fails is.
    return { spool: empty, known: false, fails: true };
  }
}

/** A server that stops breaks off bodies that still come in: that is no fault of who sends them. */
function stoppedBy(error: unknown): unknown {
  return error instanceof RelayError && error.code === "envelope_malformed"
    ? new RelayError("overloaded", "The server stops; send the envelope again later.")
    : error;
}

/** @throws {RelayError} `origin_not_allowed` */
function corsOf(access: WriteAccess): Readonly<Record<string, string>> {
  if (access.allowed) return access.cors;
  throw new RelayError("origin_not_allowed", access.detail);
}

/** `.invalid` because no connection is ever opened for it (RFC 2606, section 2). */
function ownRequest(envelope: string): Request {
  return new Request("http://relay.invalid/monitoring", { method: "POST", body: envelope });
}

/** Delivered, or where it lasts: one like it has nothing to add. */
const TAKEN: ReadonlySet<Outcome> = new Set(["delivered", "spooled", "stored", "duplicate"]);
