import { isPostOfOwnPage } from "../access/caller.ts";
import { type WriteAccess, WriteAccessRule } from "../access/write_access.ts";
import { type Dsn, parseDsn } from "../protocol/dsn.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { decodeBody, parseContentEncoding } from "../protocol/encoding.ts";
import { isOwnTelemetry } from "../protocol/own_telemetry.ts";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { AllowList } from "./admit/allow_list.ts";
import { Duplicates } from "./admit/duplicates.ts";
import { type AdmittedEnvelope, IncomingEnvelope } from "./admit/incoming_envelope.ts";
import { type Answer, errorAnswer, heldAnswer, takenAnswer, toResponse } from "./answer.ts";
import { sentryAuth } from "./admit/sentry_auth.ts";
import { BodyReader } from "./body/body_reader.ts";
import type { BodyAccount } from "./body/in_flight.ts";
import { DisconnectedError, RelayError, toRelayError } from "./errors.ts";
import { RelayMetrics } from "./metrics.ts";
import { isTaken, OutcomeCounter } from "./outcomes.ts";
import type { ProcessReport } from "./process_report.ts";
import { refusalOf } from "./refusal.ts";
import type { RelayOptions } from "./relay_options.ts";
import { type Sender, senderOf } from "./send/sender.ts";
import { createSending } from "./send/sending.ts";
import type { Deliveries } from "./spool/deliveries.ts";
import type { Gossip } from "./spool/gossip.ts";
import { RelayStatus } from "./status.ts";

/** Why a POST is refused that is no envelope. */
interface PostError {
  readonly status: number;
  readonly error: string;
  /** What is wrong, and what would be right. */
  readonly detail: string;
}

/** Receives envelopes and delivers, spools or stores them. Every envelope ends with an outcome. */
export interface Relay {
  /**
   * Validates an envelope while it arrives, then delivers it.
   *
   * @param peer address of the connection's other end
   * @param project PROJECT of `POST /api/PROJECT/envelope/`. Default: `POST /monitoring`, where the envelope's header or
   *   the query has the DSN
   */
  receive(request: Request, peer: string | undefined, project?: string): Promise<Response>;
  /** The same for a server that makes the response. Its headers are complete. */
  answer(request: Request, peer: string | undefined, project?: string): Promise<Answer>;
  /** `OPTIONS` at these addresses: the preflight request of a page of another origin. */
  preflight(request: Request, peer: string | undefined): Response;
  /**
   * Refuses a POST at an address that takes no envelopes. Pages that may post can read the answer.
   *
   * @param error its `detail` is one ASCII sentence
   */
  refuse(request: Request, peer: string | undefined, error: PostError): Response;
  /** `GET /monitoring`: 200, or 503 if no envelope can be accepted. */
  health(): Promise<Response>;
  /** `GET /monitoring/metrics`: counts and gauges in Prometheus' text format. */
  metrics(): Promise<Response>;
  /** What this process has counted, and what it measures now. */
  report(): Promise<ProcessReport>;
  /** What the spool's drain needs of this relay. */
  readonly deliveries: Deliveries;
  /** What is shared with other relays on the same spool. */
  readonly gossip: Gossip;
  /** Ends slow uploads, because new connections wait for a free one. */
  shedLoad(): void;
  /**
   * Prepares the end of the process: health is 503 from now on. Requests are still served, and what
   * the ingest has not answered soon goes to the spool.
   */
  stop(): void;
  /**
   * Aborts what is left, closes the connections to the ingests, and refuses further envelopes with
   * 503.
   */
  close(): void;
}

/**
 * Milliseconds that attempts get once the server stops. What is undecided then still has to be
 * spooled within 4 s.
 */
const LAST_ATTEMPTS_MS = 1_500;

/** Sent with 503. */
const STOPPING = "The server is stopping; send the envelope again later.";

