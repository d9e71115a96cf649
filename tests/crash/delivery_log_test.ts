import assert from "node:assert/strict";
import {
  bodyText,
  type Delivery,
  type DeliveryCheck,
  DeliveryLog,
  type DuplicateReason,
  eventIdOf,
  type ServerRun,
  type SpoolState,
} from "./_delivery_log.ts";

/** Of the event id that all segments of the recording share; no event has it. */
const RECORDING_NUMBER = 1_000;

interface ReceiptOptions {
  readonly serverRun?: ServerRun;
  /** Default: true. */
  readonly isAccepted?: boolean;
  /** Default: true if it is accepted. */
  readonly isAnswered?: boolean;
  /** Default: an hour after the receipt before. */
  readonly time?: number;
  /** Default: usable. */
  readonly spool?: SpoolState;
  /** Default: the text that was posted. */
  readonly text?: string;
}

/** One envelope, its receipts at the ingest and its acknowledgements, in order. */
class Case {
  readonly log = new DeliveryLog();
  readonly delivery = this.post(0);
  readonly #serverRun: ServerRun = { number: 1 };
  #time = 0;

  post(n: number, type = "event"): Delivery {
    const eventId = eventIdOf(type === "event" ? n : RECORDING_NUMBER);
    return this.log.post({ eventId, n, type, bytes: 10, isPoisoned: false });
  }

  receive(options: ReceiptOptions = {}, delivery = this.delivery): this {
    const { serverRun = this.#serverRun, isAccepted = true, isAnswered = true } = options;
    this.#time = options.time ?? this.#time + 3_600_000;
    const receipt = this.log.receive(delivery, options.text ?? bodyText(delivery), {
      serverRun,
      time: this.#time,
      isAccepted,
      spool: options.spool ?? "usable",
    });
    receipt.isAnswered = isAnswered && isAccepted;
    return this;
  }

  acknowledge(outcome: string, delivery = this.delivery): this {
    this.log.acknowledge(delivery, outcome);
    return this;
  }

  /** @param isSpooled whether the envelope is in the spool at the end */
  check(isSpooled = false): DeliveryCheck {
    return this.log.check(isSpooled ? [bodyText(this.delivery)] : [], 1);
  }

  /** What is wrong, without ids. */
  wrong(): string[] {
    return this.check().wrong.map((line) => line.replace(/^[0-9a-f]+\.\d+ /, ""));
  }
}

/** Two segments of a recording, the second received first. */
function swapped(spool: SpoolState): Case {
  const sent = new Case().receive().acknowledge("delivered");
  const [first, second] = [sent.post(0, "replay_recording"), sent.post(1, "replay_recording")];
  sent.receive({ spool }, second).receive({}, first);
  for (const segment of [first, second]) sent.acknowledge("spooled", segment);
  return sent;
}

Deno.test("acknowledged → lost if neither accepted by the ingest nor in the spool", () => {
  const none = { lost: [], wrong: [], duplicates: [] };
  assert.deepEqual(new Case().receive().acknowledge("delivered").check(), none);
  assert.deepEqual(new Case().acknowledge("spooled").check(true), none);
  const refused = new Case().receive({ isAccepted: false }).acknowledge("spooled");
  for (const sent of [new Case().acknowledge("spooled"), refused]) {
    assert.equal(sent.check().lost.length, 1);
  }
});

Deno.test("not acknowledged, refused, altered, too early, out of order → wrong", () => {
  const refused = new Case();
  refused.delivery.refused = 400;
  const altered = new Case().receive({ text: "other" }).acknowledge("delivered");
  for (
    const [sent, wrong] of [
      [new Case(), ["was never acknowledged"]],
      [refused, ["was refused with 400"]],
      [altered, ["arrived altered"]],
      [new Case().acknowledge("delivered").receive(), [
        "was acknowledged as delivered before the ingest accepted it",
        "was sent upstream again after it was acknowledged as delivered",
      ]],
      [swapped("usable"), ["was accepted before its predecessor"]],
      [swapped("down"), []],
    ] as const
  ) assert.deepEqual(sent.wrong(), wrong);
});

/** Two receipts, and whether they are of the same server run. */
const DUPLICATES: readonly [
  reason: DuplicateReason,
  first: ReceiptOptions & { readonly end?: ServerRun["end"] },
  second: (ReceiptOptions & { readonly end?: ServerRun["end"] }) | "same server run",
][] = [
  ["unexplained", {}, "same server run"],
  ["answer lost", { isAnswered: false }, "same server run"],
  ["unexplained", { end: "SIGTERM" }, {}],
  ["disk full", { end: "SIGTERM", spool: "full" }, {}],
  ["killed", { end: "SIGKILL" }, {}],
  ["killed", {}, { end: "SIGKILL" }],
  ["unexplained", {}, {}],
  ["database down", { spool: "down" }, {}],
  ["not shared yet", { time: 0 }, { time: 999 }],
  ["unexplained", { time: 0 }, { time: 1_000 }],
];

Deno.test("received twice → unexplained, unless killed, not answered, not recorded or not shared", () => {
  for (const [reason, first, second] of DUPLICATES) {
    const one: ServerRun = { number: 1, end: first.end };
    const next = second === "same server run" ? first : second;
    const two: ServerRun = next === first ? one : { number: 2, end: next.end };
    const sent = new Case().acknowledge("spooled").receive({ ...first, serverRun: one })
      .receive({ ...next, serverRun: two });
    // A kill after the second receipt explains nothing.
    one.end = "SIGKILL";
    const { lost, duplicates } = sent.check();
    assert.deepEqual(duplicates.map((each) => each.reason), [reason]);
    assert.deepEqual(lost, []);
  }
});

Deno.test("more duplicates after a kill than requests in flight → wrong", () => {
  const killed: ServerRun = { number: 1, end: "SIGKILL" };
  const both = new Case().acknowledge("spooled");
  const second = both.post(1);
  both.acknowledge("spooled", second);
  for (const delivery of [both.delivery, second]) {
    both.receive({ serverRun: killed }, delivery).receive({ serverRun: { number: 2 } }, delivery);
  }
  assert.deepEqual(both.wrong(), ["server run 1: its kill cannot explain 2 duplicates"]);
});
