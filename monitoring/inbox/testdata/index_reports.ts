import assert from "node:assert/strict";
import type { Inbox } from "../inbox.ts";
import { APPLICATIONS, type ListQuery } from "../../models/list_query.ts";
import { MINUTE_MS } from "../../models/time_units.ts";
import { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";
import { type Attributes, error, type TestItem } from "./envelopes.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

/** Seconds before noon, as SDKs write times. */
const before = (seconds: number) => new Date(NOON - seconds * 1_000).toISOString();

const sessionOf =
  (version: string) => (sid: string, started: number, rest: Attributes): TestItem => [
    "session",
    {
      ...{ sid, started: before(started), timestamp: before(started), status: "ok", errors: 0 },
      attrs: { release: `shop@${version}`, environment: "test" },
      ...rest,
    },
  ];
const session = sessionOf("1");

const aggregates = (...all: Attributes[]): TestItem => [
  "sessions",
  { aggregates: all, attrs: { release: "shop@1", environment: "test" } },
];

const report = (seconds: number, ...discarded_events: unknown[]): TestItem => [
  "client_report",
  { timestamp: (NOON - seconds * 1_000) / 1_000, discarded_events },
];

const reports = (inbox: Inbox, query: ListQuery = {}) => {
  const { rows, unassigned } = inbox.applications(query);
  const found = [...rows, { name: "none", ...unassigned }].map(({ name, discarded, sessions }) => {
    const given = discarded.map((one) => `${one.quantity} ${one.category} ${one.reason}`);
    const counted = sessions.map((one) =>
      [one.release, one.sessions, one.errored, one.unhandled, one.abnormal, one.crashed].join(" ")
    );
    return [name, [...given, ...counted]] as const;
  });
  return Object.fromEntries(found.filter(([, counts]) => counts.length > 0));
};

/** What SDKs count: sessions, and what they gave up. */
export function addReportTests(test: AddTest): void {
  const { sdk } = shop("1");

  test(
    "updates of sessions in any order, again → each once, in its last state",
    async (inbox, _, addOf) => {
      const add = (...items: TestItem[]) => addOf({ sdk }, ...items);
      const crash = session("a", 60, { timestamp: before(20), status: "crashed", errors: 1 });
      await add(crash);
      await add(session("a", 60, { init: true }), session("b", 50, { init: true }));
      await add(session("b", 50, { timestamp: before(40), errors: 1 }));
      await add(session("b", 50, { timestamp: before(30), errors: 1, status: "exited" }));
      await add(crash);
      await add(session("c", 10, { status: "abnormal" }), session("d", 10, { status: "?" }));
      await add(session("f", 50, { status: "unhandled", errors: 1 }));
      await add(sessionOf("2")("e", 5, {}));
      assert.deepEqual(reports(inbox), { shop: ["shop@1 5 1 1 1 1", "shop@2 1 0 0 0 0"] });
      const since = NOON - 55_000;
      assert.deepEqual(reports(inbox, { since }).shop, ["shop@1 4 1 1 1 0", "shop@2 1 0 0 0 0"]);
      assert.deepEqual(reports(inbox, { until: since }).shop, ["shop@1 1 0 0 0 1"]);
    },
  );

  test(
    "aggregates of sessions, the same envelope again → added up once",
    async (inbox, _, addOf) => {
      const of = (minutes: number, counts: Attributes) => ({
        started: before(60 * minutes),
        ...counts,
      });
      const sent = aggregates(
        of(2, { exited: 7, errored: 1, unhandled: 3, crashed: 2 }),
        of(1, { exited: 4 }),
        of(1, { did: "someone", exited: 4 }),
        of(1, { exited: "many", crashed: -1, abnormal: null }),
      );
      await addOf({ sdk }, sent);
      await addOf({ sdk }, sent);
      await addOf({ sdk }, session("a", 1, {}), aggregates(null as never, [] as never));
      assert.deepEqual(reports(inbox), { shop: ["shop@1 22 1 3 0 2"] });
      assert.deepEqual(
        reports(inbox, { until: NOON - 1.5 * MINUTE_MS }).shop,
        ["shop@1 13 1 3 0 2"],
      );
    },
  );

  test("client reports → added up for the only sender that fits, own and hostile ones", async (
    inbox,
    add,
    addOf,
  ) => {
    await addOf(shop("1"), error("E", 1));
    const lost = { category: "log_item", reason: "queue_overflow", quantity: 12 };
    await add(report(30, lost, { category: "span", reason: "sample_rate", quantity: 3 }));
    await add(report(30, lost));
    await add(report(20, lost));
    await addOf(OWN_TELEMETRY, report(10, { ...lost, quantity: 5 }));
    const hostile = ["", "a b", "ä", "<b>", "x".repeat(65), 7.5, null, {}];
    await add(report(
      10,
      ...hostile.flatMap((name) => [{ ...lost, category: name }, { ...lost, reason: name }]),
      ...[0, -1, 1.5, "many", null].map((quantity) => ({ ...lost, quantity })),
      ...[null, 1, [], lost.reason],
    ));
    await add(["client_report", { discarded_events: {} }], ["client_report", "text" as never]);
    await add(report(5, ...Array(9).fill({ ...lost, category: "error", quantity: 2 ** 52 })));
    assert.deepEqual(reports(inbox), {
      shop: ["1000000000 error queue_overflow", "24 log_item queue_overflow", "3 span sample_rate"],
      Sightglass: ["5 log_item queue_overflow"],
    });
    assert.deepEqual(reports(inbox, { since: NOON - 15_000, until: NOON - 7_000 }), {
      Sightglass: ["5 log_item queue_overflow"],
    });
    assert.deepEqual(Object.keys(reports(inbox, { application: APPLICATIONS })), ["shop"]);
  });

  test(
    "client report that fits two applications → of none; evicted → gone",
    async (inbox, add, addOf) => {
      await addOf(shop("1"), error("E", 1));
      await addOf({ sdk, sender: { release: "cart@1", environment: "test" } }, error("E", 2));
      await add(report(30, { category: "error", reason: "network_error", quantity: 1 }));
      await addOf({ sdk }, session("a", 60, {}));
      assert.deepEqual(reports(inbox), {
        none: ["1 error network_error"],
        shop: ["shop@1 1 0 0 0 0"],
      });
      for (let n = 3; n < 9; n++) await addOf(shop("1"), error("E", n));
      assert.deepEqual(reports(inbox), {});
    },
    5,
  );
}
