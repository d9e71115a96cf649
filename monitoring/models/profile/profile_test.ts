import assert from "node:assert/strict";
import fc from "fast-check";
import { recorded } from "../../inbox/testdata/envelopes.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { busySamples, foldedCalls, functionRows, mainFunction, ownCalls } from "./call_tree.ts";
import { barsByWeight, barsInTime, type FrameBar, unsampledTimes } from "./frame_bars.ts";
import { joinProfiles, MAX_JOINED_SAMPLES } from "./join_profiles.ts";
import type { CallTree } from "./profile_content.ts";
import { profileEntry } from "./profile_entry.ts";
import { readSentProfile } from "./sent_profile.ts";

const NOW = Date.UTC(2026, 10, 29, 12);
const ALWAYS = { start_ms: 0, end_ms: Infinity };
type Type = "profile" | "profile_chunk";

function readRecorded(name: string, type: Type) {
  const item = parseEnvelope(recorded(name)).items.find((item) => item.type === type);
  const sent = readSentProfile(type, item?.json, NOW);
  assert.ok(sent);
  return { sent, entry: profileEntry(type, item?.json, NOW)! };
}

/** A chunk: samples as `[milliseconds, stack, thread]`, stacks as the names of functions, innermost first. */
function chunk(
  samples: readonly (readonly [ms: number, stack: string, thread?: string])[],
  rest: object = {},
) {
  const stacks = [...new Set(samples.map(([, stack]) => stack))];
  const names = [...new Set(stacks.flatMap((stack) => stack.split(" ").filter(Boolean)))];
  return readSentProfile("profile_chunk", {
    profiler_id: "a".repeat(32),
    chunk_id: "b".repeat(32),
    profile: {
      samples: samples.map(([ms, stack, thread = "0"]) => ({
        timestamp: (NOW + ms) / 1_000,
        thread_id: thread,
        stack_id: stacks.indexOf(stack),
      })),
      stacks: stacks.map((stack) =>
        stack.split(" ").filter(Boolean).map((name) => names.indexOf(name))
      ),
      frames: names.map((name) => {
        const [, library] = /^(\w+)\./.exec(name) ?? [];
        const filename = library ? `/node_modules/${library}/x.js` : "/app/x.mjs";
        return { function: name, ...name !== "(idle)" && { filename } };
      }),
      thread_metadata: { "0": { name: "main" }, "7": { name: "worker" } },
    },
    ...rest,
  }, NOW)!;
}

const treeOf = (...samples: Parameters<typeof chunk>[0]) =>
  joinProfiles([chunk(samples)], ALWAYS, null);
const named = (tree: CallTree, rows = functionRows(tree)) =>
  rows.map(({ frame, self, total }) => [tree.frames[frame]!.function, self, total]);
const drawn = (tree: CallTree, bars: readonly FrameBar[]) =>
  bars.map(({ lane, call, start_ms, end_ms, samples }) =>
    `${lane} ${tree.frames[tree.calls[call]![1]]!.function} ${start_ms}-${end_ms} ${samples}`
  ).sort();
const ALL = { start_ms: -Infinity, end_ms: Infinity };

Deno.test("recorded profiles of browser and Python → samples, functions, transaction", () => {
  const browser = readRecorded("profile", "profile").entry;
  assert.equal(browser.kind, "profile");
  assert.equal(browser.name, "checkout");
  assert.equal(browser.trace_id, "59536e01ba9a4144800b88e6970a728a");
  assert.ok(browser.samples > 2 && browser.ended_at > browser.at);
  const part = readRecorded("profile_chunk", "profile_chunk");
  assert.equal(part.entry.profile_id, "3ac11bb2dfd645118284dc9816aabcd0");
  assert.ok(part.entry.functions.length > 0 && part.sent.omitted === 0);

  const python = readRecorded("python-profile", "profile");
  assert.equal(python.entry.name, "import prices");
  // From its start, 162.6 ms before its `timestamp`.
  assert.equal(Math.round(Date.UTC(2026, 10, 29, 11, 11, 41, 684) - python.entry.at), 150);
  // Of three threads that of the transaction.
  assert.equal(python.entry.samples, 8);
  assert.deepEqual(python.entry.functions[0], ["<genexpr>", "/srv/prices/import_prices.py", 7]);
  const tree = joinProfiles([python.sent], ALWAYS, null);
  assert.equal(tree.threads.length, 3);
  assert.deepEqual(named(tree), [
    ["<genexpr>", 7, 7],
    ["<module>", 1, 8],
    ["sort_prices", 0, 7],
    ["compare_slowly", 0, 7],
  ]);
  assert.equal(tree.frames[mainFunction(tree)!.frame]!.function, "<genexpr>");
});

