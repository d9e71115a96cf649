import assert from "node:assert/strict";
import * as esbuild from "esbuild";
import { until } from "../../tests/harness/until.ts";
import type { ErrorGroupRow } from "../models/error/error_row.ts";
import { InboxClosedError } from "./inbox_types.ts";
import { Inbox } from "./inbox.ts";
import { admitted, envelopeOf, error, eventEnvelope, log } from "./testdata/envelopes.ts";
import { markAsEarlier, withFolder } from "./testdata/inbox_suite.ts";
import { minify } from "./testdata/minify.ts";

const MAX_BYTES = 10_000_000;
const NOW = 1_795_262_400_000;
const SHOP = `
function fail(reason: string): never { throw new Error(reason); }
export const shop = {
  placeOrder: () => { empty(0); },
  payOrder: () => { unpaid(0); },
  bakeBread: () => { [1].map(() => fail("no flour")); },
};
function empty(count: number): void { if (count === 0) throw new Error("the basket is empty"); console.log(count); }
function unpaid(count: number): void { if (count === 0) throw new Error("the basket is empty"); console.log(count); }
`;
/** Prefix of a later build: lines move, and the minifier makes other names. */
const ADDED = `
export function added(a: number): number { return twice(a) + thrice(a); }
function twice(a: number): number { console.log(a); return 2 * a; }
function thrice(a: number): number { console.log(a); return 3 * twice(a); }
`;

type Shop = Readonly<Record<"placeOrder" | "payOrder", () => void>>;

/** A build with its source map, and the error events of its script's functions. */
interface Build {
  readonly sourceMap: (debugId: string) => Promise<Uint8Array<ArrayBuffer> | undefined>;
  readonly events: Readonly<Record<keyof Shop, TestEvent>>;
}

type TestEvent = Awaited<ReturnType<typeof eventOf>>;

async function build(application: string, hash: string, debugId: string): Promise<Build> {
  const { script, map } = await minify(application, "../../islands/shop.ts");
  const { shop } = await import(`data:text/javascript,${encodeURIComponent(script)}`) as {
    shop: Shop;
  };
  const at = `https://shop.test/assets/${hash}.js`;
  return {
    sourceMap: (id) => Promise.resolve(id === debugId ? new TextEncoder().encode(map) : undefined),
    events: {
      placeOrder: eventOf(shop.placeOrder, at, debugId),
      payOrder: eventOf(shop.payOrder, at, debugId),
    },
  };
}

/** The event that an SDK sends for the error of a call. */
function eventOf(call: () => void, filename: string, debugId: string) {
  const error = assertThrows(call);
  const frames = [
    ...error.stack!.matchAll(/at (?:(.*) \()?(data:.*?|<anonymous>)(?::(\d+):(\d+))?\)?$/gm),
  ]
    .map(([, name, file, lineno, colno]) => ({
      filename: file === "<anonymous>" ? file : filename,
      function: name ?? "?",
      lineno: Number(lineno),
      colno: Number(colno),
      in_app: true,
    }));
  return {
    exception: {
      values: [{
        type: "Error",
        value: error.message,
        stacktrace: { frames: frames.toReversed() },
      }],
    },
    debug_meta: { images: [{ type: "sourcemap", code_file: filename, debug_id: debugId }] },
  };
}

function assertThrows(call: () => void): Error {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("The call did not throw.");
}

const topName = (event: TestEvent) => event.exception.values[0]!.stacktrace.frames.at(-1)!.function;

async function twoBuilds(): Promise<readonly [Build, Build]> {
  const before = await build(SHOP, "0F3A9B2C", "00000000-0000-4000-8000-00000000000a");
  const after = await build(ADDED + SHOP, "9E8D7C6B", "00000000-0000-4000-8000-00000000000b");
  await esbuild.stop();
  const { placeOrder, payOrder } = before.events;
  assert.notEqual(topName(placeOrder), topName(payOrder));
  assert.notEqual(topName(placeOrder), topName(after.events.placeOrder), "names have shifted");
  return [before, after];
}

