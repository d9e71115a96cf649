import { isPostOfOwnPage } from "../access/caller.ts";
import { type WriteAccess, writeAccessRule } from "../access/write_access.ts";
import { type Dsn, parseDsn, publicKey } from "../protocol/dsn.ts";
import { errorAnswer, type ErrorFacts } from "../protocol/error_answer.ts";
import type { EnvelopeHeader } from "../protocol/envelope.ts";
import { parseContentEncoding } from "../protocol/encoding.ts";
import { isOwnTelemetry } from "../protocol/own_telemetry.ts";
import { INTERNAL_RELAY_URL } from "../protocol/relay_api.ts";
import { STOP } from "../protocol/stop_times.ts";
import { AllowList } from "./admit/allow_list.ts";
import { Duplicates } from "./admit/duplicates.ts";
import type { AdmittedEnvelope } from "../protocol/admitted_envelope.ts";
import type { IncomingBody } from "./admit/incoming_body.ts";
import { openEnvelope } from "./admit/incoming_envelope.ts";
import { type Answer, isTaken, limitedAnswer, refusedAnswer, takenAnswer } from "./answer.ts";
import { sentryAuth } from "./admit/sentry_auth.ts";
import { type BodyAccount, type BodyReader, createBodyReader } from "./body_reader.ts";
import { DisconnectedError, RelayError, toRelayError } from "./errors.ts";
import { RelayMetrics } from "./metrics.ts";
import { refusalOf } from "./refusal.ts";
import type { RelayOptions } from "./relay_options.ts";
import { SYSTEM_CLOCK } from "./send/clock.ts";
import { type Sender, senderOf } from "./send/sender.ts";
import { createIngestClient, type IngestClient } from "./send/ingest_client.ts";
import { RateLimits } from "./send/rate_limits.ts";
import { createSending } from "./sending.ts";
import { createGossip, type Gossip } from "./spool/gossip.ts";
import type { RelayParts } from "./spool/relay_parts.ts";
import { RelayStatus } from "./status.ts";

const STOPPING = "The server is stopping; send the envelope again later.";

/**
 * Receives envelopes and delivers, spools or stores them. Every envelope ends with an outcome.
 *
 * The parameter `peer` of its methods is the remote address of the connection; undefined: a request in process.
 */
