/** A relay, and clients that send it hostile requests. */
import assert from "node:assert/strict";
import type { HostileBytes } from "../../monitoring/models/otlp/testdata/hostile_bytes.ts";
import { contentTypeOf, signalOf } from "../../monitoring/protocol/format.ts";
import { headerByReference } from "../../monitoring/protocol/testdata/reference_reader.ts";
import { startRelay } from "../relay/_start_relay.ts";
import { allowedOutcomes, duplicateKey, type Outcome } from "./contract.ts";
import { describeRequest, type HostileRequest, MAX_BYTES } from "./hostile_request.ts";

/** Far longer than any response takes: a longer wait is a hang. */
const RESPONSE_MS = 20_000;
const HOUR_MS = 3_600_000;
const INGEST_RESPONSE = { id: "of the ingest" };

export class ClientFuzzer implements AsyncDisposable {
  /** How requests ended so far, as `status code`. */
  readonly outcomes = new Map<string, number>();
  readonly #seenKeys = new Set<string>();
  readonly #arrivals: { body: Uint8Array; encoding: string | null }[] = [];
  readonly #ingest = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    this.#arrivals.push({
      body: await req.bytes(),
      encoding: req.headers.get("content-encoding"),
    });
    return Response.json(INGEST_RESPONSE);
  });
  #uptime = 0;
  readonly #relay = startRelay({
    upstream: `http://127.0.0.1:${this.#ingest.addr.port}`,
    maxEnvelopeBytes: MAX_BYTES,
    maxInFlightBytes: 4 * MAX_BYTES,
    uptime: () => this.#uptime,
  });

  /**
   * Sends a request and compares the response with the contract.
   *
   * @throws {Error} with the request's description
   */
  async check(request: HostileRequest): Promise<void> {
    try {
      await this.#check(request);
      if (request.isSentTwice) await this.#check(request);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${describeRequest(request)}`, { cause: error });
    }
  }

  async #check(request: HostileRequest): Promise<void> {
    const response = await fetch(`${this.#relay.origin}/monitoring${request.query}`, {
      method: "POST",
      headers: request.headers,
      body: request.isChunked ? new Blob([request.body]).stream() : request.body,
      signal: AbortSignal.timeout(RESPONSE_MS),
    });
    const { status, headers } = response;
    const json = await response.json();
    const [arrived, ...more] = this.#arrivals.splice(0);
    assert.equal(more.length, 0, "arrived more than once");
    const relayOutcome = headers.get("x-relay-outcome");
    const isTaken = status === 200 && relayOutcome !== null;
    const outcome: Outcome = isTaken
      ? "taken"
      : status === 200
      ? "empty"
      : `${status} ${json.error}`;
    const counted = isTaken ? `200 ${relayOutcome}` : outcome === "empty" ? "200 {}" : outcome;
    this.outcomes.set(counted, (this.outcomes.get(counted) ?? 0) + 1);

    const allowed = allowedOutcomes(request);
    assert.ok(
      allowed.includes(outcome),
      `${counted}, but the contract allows ${allowed.join(", ")}`,
    );
    if (isTaken) {
      const { body, content } = request;
      if (content instanceof Uint8Array) {
        const id = headerByReference([...content])?.header.event_id;
        const key = duplicateKey(content);
        assert.equal(relayOutcome, this.#seenKeys.has(key) ? "duplicate" : "delivered");
        const ownResponse = typeof id === "string" && id !== "" ? { id } : {};
        assert.deepEqual(json, relayOutcome === "duplicate" ? ownResponse : INGEST_RESPONSE);
        this.#seenKeys.add(key);
      }
      if (relayOutcome === "delivered") {
        assert.ok(arrived !== undefined, "delivered, but nothing arrived");
        assert.deepEqual(arrived.body, body);
        assert.equal(arrived.encoding, request.headers["content-encoding"]?.toLowerCase() ?? null);
      }
    } else if (outcome === "empty") {
      assert.deepEqual(json, {});
    } else {
      assert.deepEqual(Object.keys(json), ["error", "detail"]);
      assert.match(json.detail, /^[A-Z][ -~]+\.$/);
      assert.equal(headers.get("x-sentry-error"), json.detail);
      assert.equal(relayOutcome, "rejected");
      assert.equal(headers.get("retry-after"), null);
    }
    if (relayOutcome !== "delivered") {
      assert.equal(arrived, undefined, "arrived, but not delivered");
    }
    assert.equal((await this.#relay.health()).in_flight_bytes, 0);
  }

  /**
   * Sends a damaged OTLP request, and compares the response with the contract.
   *
   * @throws {Error} with the request
   */
  async checkOtlp({ bytes, format }: HostileBytes): Promise<void> {
    const contentType = contentTypeOf(format);
    const response = await this.#relay.postOtlp(`/v1/${signalOf(format)}`, bytes, {
      "content-type": contentType,
    });
    const { status, headers } = response;
    const body = await response.bytes();
    const [arrived] = this.#arrivals.splice(0);
    const outcome = `OTLP ${status} ${headers.get("x-relay-outcome") ?? "empty"}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    const description = `${outcome}, ${format} in base64: ${bytes.toBase64()}`;
    const allowed = bytes.length > MAX_BYTES ? /413 rejected/ : /200 (?!spooled)|400 rejected/;
    assert.match(outcome, allowed, description);
    assert.equal(headers.get("content-type"), contentType, description);
    if (contentType === "application/json") {
      assert.equal(typeof JSON.parse(new TextDecoder().decode(body)), "object", description);
    } else {
      // A field 1 of the answer, or none: `partial_success`, or the code of the status.
      assert.equal(
        body[0],
        status !== 200 ? 0x08 : body.length > 0 ? 0x0a : undefined,
        description,
      );
    }
    assert.deepEqual(arrived?.body, outcome.endsWith("delivered") ? bytes : undefined, description);
    assert.equal((await this.#relay.health()).in_flight_bytes, 0);
  }

  /** Advances the clock by an hour, after which no envelope is a duplicate of an earlier one. */
  forgetEnvelopes(): void {
    this.#uptime += HOUR_MS;
    this.#seenKeys.clear();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.#ingest.shutdown();
  }
}