Deno.test("chunks in any order, twice, unsorted → one tree in the order of time", () => {
  const first = chunk([[10, "b a"], [0, "b a"]]);
  const second = chunk([[30, "c a"], [20, "c a"], [20, "x", "7"]], { chunk_id: "c".repeat(32) });
  const tree = joinProfiles([second, first, second], ALWAYS, null);
  assert.deepEqual(tree.samples.map(([at]) => at), [0, 10, 20, 30]);
  assert.equal(tree.interval_ms, 10);
  assert.deepEqual(named(tree), [["b", 2, 2], ["c", 2, 2], ["a", 0, 4]]);
  assert.deepEqual(tree.threads, [{ id: "0", name: "main", samples: 4 }, {
    id: "7",
    name: "worker",
    samples: 1,
  }]);
  assert.equal(joinProfiles([first, second], ALWAYS, "7").samples.length, 1);
  const window = { start_ms: NOW + 10, end_ms: NOW + 20 };
  assert.equal(joinProfiles([first, second], window, null).samples.length, 2);
});

Deno.test("more samples than are joined → the newest ones, from the first of them on", () => {
  const many = Array.from({ length: MAX_JOINED_SAMPLES }, (_, n) => [n, "a"] as const);
  const last = chunk([[MAX_JOINED_SAMPLES + 9, "b"]], { chunk_id: "c".repeat(32) });
  const tree = joinProfiles([last, chunk(many)], ALWAYS, null);
  assert.deepEqual([tree.left, tree.start_ms], [1, NOW + 1]);
  assert.deepEqual(named(tree).map(([name]) => name), ["a", "b"]);
});

Deno.test("a function called from two lines → one, with its line but for Node's, its caller's", () => {
  const of = (platform: string, ...lines: readonly number[]) => {
    const frames = lines.map((lineno) => ({
      ...{ function: "busy", abs_path: "/app/x.mjs", lineno, colno: 14 },
    }));
    const stacks = frames.map((_, n) => [n]);
    const samples = stacks.map((_, n) => ({ timestamp: NOW / 1_000 + n, stack_id: n }));
    const sent = chunk([], { platform, profile: { frames, stacks, samples } });
    const { frames: found } = joinProfiles([sent], ALWAYS, null);
    return found.map(({ line, column }) => [line, column]);
  };
  assert.deepEqual(of("node", 12, 634), [[null, 14]]);
  assert.deepEqual(of("javascript", 3, 3, 20), [[3, 14], [20, 14]]);
});

Deno.test("a missing chunk, an idle thread → a gap, not time", () => {
  const tree = treeOf([0, "a"], [10, "a"], [20, "(idle)"], [500, "a"], [510, "a"]);
  assert.equal(busySamples(tree), 4);
  const gap = { start_ms: 30, end_ms: 500 };
  assert.deepEqual(unsampledTimes(tree, { start_ms: 0, end_ms: 520 }), [gap]);
  const ends = [{ start_ms: -200, end_ms: 0 }, gap, { start_ms: 520, end_ms: 600 }];
  assert.deepEqual(unsampledTimes(tree, { start_ms: -200, end_ms: 600 }), ends);
  const whole = treeOf([0, "a"], [10, "(idle)"], [20, "a"]);
  assert.deepEqual(unsampledTimes(whole, { start_ms: -10, end_ms: 40 }), []);
  const bars = barsInTime(tree, ALL, 0);
  assert.deepEqual(drawn(tree, bars), [
    "0 a 0-20 2",
    "0 a 500-520 2",
  ]);
});