Deno.test(
  "same error in two builds → one group; other source position → other group",
  withFolder(async (_, open) => {
    let groups: readonly ErrorGroupRow[] = [];
    for (const { sourceMap, events: { placeOrder, payOrder } } of await twoBuilds()) {
      const inbox = open({ sourceMap });
      for (const event of [placeOrder, payOrder]) {
        await inbox.store(admitted(envelopeOf({}, ["event", event])));
      }
      groups = inbox.page("errors", {}).rows;
      inbox.close();
    }
    const line = (text: string) =>
      (ADDED + SHOP).split("\n").findIndex((l) => l.includes(text)) + 1;
    assert.deepEqual(groups.map(({ value, where, count }) => [value, where, count]), [
      ["the basket is empty", `unpaid (islands/shop.ts:${line("function unpaid")})`, 2],
      ["the basket is empty", `empty (islands/shop.ts:${line("function empty")})`, 2],
    ]);
  }),
);

Deno.test(
  "source map arrives after its errors → they join the groups of later ones, also after a stop",
  withFolder(async (_, open) => {
    const [{ events: { placeOrder, payOrder }, sourceMap }] = await twoBuilds();
    const id = placeOrder.debug_meta.images[0]!.debug_id;
    let inbox = open();
    const store = async () => {
      for (const event of [placeOrder, payOrder]) {
        await inbox.store(admitted(envelopeOf({}, ["event", event])));
      }
    };
    const groups = () => inbox.page("errors", {}).rows.map(({ count, where }) => [count, where]);
    await store();
    const [minified, ...others] = inbox.page("errors", {}).rows;
    assert.deepEqual([minified?.count, others], [2, []]);
    await inbox.changeGroup(minified!.group, "muted");
    const stored = inbox.storeSourceMap(id, (await sourceMap(id))!);
    inbox.close();
    await stored.catch(() => {});
    inbox = open();
    await until("the stored errors are grouped again", () => groups().length === 2);
    await store();
    assert.deepEqual(groups().map(([count]) => count), [2, 2]);
    assert.ok(groups().every(([_, where]) => String(where).includes("islands/shop.ts")));
    assert.deepEqual(inbox.page("errors", {}).rows.map(({ state }) => state), ["muted", "muted"]);
    assert.equal(inbox.page("errors", { q: "islands/shop.ts" }).rows.length, 2);
  }),
);

Deno.test(
  "functions of a profile → by the source maps of their script in the list, also a later one",
  withFolder(async (_, open) => {
    const [{ events, sourceMap }] = await twoBuilds();
    const { debug_meta, exception: { values: [value] } } = events.placeOrder;
    const frames = value!.stacktrace.frames.toReversed();
    const chunk = (chunk_id: string) =>
      admitted(
        envelopeOf({}, ["profile_chunk", {
          ...{ platform: "javascript", profiler_id: "c".repeat(32), chunk_id, debug_meta },
          profile: {
            // As of a browser's SDK: the innermost function in two lines, and its caller.
            frames: [frames[0], { ...frames[0], colno: frames[0]!.colno + 1 }, frames[1]],
            stacks: [[0, 2], [1, 2], [2]],
            samples: [0, 1, 2].map((n) => ({
              ...{ timestamp: NOW / 1_000 + n, stack_id: n, thread_id: "0" },
            })),
          },
        }]),
        NOW,
      );
    const inbox = open();
    const top = () => {
      const { function: name, file, share } = inbox.page("profiles", {}).rows[0]!.top!;
      return [name, file, share.toFixed(2)];
    };
    await inbox.store(chunk("a".repeat(32)));
    assert.deepEqual(top(), [topName(events.placeOrder), frames[0]!.filename, "0.67"]);
    const id = debug_meta.images[0]!.debug_id;
    await inbox.storeSourceMap(id, (await sourceMap(id))!);
    const mapped = ["empty", "islands/shop.ts", "0.67"];
    await until("stored functions are mapped", () => String(top()) === String(mapped));
    assert.equal(inbox.page("profiles", { q: "shop.ts" }).rows.length, 1);
    await inbox.store(chunk("b".repeat(32)));
    assert.deepEqual(top(), mapped);
  }),
);

