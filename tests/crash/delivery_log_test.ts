import assert from "node:assert/strict";
import {
  type Delivery,
  type DeliveryCheck,
  DeliveryLog,
  envelopeText,
  eventIdOf,
  type ServerRun,
  type SpoolState,
} from "./_delivery_log.ts";

const MAX_IN_FLIGHT = 1;
/** Number of the event id that all segments of the recording share; no event has it. */
const RECORDING_NUMBER = 1_000;

interface ReceiptOptions {
  readonly serverRun: ServerRun;
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
  #time = 0;

  post(n: number, type = "event"): Delivery {
    const eventId = eventIdOf(type === "event" ? n : RECORDING_NUMBER);
    return this.log.post({ eventId, n, type, bytes: 10, isPoisoned: false });
  }

  receive(
    options: ReceiptOptions,
    delivery = this.delivery,
  ) {
    const { serverRun, isAccepted = true, isAnswered = true, spool = "usable", text } = options;
    this.#time = options.time ?? this.#time + 3_600_000;
    const receipt = this.log.receive(delivery, text ?? envelopeText(delivery), {
      serverRun,
      time: this.#time,
      isAccepted,
      spool,
    });
    receipt.isAnswered = isAnswered && isAccepted;
    return this;
  }

  acknowledge(outcome: string, delivery = this.delivery) {
    this.log.acknowledge(delivery, outcome);
    return this;
  }

  check(spooled: readonly string[] = []): DeliveryCheck {
    return this.log.check(spooled, MAX_IN_FLIGHT);
  }

  /** Why envelopes were received twice. */
  duplicateReasons(): string[] {
    return this.check().duplicates.map(({ reason }) => reason);
  }
}

const twoServerRuns = (end?: ServerRun["end"]): [ServerRun, ServerRun] => [
  { number: 1, end },
  { number: 2 },
];
const [serverRun] = twoServerRuns();

Deno.test("acknowledged and accepted by the ingest → neither lost nor wrong", () => {
  assert.deepEqual(new Case().receive({ serverRun }).acknowledge("delivered").check(), {
    lost: [],
    wrong: [],
    duplicates: [],
  });
});

Deno.test("acknowledged, in the spool → not lost", () => {
  const spooled = new Case().acknowledge("spooled");
  assert.deepEqual(spooled.check([envelopeText(spooled.delivery)]).lost, []);
});

Deno.test("acknowledged, neither in the spool nor accepted by the ingest → lost", () => {
  const neverReceived = new Case().acknowledge("spooled");
  const refused = new Case().receive({ serverRun, isAccepted: false }).acknowledge("spooled");
  for (const sent of [neverReceived, refused]) assert.equal(sent.check().lost.length, 1);
});

function refused(): Case {
  const sent = new Case();
  sent.delivery.refused = 400;
  return sent;
}

for (
  const [situation, sent, wrong] of [
    ["not acknowledged", new Case(), ["was never acknowledged"]],
    ["refused by the relay", refused(), ["was refused with 400"]],
    [
      "received with another text",
      new Case().receive({ serverRun, text: "other" }).acknowledge("delivered"),
      ["arrived altered"],
    ],
    [
      "acknowledged as delivered, then received",
      new Case().acknowledge("delivered").receive({ serverRun }),
      [
        "was acknowledged as delivered before the ingest accepted it",
        "was sent upstream again after it was acknowledged as delivered",
      ],
    ],
  ] as const
) {
  Deno.test(`${situation} → wrong`, () => {
    assert.deepEqual(sent.check().wrong.map((line) => line.replace(/^\S+ /, "")), wrong);
  });
}

Deno.test("segment received before its predecessor → wrong", () => {
  const swapped = new Case().receive({ serverRun }).acknowledge("delivered");
  const [first, second] = [
    swapped.post(0, "replay_recording"),
    swapped.post(1, "replay_recording"),
  ];
  swapped.receive({ serverRun }, second).receive({ serverRun }, first);
  for (const segment of [first, second]) swapped.acknowledge("spooled", segment);
  assert.match(swapped.check().wrong.join(), /\.1 was accepted before its predecessor$/);
});

Deno.test("received twice in one server run, answered → unexplained", () => {
  const twice = new Case().receive({ serverRun }).receive({ serverRun }).acknowledge("spooled");
  assert.deepEqual(twice.duplicateReasons(), ["unexplained"]);
});

Deno.test("received again after SIGTERM, answered → unexplained, except on a full disk", () => {
  const [stopped, next] = twoServerRuns("SIGTERM");
  const reasons = (spool: SpoolState) =>
    new Case().acknowledge("spooled").receive({ serverRun: stopped, spool })
      .receive({ serverRun: next }).duplicateReasons();
  assert.deepEqual(reasons("usable"), ["unexplained"]);
  assert.deepEqual(reasons("full"), ["disk full"]);
});

Deno.test("received again after SIGKILL → explained by the kill", () => {
  const [killed, next] = twoServerRuns("SIGKILL");
  const twice = new Case().acknowledge("spooled").receive({ serverRun: killed })
    .receive({ serverRun: next });
  assert.deepEqual(twice.duplicateReasons(), ["killed"]);
  assert.deepEqual(twice.check().lost, []);
});

Deno.test("received from a second server → unexplained, except killed, without database or at once", () => {
  const reasons = (spool: SpoolState, killed?: "first" | "second") => {
    const [one, two] = twoServerRuns();
    const twice = new Case().acknowledge("spooled").receive({ serverRun: one, spool });
    if (killed) (killed === "first" ? one : two).end = "SIGKILL";
    twice.receive({ serverRun: two });
    one.end = "SIGKILL";
    return twice.duplicateReasons();
  };
  assert.deepEqual(reasons("usable"), ["unexplained"]);
  assert.deepEqual(reasons("usable", "first"), ["killed"]);
  assert.deepEqual(reasons("usable", "second"), ["killed"]);
  assert.deepEqual(reasons("down"), ["database down"]);
  const [one, two] = twoServerRuns();
  const twice = (time: number) =>
    new Case().acknowledge("spooled").receive({ serverRun: one, time: 0 })
      .receive({ serverRun: two, time });
  assert.deepEqual(twice(999).duplicateReasons(), ["not shared yet"]);
  assert.deepEqual(twice(1_000).duplicateReasons(), ["unexplained"]);
});

Deno.test("without a database a segment is received before its predecessor → not wrong", () => {
  const swapped = new Case().receive({ serverRun }).acknowledge("delivered");
  const segments = [0, 1].map((n) => swapped.post(n, "replay_recording"));
  swapped.receive({ serverRun, spool: "down" }, segments[1]).receive({ serverRun }, segments[0]);
  for (const segment of segments) swapped.acknowledge("spooled", segment);
  assert.deepEqual(swapped.check().wrong, []);
});

Deno.test("received again after a lost answer → explained by the lost answer", () => {
  const twice = new Case().acknowledge("spooled").receive({ serverRun, isAnswered: false })
    .receive({ serverRun });
  assert.deepEqual(twice.duplicateReasons(), ["answer lost"]);
});

Deno.test("more duplicates after a kill than requests in flight → wrong", () => {
  const [killed, next] = twoServerRuns("SIGKILL");
  const many = new Case().acknowledge("spooled");
  const other = many.post(1);
  many.acknowledge("spooled", other);
  for (const delivery of [many.delivery, other]) {
    many.receive({ serverRun: killed }, delivery).receive({ serverRun: next }, delivery);
  }
  assert.deepEqual(many.check().wrong, ["server run 1: its kill cannot explain 2 duplicates"]);
});
