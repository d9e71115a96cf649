import assert from "node:assert/strict";
import { headerByReference } from "../../monitoring/protocol/testdata/reference_reader.ts";
import { type RunningRelay, startRelay } from "../relay/_start_relay.ts";
import { allowedOutcomes, duplicateKey, type Outcome } from "./contract.ts";
import { describeRequest, type HostileRequest, MAX_BYTES } from "./hostile_request.ts";

/** Far longer than any response takes: a longer wait is a hang. */
const RESPONSE_MS = 20_000;
const HOUR_MS = 3_600_000;
const INGEST_RESPONSE = { id: "of the ingest" };

/** A relay in this process, and clients that send it hostile requests. */
export interface ClientFuzzer {
  /** How requests ended so far, as `status code`. */
  readonly outcomes: ReadonlyMap<string, number>;
  /**
   * Sends a request and compares the response with the contract.
   *
   * @throws {Error} with the request's description
   */
  check(request: HostileRequest): Promise<void>;
  /** Advances the clock by an hour, after which no envelope is a duplicate of an earlier one. */
  forgetEnvelopes(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startClientFuzzer(): ClientFuzzer {
  const arrivals: { body: Uint8Array; encoding: string | null }[] = [];
  const ingest = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    arrivals.push({ body: await req.bytes(), encoding: req.headers.get("content-encoding") });
    return Response.json(INGEST_RESPONSE);
  });
  let uptime = 0;
  const server = startRelay({
    upstream: `http://127.0.0.1:${ingest.addr.port}`,
    maxEnvelopeBytes: MAX_BYTES,
    maxInFlightBytes: 4 * MAX_BYTES,
    uptime: () => uptime,
  });
  const outcomes = new Map<string, number>();
  const seenKeys = new Set<string>();

  async function check(request: HostileRequest): Promise<void> {
    const response = await send(server, request);
    const text = await response.text();
    const { status, headers } = response;
    const [arrived, ...more] = arrivals.splice(0);
    assert.equal(more.length, 0, "arrived more than once");
    const relayOutcome = headers.get("x-relay-outcome");
    const json = JSON.parse(text);
    const isTaken = status === 200 && relayOutcome !== null;
    const outcome: Outcome = isTaken
      ? "taken"
      : status === 200
      ? "empty"
      : `${status} ${json.error}`;
    const counted = isTaken ? `200 ${relayOutcome}` : outcome === "empty" ? "200 {}" : outcome;
    outcomes.set(counted, (outcomes.get(counted) ?? 0) + 1);

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
        assert.equal(relayOutcome, seenKeys.has(key) ? "duplicate" : "delivered");
        const ownResponse = typeof id === "string" && id !== "" ? { id } : {};
        assert.deepEqual(json, relayOutcome === "duplicate" ? ownResponse : INGEST_RESPONSE);
        seenKeys.add(key);
      }
      if (relayOutcome === "delivered") {
        assert.ok(arrived !== undefined, "delivered, but nothing arrived");
        assert.deepEqual(arrived.body, body);
        const encoding = request.headers["content-encoding"]?.toLowerCase() ?? null;
        assert.equal(arrived.encoding, encoding);
      }
    } else if (outcome === "empty") {
      assert.equal(text, "{}");
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
    const health = await (await server.relay.health()).json();
    assert.equal(health.in_flight_bytes, 0);
  }

  return {
    outcomes,
    async check(request) {
      try {
        await check(request);
        if (request.isSentTwice) await check(request);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${describeRequest(request)}`, {
          cause: error,
        });
      }
    },
    forgetEnvelopes() {
      uptime += HOUR_MS;
      seenKeys.clear();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await ingest.shutdown();
    },
  };
}

async function send(server: RunningRelay, request: HostileRequest): Promise<Response> {
  const timeout = new AbortController();
  const fail = () => timeout.abort(new Error(`No response in ${RESPONSE_MS} ms`));
  const timer = setTimeout(fail, RESPONSE_MS);
  try {
    return await fetch(`${server.origin}/monitoring${request.query}`, {
      method: "POST",
      headers: request.headers,
      body: request.isChunked ? new Blob([request.body]).stream() : request.body,
      signal: timeout.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
