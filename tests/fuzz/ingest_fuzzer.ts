import assert from "node:assert/strict";
import { GOOD_BODY, RawIngest } from "./_raw_ingest.ts";
import { RelayProcess } from "./_relay_process.ts";
import type { ClientResponse } from "./_strict_response.ts";
import type { HostileAnswer } from "./hostile_answer.ts";

const HOUR_MS = 3_600_000;

/** A relay in a process of its own, and an ingest that gives it hostile answers. */
export interface IngestFuzzer {
  /** Number of hostile answers by their effect: status and `X-Relay-Outcome` of the relay's response. */
  readonly outcomes: ReadonlyMap<string, number>;
  /**
   * Posts an envelope that gets this answer, then one that gets a good one, then one an hour later.
   *
   * @throws {Error} with the answer's description; also if the relay's process has ended
   */
  check(answer: HostileAnswer): Promise<void>;
  /** Bytes in use in the relay's process, after garbage collection. */
  memoryInUse(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
}

export function startIngestFuzzer(): IngestFuzzer {
  const ingest = new RawIngest();
  const outcomes = new Map<string, number>();
  let relay: RelayProcess | undefined;

  /** The relay's process, started again if an answer has ended it. */
  const runningRelay = async () => {
    if (relay === undefined || relay.hasEnded) relay = await RelayProcess.start(ingest.origin);
    return relay;
  };

  async function check(answer: HostileAnswer): Promise<void> {
    const relay = await runningRelay();
    ingest.answer = answer;
    const response = await relay.post();
    ingest.answer = undefined;
    const outcome = `${response.status} ${response.headers["x-relay-outcome"] ?? ""}`;
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    expectEffectOf(answer, response);

    const { requests } = ingest;
    const next = await relay.post();
    expectRateLimitOf(answer, next, ingest.requests > requests);

    await relay.advanceClock(HOUR_MS);
    expectDelivered(await relay.post(), "a rate limit lasts for more than an hour");
    assert.equal(await relay.bytesOf("in-flight"), 0, "bytes stay in flight");
  }

  return {
    outcomes,
    async check(answer) {
      try {
        await check(answer);
      } catch (error) {
        throw new Error(
          `${(error as Error).message}\n${answer.description}\n` +
            `wire, ${answer.wire.length} bytes, in base64: ${
              answer.wire.subarray(0, 4_000).toBase64()
            }`,
          { cause: error },
        );
      }
    },
    memoryInUse: async () => await (await runningRelay()).bytesOf("memory"),
    async [Symbol.asyncDispose]() {
      await relay?.stop();
      ingest.close();
    },
  };
}

/** Checks the response to the envelope that got the hostile answer. */
function expectEffectOf(answer: HostileAnswer, response: ClientResponse): void {
  const { status, headers, body } = response;
  const outcome = headers["x-relay-outcome"];
  if (status === 503) {
    assert.ok(
      answer.classification === "undecided" || answer.mayBeRefused,
      `503, but the ingest decided: ${answer.classification}`,
    );
    assert.equal(outcome, "rejected");
    assert.equal(headers["retry-after"], undefined);
    assert.equal(JSON.parse(new TextDecoder().decode(body)).error, "spool_unavailable");
    return;
  }
  // Clients cannot see where a 205 of Deno ends: the server sends 204 instead.
  const expected = answer.status === 205 ? 204 : answer.status;
  assert.equal(status, expected, "another status than the ingest's");
  assert.equal(outcome, answer.classification);
  assert.equal(headers["retry-after"] !== undefined, status === 429);
  if (answer.body !== undefined) {
    assert.deepEqual(body, answer.body, "another body than the ingest's");
  }
}

/** Checks the response to the next envelope: rate limited exactly if the hostile answer announced a limit on errors. */
function expectRateLimitOf(
  { rateLimitSeconds, mayBeRefused }: HostileAnswer,
  response: ClientResponse,
  wasSent: boolean,
): void {
  const isRateLimited = response.status === 429;
  // A client that refuses the answer ignores its limits, too.
  if (!mayBeRefused) {
    assert.equal(isRateLimited, rateLimitSeconds > 0, `announced: ${rateLimitSeconds} s`);
  }
  if (!isRateLimited) return expectDelivered(response, "the next envelope is not delivered");
  assert.ok(!wasSent, "an envelope was sent during a rate limit");
  assert.equal(response.headers["x-relay-outcome"], "rate_limited");
  if (!mayBeRefused) {
    assert.equal(response.headers["retry-after"], `${Math.max(1, Math.ceil(rateLimitSeconds))}`);
  }
}

/** Checks that the good answer is forwarded, without any part of the hostile answer before it. */
function expectDelivered({ status, headers, body }: ClientResponse, message: string): void {
  assert.equal(status, 200, message);
  assert.equal(headers["x-relay-outcome"], "delivered", message);
  assert.equal(new TextDecoder().decode(body), GOOD_BODY, "the body of an earlier answer");
}
