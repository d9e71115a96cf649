import assert from "node:assert/strict";
import type { ListQuery } from "../../models/list_query.ts";
import { type Attributes, error, hexId, log, type TestItem } from "./envelopes.ts";
import { recorded } from "./index_recordings.ts";
import { type AddTest, NOON, shop } from "./tested_index.ts";

/** What a user wrote, so many seconds after noon. */
const feedback = (message: string, at: number, rest: Attributes = {}): TestItem => ["feedback", {
  timestamp: NOON / 1_000 + at,
  contexts: { feedback: { message, ...rest }, trace: { trace_id: hexId(3) } },
}];
const report = (comments: string, about: number): TestItem => [
  "user_report",
  { event_id: hexId(about), name: "Ada", email: "ada@shop.test", comments },
];
const event = (value: string, id: number, at: number, rest: Attributes = {}) =>
  error(value, undefined, { event_id: hexId(id), timestamp: NOON / 1_000 + at, ...rest });

/** The list of feedback: its filters, its errors and recordings, and its states. */
export function addFeedbackTests(test: AddTest): void {
  test("feedback and reports → newest first, by every filter", async (inbox, add, addOf) => {
    const url = "https://shop.test/cart?a=1";
    await addOf(shop("1"), feedback("late", -60, { name: "Maja", url }), log("x"));
    await addOf(shop("2"), feedback("Gift wrap", -10, { contact_email: "b@shop.test" }));
    await add(report("Twice", 5));
    await addOf(shop("2"), feedback("Gift wrap", -10, { contact_email: "b@shop.test" }));
    const messages = (query: ListQuery = {}) =>
      inbox.page("feedback", query).rows.map(({ message }) => message);
    assert.deepEqual(messages(), ["Twice", "Gift wrap", "late"], "what arrived again, once");
    assert.deepEqual(messages({ release: "shop@1" }), ["late"]);
    assert.deepEqual(messages({ environment: "test", since: NOON - 20_000 }), ["Gift wrap"]);
    assert.deepEqual(messages({ until: NOON - 20_000 }), ["late"]);
    assert.deepEqual(messages({ trace: hexId(3) }), ["Gift wrap", "late"]);
    for (const q of ["gift", "b@shop.test", `message:"gift wrap"`, "-late -ada"]) {
      assert.deepEqual(messages({ q }), ["Gift wrap"], q);
    }
    assert.deepEqual(messages({ q: `page:"${url}" name:maja` }), ["late"]);
    assert.deepEqual(messages({ q: "page:/cart*" }), ["late"]);
    assert.deepEqual(messages({ q: hexId(5) }), ["Twice"]);
    assert.deepEqual(messages({ q: "order.id:1" }), []);
    const [first, second] = inbox.page("feedback", {}).rows;
    assert.deepEqual(messages({ group: second!.group }), ["Gift wrap"]);
    assert.deepEqual(messages({ envelope: first!.envelope }), ["Twice"]);
    assert.deepEqual(messages({ application: second!.application, q: "late" }), ["late"]);
    assert.deepEqual(messages({ application: "sightglass" }), []);
    const { next } = inbox.page("feedback", { limit: 1 });
    assert.deepEqual(messages({ limit: 1, before: next! }), ["Gift wrap"]);
    assert.equal(inbox.applications({}).counts.feedback, 3);
    const { parts } = inbox.histogram({ of: "feedback", since: NOON - 20_000, until: NOON });
    assert.deepEqual(parts.reduce((sum, { count }) => sum + count, 0), 1);
    assert.equal(inbox.page("envelopes", { q: "wrap" }).rows.length, 2);
  });

  test("feedback → found by tags, user and source", async (inbox, add) => {
    const contexts = { feedback: { message: "Wrong seats", source: "widget" } };
    const user = { id: "77", username: "longy" };
    await add(["feedback", { contexts, user, tags: { mood: "bad" } }], feedback("other", -10));
    const messages = (q: string) =>
      inbox.page("feedback", { q }).rows.map(({ message }) => message);
    const found = ["user.id:77", "user.id:7*", "mood:bad", "mood:*", "bad", "77", "longy"];
    for (const q of [...found, "source:widget", "widget"]) {
      assert.deepEqual(messages(q), ["Wrong seats"], q);
      assert.deepEqual(messages(`-${q}`), ["other"], `-${q}`);
    }
    for (const q of ["user.id:7", "mood:77", "user.id:longy"]) assert.deepEqual(messages(q), [], q);
    assert.equal(inbox.page("envelopes", { q: "mood:bad" }).rows.length, 1);
    const attributes = {
      "source": "widget",
      "mood": "bad",
      "user.id": "77",
      "user.username": "longy",
    };
    assert.deepEqual(inbox.page("feedback", { q: "77" }).rows[0]?.attributes, attributes);
  });

  test(
    "feedback → the error that it names, else the last one of its recording",
    async (inbox, add, addOf) => {
      const tags = { tags: { replayId: hexId(50) } };
      const found = (q: string) => {
        const { error, replay_id } = inbox.page("feedback", { q }).rows[0]!;
        return [error && `${error.by} ${error.value}`, replay_id];
      };
      await add(report("reported", 1));
      assert.deepEqual(found("reported"), [null, null]);
      await addOf(shop("1"), event("named", 1, -50), event("earlier", 2, -30, tags));
      await addOf(shop("1"), event("last", 3, -20, tags), event("after", 4, 20, tags));
      await add(event("of another application", 6, -19, tags));
      const replay = { replay_id: hexId(50) };
      await addOf(shop("1"), feedback("recorded", -10, replay));
      await addOf(shop("1"), feedback("about", -10, { ...replay, associated_event_id: hexId(1) }));
      await addOf(shop("1"), feedback("lost", -10, { ...replay, associated_event_id: hexId(9) }));
      assert.deepEqual(found("recorded"), [null, null], "its recording has not arrived");
      await addOf(shop("1"), ...recorded(50, 0, -60, 0));
      assert.deepEqual(found("recorded"), ["recording last", hexId(50)]);
      assert.deepEqual(found("about"), ["event named", hexId(50)]);
      assert.deepEqual(found("lost"), [null, hexId(50)]);
      assert.deepEqual(found("reported"), ["event named", null]);
      assert.equal(inbox.page("feedback", { replay: hexId(50) }).rows.length, 3);
      const { error: joined, trace_id } = inbox.page("feedback", { q: "about" }).rows[0]!;
      const [occurrence] = inbox.page("occurrences", { q: "named" }).rows;
      const { group, envelope, type, value, where, at } = occurrence!;
      const facts = { group, envelope, type, value, where, at };
      assert.deepEqual(joined, { ...facts, by: "event" });
      assert.equal(trace_id, hexId(3));
    },
  );

  test(
    "feedback resolved → hidden, as a group of errors; it is not deleted",
    async (inbox, add) => {
      await add(feedback("a", 0), feedback("b", 1));
      const messages = (state?: ListQuery["state"]) =>
        inbox.page("feedback", { state }).rows.map(({ message, state }) => `${message} ${state}`);
      const { group } = inbox.page("feedback", { q: "a" }).rows[0]!;
      assert.equal(await inbox.changeGroup(group, "resolved"), true);
      assert.deepEqual(messages("open"), ["b open"]);
      assert.deepEqual(messages("resolved"), ["a resolved"]);
      assert.deepEqual(messages(), ["b open", "a resolved"]);
      assert.equal(inbox.applications({}).counts.feedback, 1);
      assert.equal(await inbox.changeGroup(group, "open"), true);
      assert.deepEqual(messages("open"), ["b open", "a open"]);
      assert.equal(await inbox.changeGroup(group, "deleted"), false);
      assert.equal(await inbox.changeGroup(`f${"0".repeat(14)}`, "resolved"), false);
    },
  );

  test("feedback evicted → gone with its words", async (inbox, add) => {
    await add(feedback("first", 0));
    await add(feedback("second", 1));
    await add(log("x"));
    const messages = (q = "") => inbox.page("feedback", { q }).rows.map(({ message }) => message);
    assert.deepEqual(messages(), ["second"]);
    assert.deepEqual(messages("first"), []);
  }, 2);
}
