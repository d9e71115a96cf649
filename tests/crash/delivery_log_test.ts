import assert from "node:assert/strict";
import {
  type Delivery,
  type DeliveryCheck,
  DeliveryLog,
  envelopeText,
  eventIdOf,
  type Life,
} from "./_delivery_log.ts";

const IN_FLIGHT = 1;

interface Came {
  readonly life: Life;
  /** Default: yes. */
  readonly taken?: boolean;
  readonly isAnswered?: boolean;
  readonly isDiskFull?: boolean;
  readonly text?: string;
}

/** One envelope, its receipts at the ingest and its acknowledgements, in order. */
class Case {
  readonly log = new DeliveryLog();
  readonly delivery = this.post(0);

  post(n: number, type = "event"): Delivery {
    const eventId = eventIdOf(type === "event" ? n : 1e9);
    return this.log.post({ eventId, n, type, bytes: 10, isPoisoned: false });
  }

  came(
    { life, taken = true, isAnswered = true, isDiskFull = false, text }: Came,
    of = this.delivery,
  ) {
    const receipt = this.log.receive(of, text ?? envelopeText(of), { life, taken, isDiskFull });
    receipt.isAnswered = isAnswered && taken;
    return this;
  }

  acknowledged(outcome: string, of = this.delivery) {
    this.log.acknowledge(of, outcome);
    return this;
  }

  checked(spooled: readonly string[] = []): DeliveryCheck {
    return this.log.check(spooled, IN_FLIGHT);
  }

  /** Why the envelope was received twice. */
  get reasons(): string[] {
    const { lost, doubles } = this.checked();
    assert.deepEqual(lost, []);
    return doubles.map(({ reason }) => reason);
  }
}

const lives = (end?: Life["end"]): [Life, Life] => [{ number: 1, end }, { number: 2 }];

Deno.test("acknowledged, not received and not in the spool → lost", () => {
  const [life] = lives();
  const spooled = new Case().acknowledged("spooled");
  assert.equal(spooled.checked().lost.length, 1);
  assert.deepEqual(spooled.checked([envelopeText(spooled.delivery)]).lost, []);
  assert.equal(
    new Case().came({ life, taken: false }).acknowledged("spooled").checked().lost.length,
    1,
  );
  assert.deepEqual(new Case().came({ life }).acknowledged("delivered").checked(), {
    lost: [],
    wrong: [],
    doubles: [],
  });
});

Deno.test("not acknowledged, refused, altered, delivered too early or again → wrong", () => {
  const [life] = lives();
  const refused = new Case();
  refused.delivery.refused = 400;
  const wrong = (of: Case) => of.checked().wrong.map((line) => line.replace(/^\S+ /, ""));
  assert.deepEqual(wrong(new Case()), ["was never acknowledged"]);
  assert.deepEqual(wrong(refused), ["was refused with 400"]);
  assert.deepEqual(wrong(new Case().came({ life, text: "other" }).acknowledged("delivered")), [
    "arrived altered",
  ]);
  assert.deepEqual(wrong(new Case().acknowledged("delivered").came({ life })), [
    "was acknowledged as delivered before the ingest accepted it",
    "was sent upstream again after it was acknowledged as delivered",
  ]);
});

Deno.test("segment received before its predecessor → wrong", () => {
  const [life] = lives();
  const swapped = new Case().came({ life }).acknowledged("delivered");
  const [first, second] = [
    swapped.post(0, "replay_recording"),
    swapped.post(1, "replay_recording"),
  ];
  swapped.came({ life }, second).came({ life }, first);
  for (const segment of [first, second]) swapped.acknowledged("spooled", segment);
  assert.match(swapped.checked().wrong.join(), /\.1 was accepted before its predecessor$/);
});

Deno.test("received twice in one server run, answered → unexplained", () => {
  const [life] = lives();
  assert.deepEqual(new Case().came({ life }).came({ life }).acknowledged("spooled").reasons, [
    "unexplained",
  ]);
});

Deno.test("received again after SIGTERM, answered → unexplained, except on a full disk", () => {
  const [life, next] = lives("SIGTERM");
  const twice = (isDiskFull: boolean) =>
    new Case().acknowledged("spooled").came({ life, isDiskFull }).came({ life: next }).reasons;
  assert.deepEqual(twice(false), ["unexplained"]);
  assert.deepEqual(twice(true), ["disk full"]);
});

Deno.test("received again after SIGKILL or a lost answer → explained", () => {
  const [life, next] = lives("SIGKILL");
  assert.deepEqual(
    new Case().acknowledged("spooled").came({ life }).came({ life: next }).reasons,
    ["killed"],
  );
  assert.deepEqual(
    new Case().acknowledged("spooled").came({ life, isAnswered: false }).came({ life }).reasons,
    ["answer lost"],
  );
});

Deno.test("more duplicates after a kill than requests in flight → wrong", () => {
  const [life, next] = lives("SIGKILL");
  const many = new Case().acknowledged("spooled");
  const other = many.post(1);
  many.acknowledged("spooled", other);
  for (const  of of[many.delivery, other]) many.came({ life }, of).came({ life: next }, of);
  assert.deepEqual(many.checked().wrong, ["life 1: its kill cannot explain 2 doubles"]);
});