Deno.test("browser's SDK 10, idle samples sent as the first stack → no time of a function", () => {
  const sent = [[0, "script"], [10, "script"], [20, "slow script"], [30, "script"]] as const;
  const read = (version: string) => {
    const client_sdk = { name: "sentry.javascript.browser", version };
    return joinProfiles([chunk(sent, { platform: "javascript", client_sdk })], ALWAYS, null);
  };
  assert.deepEqual(named(read("10.78.0")), [["slow", 1, 1], ["script", 0, 1]]);
  assert.deepEqual(named(read("11.12.0")), [["script", 3, 4], ["slow", 1, 1]]);
});

Deno.test("in time and left-heavy → calls, their own time, several narrow ones as one", () => {
  const tree = treeOf([0, "b a"], [10, "c a"], [20, "b a"], [30, "a"], [40, "b a"]);
  assert.deepEqual(drawn(tree, barsInTime(tree, ALL, 0)), [
    "0 a 0-50 5",
    "1 b 0-10 1",
    "1 b 20-30 1",
    "1 b 40-50 1",
    "1 c 10-20 1",
  ]);
  const heavy = barsByWeight(tree, ALL, 0);
  assert.deepEqual(drawn(tree, heavy), ["0 a 0-50 5", "1 b 0-30 3", "1 c 30-40 1"]);
  assert.deepEqual(heavy.find(({ lane }) => lane === 0)?.selfTimes, [{ start_ms: 40, end_ms: 50 }]);
  const narrow = barsInTime(tree, ALL, 20).filter(({ lane }) => lane === 1);
  assert.deepEqual(narrow.map(({ calls, samples }) => [calls, samples]), [[3, 3], [1, 1]]);
});

Deno.test("calls of one library below each other → folded; own code only → in its caller’s total", () => {
  const stack = "x.d own x.c x.b x.a";
  const tree = treeOf([0, stack], [10, stack], [20, "own x.c x.b x.a"]);
  const folded = foldedCalls(tree);
  assert.deepEqual(named(folded), [["x.d", 2, 2], ["own", 1, 3], ["3 frames of x", 0, 3]]);
  assert.deepEqual(named(ownCalls(tree)), [["own", 1, 3]]);
});

Deno.test("function that calls itself → counted once; main function → innermost own in half", () => {
  const tree = treeOf([0, "f g f h"], [10, "f h"], [20, "x.lib h"], [30, "h"]);
  assert.deepEqual(named(tree).find(([name]) => name === "f"), ["f", 2, 2]);
  const of = (tree: CallTree) => tree.frames[mainFunction(tree)!.frame]!.function;
  assert.equal(of(tree), "f");
  assert.equal(of(treeOf([0, "a"], [10, "b"], [20, "c"], [30, "c"], [40, "d"])), "c");
  assert.equal(of(treeOf([0, "x.a"], [10, "x.a"])), "x.a");
  // `h` has fewer samples than `a`, which runs in it.
  assert.equal(of(treeOf([0, "a h"], [10, "a h"], [20, "a"], [30, "b"])), "a");
  assert.equal(of(treeOf([0, "f g"], [10, "g f"])), "f");
});

Deno.test("any tree → self times, bars and samples are the same in all", () => {
  const stack = fc.array(fc.constantFrom("a", "b", "c", "x.d", "x.e"), { maxLength: 6 })
    .map((names) => names.join(" "));
  fc.assert(fc.property(
    fc.array(fc.tuple(fc.nat(1_000), stack), { minLength: 1, maxLength: 60 }),
    (samples) => {
      const tree = treeOf(...samples);
      const busy = busySamples(tree);
      assert.equal(tree.samples.length, samples.length);
      const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0);
      const own = ownCalls(tree);
      const rows = named(tree).filter(([name]) => !/\./.test(`${name}`)).map(String).sort();
      assert.deepEqual(named(own).map(String).sort(), rows);
      for (const bars of [barsInTime(own, ALL, 0), barsByWeight(own, ALL, 0)]) {
        const self = sum(functionRows(own).map(({ self }) => self));
        assert.equal(sum(bars.map(({ self }) => self)), self);
      }
      for (const shown of [tree, foldedCalls(tree)]) {
        assert.equal(sum(functionRows(shown).map(({ self }) => self)), busy);
        for (
          const bars of [
            barsInTime(shown, ALL, 0),
            barsByWeight(shown, ALL, 0),
            barsInTime(shown, ALL, 50),
          ]
        ) {
          assert.equal(sum(bars.map(({ self }) => self)), busy);
          assert.equal(
            sum(bars.filter(({ lane }) => lane === 0).map(({ samples }) => samples)),
            busy,
          );
        }
        const width = Math.max(0, ...barsByWeight(shown, ALL, 0).map(({ end_ms }) => end_ms));
        assert.ok(Math.abs(width - busy * tree.interval_ms) < 1e-6);
      }
    },
  ));
});

