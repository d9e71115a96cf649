import assert from "node:assert/strict";
import { headerByReference } from "../../monitoring/protocol/testdata/reference_reader.ts";
import { type RunningRelay, startRelay } from "../relay/_start_relay.ts";
import { allowedOutcomes, type Outcome, sameness } from "./contract.ts";
import { describeRequest, type HostileRequest, MAX_BYTES } from "./hostile_request.ts";

/** Far longer than any answer takes: a request without one has found a hang. */
const ANSWER_MS = 20_000;
const HOUR = 3_600_000;
const INGEST_ANSWER = { id: "of the ingest" };

/** The relay on a real port, with an ingest that keeps only the last envelope. */
export interface FuzzedRelay {
  /** How requests ended so far, as `status code`. */
  readonly outcomes: ReadonlyMap<string, number>;
  /**
   * Sends a request and compares its answer with the contract.
   *
   * @throws {Error} with the request's description
   */
  check(request: HostileRequest): Promise<void>;
  /** Advances the clock by an hour, so that earlier envelopes are no duplicates any more. */
  forget(): void;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startFuzzedRelay(): FuzzedRelay {
  const arrivals: { body: Uint8Array; encoding: string | null }[] = [];
  const ingest = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (req) => {
    arrivals.push({ body: await req.bytes(), encoding: req.headers.get("content-encoding") });
    return Response.json(INGEST_ANSWER);
  });
  let uptime = 0;
  const server = startRelay({
    upstream: `http://127.0.0.1:${ingest.addr.port}`,
    maxEnvelopeBytes: MAX_BYTES,
    maxInFlightBytes: 4 * MAX_BYTES,
    uptime: () => uptime,
  });
  const outcomes = new Map<string, number>();
  const seen = new Set<string>();

  async function check(request: HostileRequest): Promise<void> {
    const response = await send(server, request);

    const text = await response.text();
    const { status, headers } = response;
    const [arrived, ...more] = arrivals.splice(0);
    assert.equal(more.length, 0, "arrived more than once");
    const relayOutcome = headers.get("x-relay-outcome");
    const answer = JSON.parse(text);
    const isTaken = status === 200 && relayOutcome !== null;
    const outcome: Outcome = isTaken
      ? "taken"
      : status === 200
      ? "empty"
      : `${status} ${answer.error}`;
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
        const same = sameness(content);
        assert.equal(relayOutcome, seen.has(same) ? "duplicate" : "delivered");
        const own = typeof id === "string" && id !== "" ? { id } : {};
        assert.deepEqual(answer, relayOutcome === "duplicate" ? own : INGEST_ANSWER);
        seen.add(same);
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
      assert.deepEqual(Object.keys(answer), ["error", "detail"]);
      assert.match(answer.detail, /^[A-Z][ -~]+\.$/);
      assert.equal(headers.get("x-sentry-error"), answer.detail);
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
        if (request.again) await check(request);
      } catch (error) {
        throw new Error(`${(error as Error).message}\n${describeRequest(request)}`, {
          cause: error,
        });
      }
    },
    forget() {
      uptime += HOUR;
      seen.clear();
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await ingest.shutdown();
    },
  };
}

async function send(server: RunningRelay, request: HostileRequest): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`No answer in ${ANSWER_MS} ms`)), ANSWER_MS);
  try {
    return await fetch(`${server.origin}/monitoring${request.query}`, {
      method: "POST",
      headers: request.headers,
      body: request.chunked ? new Blob([request.body]).stream() : request.body,
      signal: late.signal,
    });
  } finally {
    clearTimeout(timer);
  }
}
