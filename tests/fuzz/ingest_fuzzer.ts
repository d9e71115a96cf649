/** A relay whose ingest gives it hostile answers. */
import assert from "node:assert/strict";
import { exchange } from "../harness/send_raw.ts";
import {
  answers,
  answersRaw,
  type IngestBehaviour,
  startStandInIngest,
} from "../harness/stand_in_ingest.ts";
import { concat, fresh, type RunningRelay, startRelay } from "../relay/_start_relay.ts";
import type { HostileAnswer } from "./hostile_answer.ts";
import { type ClientResponse, parseStrictly } from "./strict_response.ts";

const GOOD_BODY = '{"id":"of a good answer"}';
const GOOD_ANSWER = answers(200, {
  headers: { "content-type": "application/json" },
  body: GOOD_BODY,
});
const HOUR_MS = 3_600_000;
/** The clock of the relay at the start. */
const START = Date.parse("2026-01-01T00:00:00Z");
/** Short, because every answer that never ends takes this long; long enough for good answers on a busy machine. */
const RELAY_TIMEOUT_MS = 2_000;

export class IngestFuzzer implements AsyncDisposable {
  /** Number of hostile answers by their effect: status and `X-Relay-Outcome` of the relay's response. */
  readonly outcomes = new Map<string, number>();
  /** The answer to the next requests; undefined: a good one. */
  #answer: HostileAnswer | undefined;
  /** Number of requests received. */
  #requests = 0;
  readonly #ingest = startStandInIngest({
    keepRequests: false,
    bufferBytes: 64,
    beforeBody: () => {
      this.#requests++;
      // Closing with unread bytes makes the system send a reset.
      const isFirst = this.#answer?.isEarly || this.#answer?.afterwards === "reset";
      return isFirst ? this.#behaviour() : undefined;
    },
  });
  #elapsed = 0;
  readonly #relay: RunningRelay = startRelay({
    upstream: this.#ingest.origin,
    relayTimeoutMs: RELAY_TIMEOUT_MS,
    uptime: () => this.#elapsed,
    now: () => START + this.#elapsed,
  });

  constructor() {
    this.#ingest.behave(() => this.#behaviour());
  }

  #behaviour(): IngestBehaviour {
    if (this.#answer === undefined) return GOOD_ANSWER;
    return answersRaw(this.#answer.wire, this.#answer.afterwards !== "keep");
  }

  /**
   * Posts an envelope that gets this answer, then one that gets a good one, then one an hour later.
   *
   * @throws {Error} with the answer's description
   */
  async check(answer: HostileAnswer): Promise<void> {
    try {
      await this.#check(answer);
    } catch (error) {
      const wire = answer.wire.subarray(0, 4_000).toBase64();
      throw new Error(
        `${(error as Error).message}\n${answer.description}\n` +
          `wire, ${answer.wire.length} bytes, in base64: ${wire}`,
        { cause: error },
      );
    }
  }

  async #check(answer: HostileAnswer): Promise<void> {
    this.#answer = answer;
    const response = await this.#post();
    this.#answer = undefined;
    const outcome = `${response.status} ${response.headers["x-relay-outcome"] ?? ""}`;
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    expectEffectOf(answer, response);

    const requests = this.#requests;
    const next = await this.#post();
    expectRateLimitOf(answer, next, this.#requests > requests);

    this.#elapsed += HOUR_MS;
    expectDelivered(await this.#post(), "a rate limit lasts for more than an hour");
    assert.equal((await this.#relay.health()).in_flight_bytes, 0, "bytes stay in flight");
  }

  /** Posts a new envelope of one event and reads the response to its last byte. */
  async #post(): Promise<ClientResponse> {
    const body = fresh();
    const head = `POST /monitoring HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n` +
      `content-length: ${body.length}\r\n\r\n`;
    return parseStrictly(await exchange(this.#relay.port, concat([head, body])));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#relay[Symbol.asyncDispose]();
    await this.#ingest.close();
  }
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