export class Relay {
  readonly gossip: Gossip;
  readonly status: RelayStatus;
  readonly metrics = new RelayMetrics();
  readonly mode: "inbox" | "relay";
  readonly #options: RelayOptions;
  readonly #parts: RelayParts & { readonly client: IngestClient };
  readonly #writeAccess: ReturnType<typeof writeAccessRule>;
  readonly #bodies: BodyReader;
  readonly #sending: ReturnType<typeof createSending>;
  #isStopping = false;
  #isClosed = false;
  #abortTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RelayOptions) {
    const { store, allowedDsns, publicOrigin } = options;
    const { now = SYSTEM_CLOCK.now, uptime = SYSTEM_CLOCK.uptime } = options;
    const { inboxToken: token, trustedProxyHeader: proxyHeader, onDeploy } = options;
    this.#options = options;
    this.mode = store ? "inbox" : "relay";
    this.#writeAccess = writeAccessRule({
      ...options,
      inbox: store && { token, proxyHeader, onDeploy },
    });
    const shared = {
      clock: { ...SYSTEM_CLOCK, now, uptime },
      limits: new RateLimits(),
      metrics: this.metrics,
    };
    const parts = this.#parts = {
      ...shared,
      allowList: new AllowList(allowedDsns, {
        publicOrigin,
        advice: store && adviceFor(allowedDsns),
      }),
      client: createIngestClient({ ...options, ...shared }),
      duplicates: new Duplicates(),
    };
    this.#bodies = createBodyReader({
      ...options,
      maxBytes: options.maxEnvelopeBytes,
      onReceived: (bytes) => this.metrics.received(bytes),
    });
    this.#sending = createSending({ ...options, ...parts });
    this.gossip = createGossip(parts);
    this.status = new RelayStatus({
      ...options,
      ...parts,
      bodies: this.#bodies,
      isStopping: () => this.#isStopping,
    });
  }

  /** Starts to deliver from the spool, and to share with its other servers. Resolves when theirs is known, or after a second. */
  async start(): Promise<void> {
    await this.#options.spool?.start(this.gossip, {
      ...this.#parts,
      report: (body) =>
        void this.answer(new Request(INTERNAL_RELAY_URL, { method: "POST", body }), undefined),
    });
  }

  // The order of checks, the same at every address that takes envelopes: `answer`, then `#validate`, then `#deliver`.
  // Each throws the error of its row of docs/contract.md (errors.ts); any step may end with 503 overloaded. The route
  // checks the method.

  /**
   * Validates an envelope while it arrives, then delivers it. The answer has the CORS headers and the outcome's.
   *
   * @param project PROJECT of `POST /api/PROJECT/envelope/`. Default: `POST /monitoring`, where the envelope's header or
   *   the query has the DSN
   * @param open reads another kind of body. Default: an envelope
   */
  async answer(
    request: Request,
    peer: string | undefined,
    project?: string,
    open = openEnvelope,
  ): Promise<Answer> {
    using account = this.#bodies.open();
    let cors = {};
    let answer: Answer;
    let envelope: AdmittedEnvelope | undefined;
    let hasWrongToken = false;
    try {
      // 1. Origin: 403 origin_not_allowed.
      const access = requireAllowed(this.#writeAccess.check(request, peer));
      ({ cors, hasWrongToken } = access);
      if (this.#isClosed) throw new RelayError("overloaded", STOPPING);
      const incoming = open(
        (header) => this.#matchDsn(request, access, project, header),
        account.hold,
      );
      envelope = await this.#validate(request, peer, account, incoming);
      // No items: 200 {} without an outcome. SDKs post `{}` to test the connection.
      answer = envelope
        ? await this.#deliver(envelope, senderOf(request.headers, peer, this.#options))
        : takenAnswer({});
    } catch (error) {
      answer = this.#refused(request, error);
      if (hasWrongToken && answer.status === 403) {
        // Its bytes are not counted while it waits.
        account[Symbol.dispose]();
        await this.#options.wrongTokens?.refuse();
      }
    }
    const { outcome } = answer;
    if (outcome === undefined) return { ...answer, headers: { ...answer.headers, ...cors } };
    // A refused envelope may not have been read: then its request shows who sent it.
    const isOwn = envelope?.isOwn ??
      (project === undefined && this.#isOwn(undefined, request, peer));
    this.metrics.ended(outcome, answer.reason, 1, isOwn);
    this.metrics.itemsEnded(outcome, envelope?.items ?? []);
    if (outcome === "delivered" || outcome === "spooled") {
      this.metrics.itemsEnded("dropped", envelope?.notForwarded ?? []);
    }
    if (outcome === "stored") this.#options.onStoredFrom?.(request.headers.get("origin"));
    // By its key, the page asks what became of an envelope (`RelayStatus.health`).
    const followed = envelope?.isOwn && outcome === "spooled" ? `; key=${envelope.key}` : "";
    const headers = { ...answer.headers, ...cors, "x-relay-outcome": outcome + followed };
    return { ...answer, headers };
  }

  /** The allowed DSN of a request whose body names none, and the key that it names. Throws if it may not post. */
  dsnOf(request: Request, peer: string | undefined, project: string) {
    const access = requireAllowed(this.#writeAccess.check(request, peer));
    const { text } = this.#matchDsn(request, access, project);
    return { dsn: text, key: keyOf(request) };
  }

  #matchDsn(
    request: Request,
    { anyDsn }: { readonly anyDsn: boolean },
    project?: string,
    header?: EnvelopeHeader,
  ): Dsn {
    const allowed = this.#parts.allowList;
    if (anyDsn) return allowed.matchAny(header ?? {}, project);
    if (project !== undefined) return allowed.matchAddress(header ?? {}, request, project);
    return header
      ? allowed.match(header, request.url)
      : allowed.matchKey(request, this.#options.store === undefined);
  }

  async #validate(
    request: Request,
    peer: string | undefined,
    account: BodyAccount,
    incoming: IncomingBody,
  ): Promise<AdmittedEnvelope | undefined> {
    const receivedAt = this.#parts.clock.now();
    // 2. Encoding: 415 encoding_not_supported.
    const contentEncoding = parseContentEncoding(request.headers.get("content-encoding"));
    // 3. Announced size: 400 content_length_invalid, 413 envelope_too_large, 503 overloaded.
    // The body follows, checked while it arrives:
    // 4. Size, also decompressed: as in 3. Header line: 400 envelope_malformed.
    // 5. At the first byte of an item, the DSN: 403 dsn_missing, dsn_not_allowed.
    // 6. Framing: 400 envelope_malformed. Number of items: 413 envelope_too_large.
    const push = (chunk: Uint8Array) => incoming.push(chunk);
    const bytes = await this.#bodies.read(request, contentEncoding, account, push);
    const envelope = incoming.end();
    return envelope && {
      bytes,
      contentEncoding,
      ...envelope,
      // Not kept in memory while it is forwarded.
      parsed: this.#options.store && envelope.parsed,
      receivedAt,
      isOwn: this.#isOwn(envelope.header, request, peer),
      dsnKey: this.#options.store
        ? keyOf(request) ?? parseDsn(envelope.header.dsn)?.publicKey ?? null
        : null,
    };
  }

  async #deliver(envelope: AdmittedEnvelope, sender: Sender): Promise<Answer> {
    // 7. Rate limits of the ingest: 429.
    const limits = this.#sending.limitsOn(envelope);
    if (limits) return limitedAnswer(limits);
    // 8. Duplicates: 200, once the first one is delivered or durable.
    const { clock, duplicates } = this.#parts;
    const complete = await duplicates.begin(envelope.key, clock.uptime);
    if (!complete) return takenAnswer(envelope.header, "duplicate");
    let answer: Answer | undefined;
    try {
      // A limit may have been announced to the duplicate that this one waited for.
      const newLimits = this.#sending.limitsOn(envelope);
      // 9. Stored: 200. Forwarded: the ingest's answer. Spooled: 202. Else 503 spool_full, spool_unavailable.
      answer = newLimits ? limitedAnswer(newLimits) : await this.#sending.deliver(envelope, sender);
      const { outcome } = answer;
      if (isTaken(outcome) && outcome !== "duplicate") this.#options.exporter?.add(envelope);
      return answer;
    } finally {
      complete(isTaken(answer?.outcome));
    }
  }

  /** The mark in the header is no proof: any application could hide from lists by it. No header: it was not read. */
  #isOwn(header: EnvelopeHeader | undefined, request: Request, peer: string | undefined): boolean {
    const { allowedDsns, publicOrigin } = this.#options;
    const isMarked = header === undefined ||
      isOwnTelemetry(header) && this.#parts.allowList.find(header.dsn) === allowedDsns[0];
    return isMarked && (isPostOfOwnPage(request, publicOrigin) ||
      // In process.
      peer === undefined && request.url === INTERNAL_RELAY_URL);
  }

  #refused(request: Request, thrown: unknown): Answer {
    // The server may have ended the upload itself: after 503 the client sends it again.
    const error = this.#isStopping && thrown instanceof DisconnectedError
      ? new RelayError("overloaded", STOPPING)
      : toRelayError(thrown);
    // Not reported, because there is nothing to fix: a page that was closed sends the envelope again later.
    if (!(error instanceof DisconnectedError)) this.listRefusal(request, error);
    return refusedAnswer(error);
  }

  listRefusal(request: Request, error: { readonly code: string; readonly detail: string }): void {
    this.#options.onRefusal?.(refusalOf(request, error, this.#parts.clock.now()));
  }

  preflight(request: Request, peer: string | undefined): Response | Answer {
    try {
      const { cors } = requireAllowed(this.#writeAccess.checkPreflight(request, peer));
      return new Response(null, { status: 204, headers: cors });
    } catch (error) {
      // No envelope ended, so there is no outcome.
      return this.#refused(request, error);
    }
  }

  /** Refuses a POST at an address that takes no envelopes. Pages that may post can read the answer. */
  refuse(request: Request, peer: string | undefined, facts: ErrorFacts): Answer {
    const { error, detail } = facts;
    this.listRefusal(request, { code: error, detail });
    const access = this.#writeAccess.check(request, peer);
    return errorAnswer(facts, { "x-sentry-error": detail, ...access.allowed && access.cors });
  }

  /** Ends slow uploads, because connections are exhausted. */
  shedLoad(): void {
    this.#bodies.shedLoad();
  }

  /** Health is 503 from now on, and what the ingest does not answer soon is spooled. Resolves once deliveries have ended. */
  async stop(): Promise<void> {
    if (!this.#isStopping) {
      this.#isStopping = true;
      this.#abortTimer = setTimeout(() => this.#parts.client.abort(), STOP.lastAttempts);
      Deno.unrefTimer(this.#abortTimer);
    }
    await this.#options.spool?.stopDraining();
  }

  /** Aborts what is left, refuses further envelopes with 503, and closes connections and spool. */
  async close(): Promise<void> {
    this.#isStopping = true;
    this.#isClosed = true;
    clearTimeout(this.#abortTimer);
    this.#bodies.close();
    this.#parts.client.abort();
    await this.#options.spool?.close();
  }
}

const keyOf = (request: Request) => publicKey(sentryAuth(request, "sentry_key")[0]);

function requireAllowed(access: WriteAccess): WriteAccess & { allowed: true } {
  if (access.allowed) return access;
  throw new RelayError("origin_not_allowed", access.detail);
}

/** Advice for a refused sender on another machine: the first allowed DSN, with this server as its host. */
function adviceFor([first]: readonly Dsn[]): string | undefined {
  return first &&
    `From another machine or through a proxy, use the DSN http://${first.publicKey}@HOST:PORT/` +
      `${first.projectId} with this server's host and port (OpenTelemetry: OTEL_EXPORTER_OTLP_HEADERS=` +
      `x-sentry-auth=sentry%20sentry_key%3D${first.publicKey}), or send INBOX_TOKEN as Authorization: Bearer.`;
}
