import assert from "node:assert/strict";
import {
  DOWN_AFTER,
  FIRST_PROBE_PAUSE_MS,
  IngestHealth,
  type IngestState,
  MAX_PROBE_PAUSE_MS,
  REPORT_EVERY_MS,
  type UndecidedAttempt,
} from "./ingest_health.ts";

/** The health of an ingest, on clocks that a test sets. */
class Bench {
  now = 1_000_000;
  uptime = 0;
  readonly states: IngestState[] = [];
  readonly health = new IngestHealth("https://ingest.example", {
    now: () => this.now,
    uptime: () => this.uptime,
    random: () => 1,
    onState: (state) => this.states.push(state),
  });

  /** A live envelope that just arrived, by default answered 500. */
  fails(attempt: Partial<UndecidedAttempt> = {}) {
    return this.health.undecided({
      receivedAt: this.now,
      isRetry: false,
      isProbe: false,
      isLarge: false,
      progress: "answered",
      reason: "it answered 500",
      ...attempt,
    });
  }

  isTaken(receivedAt = this.now) {
    this.health.decided(receivedAt);
  }

  pass(ms: number) {
    this.now += ms;
    this.uptime += ms;
  }
}

const times = (count: number, work: () => void) => Array.from({ length: count }, work);

Deno.test("some envelopes in a row without a decision → down, reported once; a decision → up", () => {
  const bench = new Bench();
  times(DOWN_AFTER - 1, () => bench.fails());
  assert.deepEqual([bench.health.mayForward(false), bench.states], [true, []]);
  bench.health.live = 1;
  times(10, () => bench.fails());
  assert.equal(bench.health.mayForward(false), false);
  const { origin } = bench.health;
  const down = { state: "down", origin, reason: "it answered 500" };
  assert.deepEqual(bench.states, [down]);
  bench.isTaken();
  assert.equal(bench.health.mayForward(false), true);
  assert.deepEqual(bench.states, [down, { state: "answers again", origin }]);
});

Deno.test("failing and taken in turns → never down", () => {
  const bench = new Bench();
  for (let n = 0; n < 100; n++) {
    times(DOWN_AFTER - 1, () => bench.fails());
    assert.equal(bench.health.mayForward(false), true);
    bench.isTaken();
  }
  assert.deepEqual(bench.states, []);
});

Deno.test("thousands that fail, older than one that was taken → their own fault, never down", () => {
  const bench = new Bench();
  bench.isTaken();
  for (let n = 0; n < 5_000; n++) {
    assert.equal(bench.fails({ receivedAt: bench.now - 1 }), "envelope");
  }
  assert.equal(bench.health.mayForward(false), true);
  assert.equal(bench.health.isProbed, true, "the drain slows down nevertheless");
  assert.deepEqual(bench.states, []);
  // The clock is set back: what arrives then is not older.
  bench.now -= 3_600_000;
  assert.equal(bench.fails(), "ingest");
});

Deno.test("one envelope tried again and again → not down", () => {
  const bench = new Bench();
  bench.fails();
  times(100, () => bench.fails({ isRetry: true, isProbe: true }));
  assert.equal(bench.health.mayForward(false), true);
  assert.deepEqual(bench.states, []);
});

Deno.test("no connection for envelopes that are large or old → not their fault, down", () => {
  const bench = new Bench();
  bench.isTaken();
  for (let n = 0; n < DOWN_AFTER; n++) {
    const receivedAt = bench.now - 1;
    assert.equal(bench.fails({ receivedAt, isLarge: true, progress: "not sent" }), "ingest");
  }
  assert.deepEqual(bench.states.map(({ state }) => state), ["down"]);
});

Deno.test("large envelopes without an answer → their own fault, and never down", () => {
  const bench = new Bench();
  for (let n = 0; n < 100; n++) {
    assert.equal(bench.fails({ isLarge: true, progress: "sent" }), "envelope");
  }
  assert.equal(bench.health.mayForward(false), true);
  assert.equal(bench.fails({ isLarge: true }), "ingest");
  assert.equal(bench.fails({ progress: "sent" }), "ingest");
});

Deno.test("down but answering → one live envelope at a time; down and silent → none", () => {
  const bench = new Bench();
  times(DOWN_AFTER, () => bench.fails());
  assert.equal(bench.health.mayForward(false), true);
  bench.health.live = 1;
  assert.equal(bench.health.mayForward(false), false);
  bench.health.live = 0;
  bench.fails({ progress: "sent" });
  assert.equal(bench.health.mayForward(false), false);
  assert.equal(bench.health.mayForward(true), true);
});

Deno.test("probes fail → pauses double up to their bound; a decision ends probing and its pause", () => {
  const bench = new Bench();
  let ups = 0;
  bench.health.onUp = () => ups++;
  assert.deepEqual([bench.health.isProbed, bench.health.probeInMs], [true, 0], "nothing is known");
  for (let most = FIRST_PROBE_PAUSE_MS, n = 0; n < 8; n++) {
    bench.fails({ isProbe: true });
    assert.equal(bench.health.probeInMs, most);
    bench.pass(most);
    assert.equal(bench.health.probeInMs, 0);
    most = Math.min(MAX_PROBE_PAUSE_MS, 2 * most);
  }
  bench.fails({ isProbe: true });
  bench.isTaken();
  assert.deepEqual([bench.health.isProbed, bench.health.probeInMs, ups], [false, 0, 1]);
  bench.isTaken();
  assert.equal(ups, 1);
});

Deno.test("down and up again and again → reported once a minute at most", () => {
  const bench = new Bench();
  for (let n = 0; n < 100; n++) {
    times(DOWN_AFTER, () => bench.fails());
    bench.isTaken();
    bench.pass(1_000);
  }
  const downs = bench.states.filter(({ state }) => state === "down").length;
  assert.equal(downs, Math.ceil(100_000 / REPORT_EVERY_MS));
  assert.equal(bench.states.length, 2 * downs);
});