/** Creates the relay of one server. */
export function createRelay(options: RelayOptions): Relay {
  const { store, copies, now = Date.now, uptime = () => performance.now() } = options;
  const { inboxToken: token, trustedProxyHeader: proxyHeader, onDeploy } = options;
  const writeAccess = new WriteAccessRule({
    ...options,
    inbox: store && { token, proxyHeader, onDeploy },
  });
  const allowList = new AllowList(options.allowedDsns, {
    publicOrigin: options.publicOrigin,
    advice: store && adviceFor(options.allowedDsns),
  });
  const duplicates = new Duplicates();
  const metrics = new RelayMetrics();
  const outcomes = new OutcomeCounter(metrics.registry);
  const bodies = new BodyReader({
    maxBytes: options.maxEnvelopeBytes,
    maxInFlightBytes: options.maxInFlightBytes,
    onReceived: (bytes) => metrics.received(bytes),
    progressMs: options.bodyProgressMs,
    maxCorruptBrotli: options.maxCorruptBrotli,
  });
  const { inFlight } = bodies;
  const sending = createSending({
    ...options,
    allowList,
    duplicates,
    metrics,
    outcomes,
    now,
    uptime,
    report: (envelope) => void relay.receive(requestOf(envelope), undefined),
  });
  let isStopping = false;
  let isClosed = false;
  let abortTimer: ReturnType<typeof setTimeout> | undefined;
  const status = new RelayStatus({
    ...options,
    mode: store ? "inbox" : "relay",
    metrics,
    inFlight,
    sending,
    now,
    isStopping: () => isStopping,
  });

  // Every address that takes envelopes: `respond`, `validate` and `deliver` check the rows of docs/contract.md in
  // its order. Each check throws the error of its row (errors.ts). The method is checked by the
  // route.

  const respond: Relay["answer"] = async (request, peer, project) => {
    using account = inFlight.open();
    let cors = {};
    let answer: Answer;
    let items: AdmittedEnvelope["items"] = [];
    try {
      // Origin: 403 origin_not_allowed.
      const access = allowedOf(writeAccess.check(request, peer));
      cors = access.cors;
      if (isClosed) throw new RelayError("overloaded", STOPPING);
      const admitted = await validate(request, account, (header) => {
        if (access.anyDsn) return allowList.matchAny(header, project);
        return project === undefined
          ? allowList.match(header, request.url)
          : allowList.matchAddress(header, request, project);
      });
      const envelope = admitted && {
        ...admitted,
        isOwn: isOwn(admitted.header, request, peer),
        dsnKey: store ? dsnKeyOf(admitted.header, request) : null,
      };
      items = admitted?.items ?? [];
      // No items: 200 {} without an outcome. SDKs post `{}` to test the connection.
      answer = envelope
        ? await deliver(envelope, senderOf(request.headers, peer, options))
        : takenAnswer({});
    } catch (error) {
      answer = refuse(request, isStopping ? stoppingError(error) : error);
    }
    if (answer.outcome !== undefined) {
      outcomes.count(answer.outcome, answer.reason);
      outcomes.countItems(answer.outcome, items);
    }
    const origin = request.headers.get("origin");
    if (answer.outcome === "stored" && origin !== null) options.onStoredFrom?.(origin);
    const headers: Record<string, string> = { ...answer.headers, ...cors };
    if (answer.outcome !== undefined) headers["x-relay-outcome"] = answer.outcome;
    return { ...answer, headers };
  };

  /** The mark alone proves nothing: any application could hide itself from the lists with it. */
  const isOwn = (header: EnvelopeHeader, request: Request, peer: string | undefined): boolean =>
    isOwnTelemetry(header) && allowList.find(header.dsn) === options.allowedDsns[0] &&
    (isPostOfOwnPage(request, options.publicOrigin) ||
      // In process.
      peer === undefined && request.url === INTERNAL_RELAY_URL);

  const refuse = (request: Request, thrown: unknown): Answer => {
    const error = toRelayError(thrown);
    // There is nothing to fix: a page that was closed, for example, sends the envelope at its next visit.
    if (!(error instanceof DisconnectedError)) {
      options.onRefusal?.(refusalOf(request, error, now()));
    }
    return errorAnswer(error);
  };

  const validate = async (
    request: Request,
    account: BodyAccount,
    matchDsn: (header: EnvelopeHeader) => Dsn,
  ): Promise<Omit<AdmittedEnvelope, "isOwn" | "dsnKey"> | undefined> => {
    const receivedAt = now();
    // Encoding: 415 encoding_not_supported.
    const contentEncoding = parseContentEncoding(request.headers.get("content-encoding"));
    // Announced size: 413 envelope_too_large, 503 overloaded.
    await bodies.admit(request);
    // The body, a large one as it arrives. Size, also decompressed: as above. Header line: 400 envelope_malformed. First
    // byte of an item, its DSN: 403 dsn_missing, dsn_not_allowed. Framing: 400 envelope_malformed. Number of items: 413.
    const incoming = new IncomingEnvelope(matchDsn);
    const push = (chunk: Uint8Array) => incoming.push(chunk);
    const bytes = await bodies.read(request, contentEncoding, account, push);
    const envelope = incoming.end();
    const decoded = () => decodeBody(bytes, contentEncoding, bodies.maxDecodedBytes);
    return envelope && { ...envelope, bytes, contentEncoding, receivedAt, decoded };
  };

  const deliver = async (envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> => {
    // Rate limits of the ingest: 429.
    const limits = sending.limitsOn(envelope);
    if (limits) return heldAnswer(limits);
    // Duplicates: 200, once the first one is delivered or durable.
    const settle = await duplicates.begin(envelope.key, uptime);
    if (!settle) return takenAnswer(envelope.header, "duplicate");
    let answer: Answer | undefined;
    try {
      // A limit may have been announced to the duplicate that this one waited for.
      const newLimits = sending.limitsOn(envelope);
      const takeCopy = copies?.copy(envelope);
      // Stored: 200. Forwarded: the ingest's answer. Spooled: 202. Else 503 spool_full,
      // spool_unavailable.
      answer = newLimits ? heldAnswer(newLimits) : await sending.deliver(envelope, sender);
      const { outcome } = answer;
      if (isTaken(outcome) && outcome !== "duplicate") takeCopy?.();
      return answer;
    } finally {
      settle(isTaken(answer?.outcome));
    }
  };

  const relay: Relay = {
    receive: async (...of) => toResponse(await respond(...of)),
    answer: respond,

    preflight(request, peer) {
      try {
        const { cors } = allowedOf(writeAccess.checkPreflight(request, peer));
        return new Response(null, { status: 204, headers: cors });
      } catch (error) {
        // No envelope ended, so there is no outcome.
        return toResponse(refuse(request, error));
      }
    },

    refuse(request, peer, { status, error, detail }) {
      options.onRefusal?.(refusalOf(request, { code: error, detail }, now()));
      const access = writeAccess.check(request, peer);
      return Response.json({ error, detail }, {
        status,
        headers: { "x-sentry-error": detail, ...access.allowed && access.cors },
      });
    },

    health: () => status.health(),
    metrics: () => status.metrics(),
    report: () => status.report(),

    deliveries: sending.deliveries,
    gossip: sending.gossip,

    shedLoad: () => bodies.shedLoad(),

    stop() {
      if (isStopping) return;
      isStopping = true;
      abortTimer = setTimeout(() => sending.abort(), LAST_ATTEMPTS_MS);
      Deno.unrefTimer(abortTimer);
    },

    close() {
      isStopping = true;
      isClosed = true;
      clearTimeout(abortTimer);
      bodies.close();
      sending.abort();
    },
  };
  return relay;
}

/**
 * A server that stops ends uploads itself: that is not the client's error, so it may send them
 * again.
 */
function stoppingError(error: unknown): unknown {
  return error instanceof RelayError && error.code === "envelope_malformed"
    ? new RelayError("overloaded", STOPPING)
    : error;
}

function dsnKeyOf(header: EnvelopeHeader, request: Request): string | null {
  return sentryAuth(request, "sentry_key")[0] ?? parseDsn(header.dsn)?.publicKey ?? null;
}

/** @throws {RelayError} `origin_not_allowed` */
function allowedOf(access: WriteAccess): WriteAccess & { allowed: true } {
  if (access.allowed) return access;
  throw new RelayError("origin_not_allowed", access.detail);
}

/** For a sender that is not known to be on this machine: the own DSN with this server as its host. */
function adviceFor([own]: readonly Dsn[]): string | undefined {
  return own &&
    `From another machine or through a proxy, use the DSN http://${own.publicKey}@HOST:PORT/` +
      `${own.projectId} with this server's host and port, or send INBOX_TOKEN as Authorization:` +
      " Bearer.";
}

/** A request for an envelope of the relay itself. */
function requestOf(envelope: string): Request {
  return new Request(INTERNAL_RELAY_URL, { method: "POST", body: envelope });
}
