import assert from "node:assert/strict";
import {
  CircuitBreaker,
  DOWN_AFTER,
  FAILURE_MS,
  FIRST_PROBE_PAUSE_MS,
  type IngestState,
  MAX_PROBE_PAUSE_MS,
  REPORT_EVERY_MS,
  type UndecidedAttempt,
} from "./circuit_breaker.ts";

/** A circuit breaker with clocks that a test sets. */
class Harness {
  now = 1_000_000;
  uptime = 0;
  readonly states: IngestState[] = [];
  readonly breaker = new CircuitBreaker("https://ingest.example", {
    now: () => this.now,
    uptime: () => this.uptime,
    random: () => 1,
    onState: (state) => this.states.push(state),
  });

  /** A live envelope that just arrived, by default answered 500. */
  fails(attempt: Partial<UndecidedAttempt> = {}) {
    return this.breaker.undecided({
      receivedAt: this.now,
      isRetry: false,
      isProbe: false,
      isLarge: false,
      progress: "answered",
      reason: "it answered 500",
      ...attempt,
    });
  }

  decides(receivedAt = this.now) {
    this.breaker.decided(receivedAt);
  }

  pass(ms: number) {
    this.now += ms;
    this.uptime += ms;
  }
}

const times = (count: number, work: () => void) => Array.from({ length: count }, work);

Deno.test("several envelopes in a row undecided → circuit opens, reported once; decided → closes", () => {
  const harness = new Harness();
  times(DOWN_AFTER - 1, () => harness.fails());
  assert.deepEqual([harness.breaker.mayForward(false), harness.states], [true, []]);
  harness.breaker.liveAttemptStarted();
  times(10, () => harness.fails());
  assert.equal(harness.breaker.mayForward(false), false);
  const { origin } = harness.breaker;
  const down = { state: "down", origin, reason: "it answered 500" };
  assert.deepEqual(harness.states, [down]);
  harness.decides();
  assert.equal(harness.breaker.mayForward(false), true);
  assert.deepEqual(harness.states, [down, { state: "up", origin }]);
});

Deno.test("undecided envelopes older than a decided one → their own fault, stays closed", () => {
  const harness = new Harness();
  harness.decides();
  for (let n = 0; n < 5_000; n++) {
    assert.equal(harness.fails({ receivedAt: harness.now - 1 }), "envelope");
  }
  assert.equal(harness.breaker.mayForward(false), true);
  assert.equal(harness.breaker.isProbed, true, "the drain still probes");
  assert.deepEqual(harness.states, []);
  // The clock is set back: what arrives then is not older.
  harness.now -= 3_600_000;
  assert.equal(harness.fails(), "ingest");
});

Deno.test("one envelope retried many times → stays closed", () => {
  const harness = new Harness();
  harness.fails();
  times(100, () => harness.fails({ isRetry: true, isProbe: true }));
  assert.equal(harness.breaker.mayForward(false), true);
  assert.deepEqual(harness.states, []);
});

Deno.test("no connection for large or old envelopes → the ingest's fault, opens", () => {
  const harness = new Harness();
  harness.decides();
  for (let n = 0; n < DOWN_AFTER; n++) {
    const receivedAt = harness.now - 1;
    assert.equal(harness.fails({ receivedAt, isLarge: true, progress: "not sent" }), "ingest");
  }
  assert.deepEqual(harness.states.map(({ state }) => state), ["down"]);
});

Deno.test("large envelopes without an answer → their own fault, stays closed", () => {
  const harness = new Harness();
  for (let n = 0; n < 100; n++) {
    assert.equal(harness.fails({ isLarge: true, progress: "sent" }), "envelope");
  }
  assert.equal(harness.breaker.mayForward(false), true);
  assert.equal(harness.fails({ isLarge: true }), "ingest");
  assert.equal(harness.fails({ progress: "sent" }), "ingest");
});

Deno.test("5xx → half-open, one live envelope at a time; no answer → open, none", () => {
  const harness = new Harness();
  times(DOWN_AFTER, () => harness.fails());
  assert.equal(harness.breaker.mayForward(false), true);
  harness.breaker.liveAttemptStarted();
  assert.equal(harness.breaker.mayForward(false), false);
  harness.breaker.liveAttemptEnded();
  harness.fails({ progress: "sent" });
  assert.equal(harness.breaker.mayForward(false), false);
  assert.equal(harness.breaker.mayForward(true), true);
});

Deno.test("probes fail → pauses double up to a bound; decided → probing ends", () => {
  const harness = new Harness();
  let ups = 0;
  harness.breaker.onUp = () => ups++;
  assert.deepEqual(
    [harness.breaker.isProbed, harness.breaker.probeInMs],
    [true, 0],
    "before the first decision",
  );
  for (let most = FIRST_PROBE_PAUSE_MS, n = 0; n < 8; n++) {
    harness.fails({ isProbe: true });
    assert.equal(harness.breaker.probeInMs, most);
    harness.pass(most);
    assert.equal(harness.breaker.probeInMs, 0);
    most = Math.min(MAX_PROBE_PAUSE_MS, 2 * most);
  }
  harness.fails({ isProbe: true });
  harness.decides();
  assert.deepEqual([harness.breaker.isProbed, harness.breaker.probeInMs, ups], [false, 0, 1]);
  harness.decides();
  assert.equal(ups, 1);
});

Deno.test("down and up repeatedly → reported at most once a minute", () => {
  const harness = new Harness();
  for (let n = 0; n < 100; n++) {
    times(DOWN_AFTER, () => harness.fails());
    harness.decides();
    harness.pass(1_000);
  }
  const downs = harness.states.filter(({ state }) => state === "down").length;
  assert.equal(downs, Math.ceil(100_000 / REPORT_EVERY_MS));
  assert.equal(harness.states.length, 2 * downs);
});

Deno.test("nothing waits, nothing has failed for half a minute → no failure, live envelopes are sent", () => {
  const harness = new Harness();
  const { breaker } = harness;
  times(DOWN_AFTER, () => harness.fails({ progress: "not sent", reason: "no connection" }));
  harness.pass(FAILURE_MS - 1);
  breaker.noneWaits();
  assert.deepEqual([breaker.failure, breaker.mayForward(false)], ["no connection", false]);
  harness.pass(1);
  breaker.noneWaits();
  assert.deepEqual([breaker.failure, breaker.mayForward(false)], [undefined, true]);
  assert.equal(breaker.judgedAt, harness.now);
  harness.fails();
  assert.equal(breaker.failure, "it answered 500");
});
