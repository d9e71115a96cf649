import assert from "node:assert/strict";
import { error, hexId, log, span, type TestItem } from "./envelopes.ts";
import type { ListQuery } from "../../models/list_query.ts";
import { type AddTest, bodies, NOON, shop, traces } from "./tested_index.ts";

/** A recorded segment without events. */
export const segment = (number: number): TestItem => [
  "replay_recording",
  new TextEncoder().encode(`{"segment_id":${number}}\n[]`),
];

/** The items of an envelope with a segment of a recording, from `from` to `to` seconds after noon. */
export const recorded = (replay: number, number: number, from: number, to: number): TestItem[] => [
  ["replay_event", {
    replay_id: hexId(replay),
    segment_id: number,
    replay_start_timestamp: NOON / 1_000 + from,
    timestamp: NOON / 1_000 + to,
    user: { id: `u-${number}` },
    request: {
      headers: { "User-Agent": "Mozilla/5.0 AppleWebKit/537.36 Chrome/148.0 Safari/537.36" },
    },
    urls: [`https://shop/${number}`, `https://shop/then/${number}`],
    error_ids: [hexId(5)],
    trace_ids: [hexId(7)],
  }],
  segment(number),
];

/** The list of recordings, and the filter by one. */
export function addRecordingTests(test: AddTest): void {
  test("segments late, twice and missing → one recording", async (inbox, add, addOf) => {
    await add(...recorded(50, 3, -90, -60));
    await add(...recorded(50, 0, -90, -85));
    await addOf(shop("1.0"), ...recorded(51, 0, -30, -10));
    await add(...recorded(50, 0, -90, -85));
    await add(...recorded(50, 1, -90, -80));
    // One of the traces that it names, one that names it.
    const timestamp = NOON / 1_000 - 70;
    await add(
      error("x", 7, { timestamp }),
      error("y", 8, { timestamp, tags: { replayId: hexId(50) } }),
      error("z", 9, { timestamp }),
      // After its last frame.
      error("late", 7, { timestamp: timestamp + 12 }),
    );
    const { rows } = inbox.page("recordings", {});
    assert.deepEqual(rows.map(({ replay_id }) => replay_id), [hexId(50), hexId(51)]);
    const { application: _, bytes, ...row } = rows[0]!;
    assert.ok(bytes > 0);
    assert.deepEqual(row, {
      replay_id: hexId(50),
      kind: "page",
      page: "https://shop/0",
      user: "u-1",
      browser: "Chrome 148",
      release: null,
      started_at: NOON - 90_000,
      ended_at: NOON - 60_000,
      segments: 3,
      missing: 1,
      doubled: 1,
      errors: 3,
    });
    const ids = (query: ListQuery) =>
      inbox.page("recordings", query).rows.map(({ replay_id }) => replay_id);
    assert.deepEqual(ids({ release: "shop@1.0" }), [hexId(51)]);
    assert.deepEqual(ids({ q: "SHOP/3" }), [hexId(50)]);
    assert.deepEqual(ids({ q: "then/3" }), [hexId(50)]);
    // Of all its segments.
    assert.deepEqual(ids({ q: "page:https://shop/3 page:https://shop/1" }), [hexId(50)]);
    assert.deepEqual(ids({ q: "-page:https://shop/3" }), [hexId(51)]);
    assert.deepEqual(ids({ q: "page:/3" }), [hexId(50)], "by path, as listed");
    assert.deepEqual(ids({ q: "page:/then/3" }), [hexId(50)], "any of its pages");
    assert.deepEqual(ids({ q: "kind:page -kind:video duration:<21s" }), [hexId(51)]);
    assert.deepEqual(ids({ q: "u-3 chrome" }), [hexId(50)]);
    assert.deepEqual(ids({ since: NOON - 20_000 }), [hexId(51)]);
    assert.deepEqual(ids({ sort: "duration" }), [hexId(51), hexId(50)]);
    assert.deepEqual(ids({ sort: "-started_at" }), [hexId(51), hexId(50)]);
    const { next } = inbox.page("recordings", { limit: 1 });
    assert.deepEqual(ids({ limit: 1, before: next! }), [hexId(51)]);
    assert.equal(inbox.applications({}).counts.recordings, 2);
    const envelopes = inbox.page("envelopes", { replay: hexId(50) }).rows;
    assert.deepEqual(envelopes.map(({ replay_id }) => replay_id), Array(4).fill(hexId(50)));
  });

  test(
    "two pages with the same numbers → segments of both; again only copies",
    async (inbox, add) => {
      for (const from of [-90, -70]) await add(...recorded(50, 0, from, -60));
      for (const to of [-50, -51, -50]) await add(...recorded(50, 1, -55, to));
      const [row] = inbox.page("recordings", {}).rows;
      assert.deepEqual([row?.segments, row?.missing, row?.doubled], [4, 0, 1]);
    },
  );

  test("filter by recording → what was sent while it ran", async (inbox, add, addOf) => {
    const during = { trace: { trace_id: hexId(7), replay_id: hexId(50) } };
    const inTrace = { trace_id: hexId(7) };
    await addOf(during, span(7), log("during", inTrace), error("x", 7), log("other trace"));
    // Of another application in the trace, which does not name the recording.
    await add(log("of the server", inTrace), error("y", 7), span(7));
    const tags = { tags: { replayId: hexId(50) } };
    await add(error("named", 8, tags), error("another", 8));
    const query = { replay: hexId(50) };
    assert.deepEqual(bodies(inbox, query), ["of the server", "during"]);
    assert.deepEqual(traces(inbox, query), [hexId(8), hexId(7)]);
    const values = () => inbox.page("occurrences", query).rows.map(({ value }) => value);
    assert.deepEqual(values(), ["another", "named", "y", "x"]);
    const replays = () => [
      inbox.page("occurrences", { q: "named" }).rows[0]?.replay_id,
      inbox.page("occurrences", { q: "y" }).rows[0]?.replay_id,
      inbox.page("logs", { q: "of the server" }).rows[0]?.replay_id,
      inbox.page("traces", { trace: hexId(7) }).rows[0]?.replay_id,
    ];
    const errors = () => inbox.page("recordings", query).rows[0]?.errors;
    assert.deepEqual(replays(), [null, null, null, null]);
    await add(...recorded(50, 0, 10, 20));
    // Before it, but for the trace, which has no end.
    assert.deepEqual(replays(), [null, null, null, hexId(50)]);
    assert.equal(errors(), 0);
    await addOf(shop("1.0"), error("of another clock", 7));
    const [other] = inbox.page("occurrences", { q: "another clock" }).rows;
    assert.deepEqual(
      [other?.replay_id, errors()],
      [hexId(50), 1],
      "when the trace began is not known",
    );
    const at = NOON / 1_000;
    await add(span(7, { start_timestamp: at - 20, end_timestamp: at + 20 }));
    assert.equal(errors(), 0, "by clocks that agree it was before the recording");
    await addOf(shop("1.0"), error("an hour behind", 7, { timestamp: at - 3_600 }));
    assert.equal(errors(), 1);
    // After its last frame, too.
    await add(...recorded(50, 0, -10, -5));
    assert.deepEqual(replays(), Array(4).fill(hexId(50)));
    assert.equal(errors(), values().length);
    // Of two that its trace names, the one that covers it.
    for (const [n, from] of [[51, -30], [52, -2]] as const) {
      await addOf({ trace: { trace_id: hexId(9), replay_id: hexId(n) } }, span(9));
      await add(...recorded(n, 0, from, from + 4));
    }
    await add(error("of two", 9, { timestamp: NOON / 1_000 }));
    assert.equal(inbox.page("occurrences", { q: "of two" }).rows[0]?.replay_id, hexId(52));
  });
}