Deno.test(
  "file with an earlier index → indexed again, with new rules, before what comes new",
  withFolder(async (path, open) => {
    const [{ events, sourceMap }] = await twoBuilds();
    const before = open();
    for (let n = 0; n < 50; n++) {
      const items = [error(`order ${n}`, n), log(`log ${n}`)];
      await before.store(admitted(envelopeOf({}, ...items), NOW + n));
    }
    for (const event of [events.placeOrder, events.payOrder]) {
      await before.store(admitted(envelopeOf({}, ["event", event])));
    }
    assert.deepEqual(before.page("errors", { q: "basket" }).rows.map(({ count }) => count), [2]);
    before.close();
    markAsEarlier(path);
    const inbox = open({ sourceMap });
    assert.equal(inbox.list({ since: 0, limit: 500 }).envelopes.length, 52);
    assert.equal(inbox.page("envelopes", {}).rows.length, 0);
    await inbox.store(admitted(envelopeOf({}, error("order 50"))));
    assert.deepEqual(inbox.page("errors", {}).rows.map(({ count }) => count), [51, 1, 1]);
    assert.deepEqual(inbox.page("logs", { q: "log 7" }).rows.map((row) => row.at), [NOW + 7]);
    assert.equal(inbox.page("envelopes", { q: "order 33" }).rows[0]?.id, 34);
    assert.equal(inbox.applications({}).rows[0]?.envelopes, 53);
  }),
);

Deno.test(
  "stopped or emptied while it is indexed again → continues; nothing comes back",
  withFolder(async (path, open) => {
    const count = (inbox: Inbox) => inbox.page("envelopes", { limit: 200 }).rows.length;
    let inbox = open();
    // Without the pause of `until`, in which all would be.
    const someIndexed = async () => {
      while (count(inbox) === 0) await new Promise((resolve) => setTimeout(resolve));
    };
    for (let n = 0; n < 100; n++) await inbox.store(admitted(eventEnvelope(n)));
    inbox.close();
    markAsEarlier(path);
    inbox = open();
    const stored = inbox.store(admitted(eventEnvelope(100)));
    await someIndexed();
    inbox.close();
    await assert.rejects(stored, InboxClosedError);
    inbox = open();
    assert.ok(count(inbox) > 0 && count(inbox) < 100);
    await until("all are indexed, without a new one", () => count(inbox) === 100);
    inbox.close();
    markAsEarlier(path);
    inbox = open();
    const last = inbox.store(admitted(eventEnvelope(101)));
    await someIndexed();
    inbox.clear();
    await last;
    assert.deepEqual([count(inbox), inbox.extent().envelopes], [1, 1]);
  }),
);

Deno.test("unreadable source map → one notice, error still grouped", async () => {
  const [{ events }] = await twoBuilds();
  const notices: string[] = [];
  for (const sourceMap of [() => Promise.reject(new Error("no disk")), () => broken("{")]) {
    const inbox = new Inbox({
      maxBytes: MAX_BYTES,
      sourceMap,
      onNotice: (notice) => notices.push(notice),
    });
    await inbox.store(admitted(envelopeOf({}, ["event", events.placeOrder])));
    await inbox.store(admitted(envelopeOf({}, ["event", events.placeOrder])));
    assert.equal(inbox.page("errors", {}).rows[0]?.count, 2);
    inbox.close();
  }
  assert.equal(notices.length, 2);
  assert.match(notices[0]!, /^Cannot read the source map 0+-.*no disk/);
});

const broken = (text: string) => Promise.resolve(new TextEncoder().encode(text));

Deno.test("stored map is deleted or evicted → later errors are grouped without it", async () => {
  const [{ events, sourceMap }] = await twoBuilds();
  const id = events.placeOrder.debug_meta.images[0]!.debug_id;
  const map = (await sourceMap(id))!;
  const inbox = new Inbox({ maxBytes: 3 * map.byteLength });
  const isMapped = async () => {
    await inbox.store(admitted(envelopeOf({}, ["event", events.placeOrder])));
    return inbox.page("errors", {}).rows[0]!.where?.includes("islands/shop.ts");
  };
  inbox.storeSourceMap(id, map);
  assert.equal(await isMapped(), true);
  inbox.storeSourceMap("another", map);
  assert.equal(await isMapped(), false, "evicted");
  inbox.storeSourceMap(id, map);
  assert.equal(await isMapped(), true);
  inbox.clear();
  assert.equal(await isMapped(), false, "deleted");
  inbox.close();
});