Deno.test("any JSON → never throws, bounded", () => {
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), fc.nat(3), fc.constant("b".repeat(32)));
  const list = fc.array(fc.oneof(value, fc.array(value, { maxLength: 4 })), { maxLength: 5 });
  const sample = fc.record({
    timestamp: fc.oneof(value, fc.constant(NOW / 1_000)),
    elapsed_since_start_ns: fc.oneof(value, fc.constant("1000000")),
    stack_id: fc.oneof(value, fc.nat(3)),
    thread_id: value,
  }, { requiredKeys: [] });
  const payload = fc.oneof(
    value,
    fc.record({
      profiler_id: fc.constant("a".repeat(32)),
      event_id: fc.constant("a".repeat(32)),
      chunk_id: fc.constant("b".repeat(32)),
      timestamp: value,
      transaction: value,
      transactions: list,
      profile: fc.oneof(
        value,
        fc.record({
          samples: fc.array(sample, { maxLength: 5 }),
          stacks: list,
          frames: list,
          thread_metadata: value,
        }, { requiredKeys: [] }),
      ),
    }, { requiredKeys: [] }),
  );
  fc.assert(
    fc.property(fc.constantFrom<Type>("profile", "profile_chunk"), payload, (type, json) => {
      profileEntry(type, json, NOW);
      const sent = readSentProfile(type, json, NOW);
      if (sent === undefined) return;
      const tree = joinProfiles([sent], ALWAYS, null);
      barsInTime(foldedCalls(tree), ALL, 0);
      assert.ok(tree.samples.length + tree.left <= 5);
    }),
  );
  const deep = Array.from({ length: 1_000 }, (_, n) => `f${n}`).join(" ");
  const tree = treeOf([0, deep]);
  assert.equal(tree.calls.length, 250);
  assert.equal(named(tree)[0]![0], "f0");
});

Deno.test("part of the time → the same bars, cut nowhere; in_app before the path", () => {
  const tree = treeOf([0, "b a"], [10, "b a"], [20, "c a"], [30, "c a"]);
  assert.deepEqual(drawn(tree, barsInTime(tree, { start_ms: 0, end_ms: 15 }, 0)), [
    "0 a 0-40 4",
    "1 b 0-20 2",
  ]);
  const own = (frame: object) =>
    readSentProfile("profile", {
      event_id: "a".repeat(32),
      profile: {
        samples: [{ elapsed_since_start_ns: 0, stack_id: 0 }],
        stacks: [[0]],
        frames: [frame],
      },
    }, NOW)?.frames[0]?.own;
  const inLibrary = { abs_path: "/srv/node_modules/shop/x.js" };
  assert.deepEqual(
    [{}, inLibrary, { ...inLibrary, in_app: true }, { module: "shop.api" }].map(own),
    [
      false,
      false,
      true,
      true,
    ],
  );
});

Deno.test("browser without Map.getOrInsertComputed → functions, own and folded calls", () => {
  const tree = treeOf([0, "lib.a lib.b lib.c own"], [10, "lib.a lib.b lib.c own"]);
  const key = "getOrInsertComputed";
  const known = Object.getOwnPropertyDescriptor(Map.prototype, key)!;
  Reflect.deleteProperty(Map.prototype, key);
  try {
    assert.deepEqual(named(ownCalls(tree)), [["own", 0, 2]]);
    assert.equal(functionRows(foldedCalls(tree)).length, 2);
    assert.ok(readRecorded("profile", "profile").entry.functions.length > 0);
  } finally {
    Object.defineProperty(Map.prototype, key, known);
  }
});
