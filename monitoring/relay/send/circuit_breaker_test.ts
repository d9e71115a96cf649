import assert from "node:assert/strict";
import {
  CircuitBreaker,
  DOWN_AFTER,
  FIRST_PROBE_PAUSE_MS,
  MAX_PROBE_PAUSE_MS,
  REPORT_EVERY_MS,
  type UndecidedAttempt,
} from "./circuit_breaker.ts";

/** A circuit breaker with clocks that a test sets. */
class Harness {
  now = 1_000_000;
  uptime = 0;
  /** Levels of the lines in the log: `warn` when the ingest went down, `info` when it was up again. */
  readonly logged: string[] = [];
  readonly breaker = new CircuitBreaker("https://ingest.example", {
    now: () => this.now,
    uptime: () => this.uptime,
    random: () => 1,
    log: (level) => this.logged.push(level),
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

Deno.test("clock set back after a decision → undecided envelopes are the ingest's fault", () => {
  const harness = new Harness();
  harness.decides();
  harness.now -= 3_600_000;
  assert.equal(harness.fails(), "ingest");
});

Deno.test("one envelope retried many times → stays closed", () => {
  const harness = new Harness();
  harness.fails();
  times(100, () => harness.fails({ isRetry: true, isProbe: true }));
  assert.equal(harness.breaker.mayForward(false), true);
  assert.deepEqual(harness.logged, []);
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
  const downs = harness.logged.filter((level) => level === "warn").length;
  assert.equal(downs, Math.ceil(100_000 / REPORT_EVERY_MS));
  assert.equal(harness.logged.length, 2 * downs);
});
