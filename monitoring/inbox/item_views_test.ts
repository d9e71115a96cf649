import assert from "node:assert/strict";
import { messagePack } from "../../tests/harness/recorded_segments.ts";
import { ITEM_TYPES } from "../protocol/categories.ts";
import type { Lists } from "../models/rows.ts";
import { tryReadEnvelope } from "../protocol/scanner.ts";
import { Inbox } from "./inbox.ts";
import { admitted, envelopeOf, hexId, recorded } from "./testdata/envelopes.ts";

/** The list behind each view. */
const LISTS: Readonly<Record<string, keyof Lists>> = {
  Errors: "occurrences",
  Traces: "traces",
  Logs: "logs",
  Recordings: "recordings",
  Profiles: "profiles",
  Metrics: "metrics",
  Monitors: "monitors",
  Feedback: "feedback",
};

/** Just after the envelopes were recorded: later times are not believed. */
const RECEIVED_AT = Date.UTC(2026, 10, 21, 4);

/** Recorded envelopes that do not have their type's name. */
const FILES: Readonly<Record<string, string>> = {
  replay_event: "replay",
  replay_recording: "replay",
};

/** Items that no envelope was recorded of, after https://develop.sentry.dev/sdk/data-model/envelope-items/. */
const WRITTEN: Readonly<Record<string, unknown>> = {
  check_in: { check_in_id: hexId(1), monitor_slug: "nightly", status: "ok" },
  metric_buckets: [{ name: "c:custom/orders@none", type: "c", value: 1, timestamp: 1, width: 10 }],
  replay_video: messagePack({
    replay_event: JSON.stringify({ replay_id: hexId(1), segment_id: 0, timestamp: 1_790_000_000 }),
    replay_recording: '{"segment_id":0}\n[]',
    replay_video: "mp4",
  }),
  security: { "csp-report": { "document-uri": "https://shop.test/" } },
  statsd: new TextEncoder().encode("orders@none:1|c|T1790000000"),
  user_report: { event_id: hexId(1), comments: "It is slow." },
};

/** The types of each view, as docs/contract.md lists them. */
const contract = await Deno.readTextFile(new URL("../../docs/contract.md", import.meta.url));
const listed = /^Views of item types[^:]*: ([^]*?)\.\n\n/m.exec(contract)![1]!.split(/;\s+/)
  .map((part) => [/^\w+/.exec(part)![0], part.match(/(?<=`)\w+(?=`)/g)!] as const);

Deno.test("contract → names every item type once", () => {
  assert.deepEqual(listed.flatMap(([, types]) => types).sort(), ITEM_TYPES);
});

Deno.test("README → its limits name the item types that only Envelopes shows", async () => {
  const readme = await Deno.readTextFile(new URL("../../README.md", import.meta.url));
  const limits = /^## Limits\n([^]*?)^## /m.exec(readme)![1]!;
  const named = ITEM_TYPES.filter((type) => limits.includes(`\`${type}\``));
  const [, alone] = listed.find(([view]) => view === "Envelopes")!;
  assert.deepEqual(named, alone.toSorted());
});

for (const [view, types] of listed) {
  for (const type of types) {
    Deno.test(`item ${type} → a row in ${view}`, async () => {
      const bytes = Object.hasOwn(WRITTEN, type)
        ? envelopeOf({ event_id: hexId(1) }, [type, WRITTEN[type]])
        : type === "attachment"
        ? envelopeOf(
          { event_id: hexId(1) },
          ["feedback", { contexts: { feedback: { message: "It is slow." } } }],
          [{ type, filename: "a.txt" }, new Uint8Array([1])] as never,
        )
        : recorded(FILES[type] ?? type);
      assert.ok(tryReadEnvelope(bytes)?.items.some(({ header }) => header.type === type));
      const inbox = new Inbox({ maxBytes: 2 ** 20 });
      try {
        await inbox.store(admitted(bytes, RECEIVED_AT));
        assert.equal(inbox.list({ since: 0, limit: 9 }).envelopes.length, 1);
        const shown = Object.keys(LISTS).filter((name) =>
          inbox.page(LISTS[name]!, {}).rows.length > 0
        );
        const { rows, unassigned } = inbox.applications({});
        const isCounted = [...rows, unassigned].some(({ discarded, sessions }) =>
          discarded.length + sessions.length > 0
        );
        if (isCounted) shown.push("Applications");
        if (view === "Envelopes") assert.deepEqual(shown, []);
        else assert.ok(shown.includes(view), `${shown}`);
        if (type === "attachment") {
          assert.equal(inbox.page("feedback", {}).rows[0]!.attachments.length, 1);
        }
      } finally {
        inbox.close();
      }
    });
  }
}
