import assert from "node:assert/strict";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { envelopeOf } from "../../inbox/testdata/envelopes.ts";
import {
  entry,
  messagePack,
  pageEvents,
  segmentEnvelope,
} from "../../../tests/harness/recorded_segments.ts";
import { indexBody } from "../index/index_entries.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import {
  joinSegments,
  parseSegment,
  readSegment,
  recordedRange,
  type Segment,
  SegmentError,
} from "./recording.ts";
import { recordingEntry } from "./recording_entry.ts";
import { spanOf } from "../trace/testdata/spans.ts";
import { type EventKind, readEvents, spanEvent, timeLineEnd } from "./timeline.ts";

const NOON = 1_795_262_400_000;
const ID = "5".repeat(32);
const change = (timestamp: number) => (
  { type: 3, timestamp, data: { source: 3, id: 5, x: 0, y: 0 } }
);
const page = pageEvents(NOON, []);

/** Segments of ten seconds: the first has the page, each a change at its start and end. */
const segment = (number: number): Segment => {
  const from = NOON + number * 10_000;
  return {
    number,
    events: [...(number === 0 ? page : []), change(from + 2), change(from + 9_000)] as never,
  };
};

Deno.test("segments in any order, some twice → the same recording", () => {
  const expected = joinSegments([0, 1, 2, 3, 4].map(segment))!;
  assert.deepEqual(expected.gaps, []);
  assert.equal(expected.from, NOON);
  assert.equal(expected.to, NOON + 49_000);
  const numbers = fc.shuffledSubarray([0, 1, 2, 3, 4, 0, 3, 4], { minLength: 8 });
  fc.assert(fc.property(numbers, (order) => {
    assert.deepEqual(joinSegments(order.map(segment)), expected);
  }));
});

Deno.test("missing segments → gaps between the segments that have arrived", () => {
  assert.deepEqual(joinSegments([0, 3, 4].map(segment))!.gaps, [
    { missing: { first: 1, last: 2 }, from: NOON + 9_000, to: NOON + 30_002 },
  ]);
  // The SDK's report of a slow click is as old as the click.
  const report = { number: 2, events: [entry(NOON + 9_100, "breadcrumb", {})] } as never;
  assert.deepEqual(joinSegments([segment(0), report, segment(3)])!.gaps, [
    { missing: { first: 1, last: 1 }, from: NOON + 9_000, to: NOON + 30_002 },
  ]);
});

Deno.test("pages with the same numbers → none is lost; each is shown while it is used", () => {
  const moved = (s: number, x: number) => (
    { type: 3, timestamp: NOON + s * 1_000, data: { source: 1, positions: [{ x }] } }
  );
  const blur = { type: 3, timestamp: NOON + 13_000, data: { source: 2, type: 6, id: 5 } };
  const work = (s: number) => change(NOON + s * 1_000);
  const of = (start: number, number: number, ...events: unknown[]) =>
    ({ start: NOON + start, number, events }) as Segment;
  // "Back" leads to the first page as it was; a copied tab works on in the background.
  const joined = joinSegments([
    of(0, 0, ...page, work(1)),
    of(1, 1, ...pageEvents(NOON + 10_000, []), moved(11, 2), work(17)),
    of(0, 1, moved(9, 1), blur, work(14), moved(15, 3), work(16)),
    of(0, 1, moved(9, 1), blur, work(14), moved(15, 3), work(16)),
    of(1, 2, moved(18, 4)),
  ])!;
  assert.deepEqual(
    joined.played.map(({ type, timestamp, data }) => [
      (timestamp - NOON) / 1_000,
      type === 3 ? (data as { source: number }).source : type,
    ]),
    // 4, 2: a complete picture; 1: the pointer; 3: a change.
    [
      ...[[0, 4], [0.001, 2], [1, 3], [9, 1]],
      ...[[10, 4], [10.001, 2], [11, 1]],
      ...[[15, 4], [15, 2], [15, 3], [15, 3], [15, 1], [16, 3]],
      ...[[18, 4], [18, 2], [18, 3], [18, 1]],
    ],
  );
  assert.deepEqual([joined.gaps, joined.omitted], [[], 0]);
});

Deno.test("page loaded, recorder paused → gaps; a complete picture in between → none", () => {
  const loaded = (op: string) => entry(NOON + 12_000, "performanceSpan", { op });
  const joined = (again: number, ...entries: unknown[]) => {
    const events = [...entries, ...pageEvents(NOON + again, [])] as never;
    return joinSegments([segment(0), { number: 1, events }])!.gaps;
  };
  const gapTo = (to: number) => [{ from: NOON + 9_000, to: NOON + to }];
  for (const op of ["navigate", "reload", "back_forward"]) {
    assert.deepEqual(joined(13_000, loaded(`navigation.${op}`)), gapTo(13_000), op);
  }
  assert.deepEqual(joined(310_000), gapTo(310_000));
  assert.deepEqual(joined(13_000), []);
  assert.deepEqual(joined(13_000, loaded("navigation.push")), []);
});

Deno.test("what the session sent after the last frame → the time line ends with it", () => {
  const recording = joinSegments([segment(0)])!;
  const end = (...events: [EventKind, number][]) =>
    timeLineEnd(recording, events.map(([kind, s]) => ({ kind, at: NOON + s * 1_000, text: "" })));
  assert.equal(end(["click", 5]), NOON + 9_000);
  assert.equal(end(["error", 20], ["log", 15], ["error", -5]), NOON + 20_000);
  // Of a job that the page began, and of another clock.
  assert.equal(end(["span", 30], ["error", 25 * 3_600]), NOON + 9_000);
});

Deno.test("no complete picture → cannot be played; a later one → played from there", () => {
  assert.equal(joinSegments([1, 2].map(segment)), undefined);
  assert.equal(joinSegments([]), undefined);
  const later = pageEvents(NOON + 20_000, []) as never as Segment["events"];
  const recording = joinSegments([segment(1), { number: 2, events: later }])!;
  assert.equal(recording.from, NOON + 20_000);
  assert.deepEqual(recording.played.map(({ type }) => type), [4, 2]);
  assert.deepEqual(recording.gaps, []);
  assert.deepEqual(recording.before.gaps.map(({ missing }) => missing), [{ first: 0, last: 0 }]);
  assert.deepEqual([recording.before.frames, recording.omitted], [2, 0]);
  const after = joinSegments([segment(1), { number: 3, events: later }, segment(5)])!;
  assert.deepEqual(after.before.gaps.map(({ missing }) => missing?.first), [0, 2]);
  assert.deepEqual(after.gaps, [
    { missing: { first: 4, last: 4 }, from: NOON + 20_001, to: NOON + 50_002 },
  ]);
});

Deno.test("event of another year → left out, the recording keeps its length", () => {
  const events = [...page, change(NOON + 5), change(NOON * 2), change(NOON - 9)] as never;
  const { omitted, to } = joinSegments([{ number: 0, events }])!;
  assert.deepEqual([omitted, to], [2, NOON + 5]);
});

Deno.test("span from before the first frame → an entry, not played, and not reported as left out", () => {
  const early = { type: 5, timestamp: NOON - 3_000, data: { tag: "performanceSpan" } };
  // The document is ready before the first frame: nothing of it could be played.
  const ready = { type: 0, timestamp: NOON - 2, data: {} };
  const events = [ready, ...page, early] as never;
  const { omitted, entries } = joinSegments([{ number: 0, events }])!;
  assert.deepEqual([omitted, entries.length], [0, 1]);
});

Deno.test("segment compressed or plain → its events; times in seconds → milliseconds", async () => {
  const span = entry(NOON / 1000 + 1, "performanceSpan", {});
  for (const isCompressed of [true, false]) {
    const events = [...page, span];
    const bytes = segmentEnvelope({ replayId: ID, number: 7, events, isCompressed });
    const segment = parseSegment((await readSegment(bytes))!);
    assert.equal(segment?.number, 7);
    assert.deepEqual(segment.events.map(({ timestamp }) => timestamp - NOON), [0, 1, 1_000]);
  }
  assert.equal(await readSegment(envelopeOf({}, ["event", {}])), undefined);
});

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("broken segment → an error for display", async () => {
  const payload = (content: Uint8Array, header = '{"segment_id":0}\n') =>
    envelopeOf({}, ["replay_recording", new Uint8Array([...encode(header), ...content])]);
  const cases: readonly (readonly [Uint8Array, RegExp])[] = [
    [payload(encode("[]"), ""), /no header/],
    [payload(encode("[]"), "{}\n"), /no number/],
    [payload(new Uint8Array([0x78, 0x9c, 0xff, 0xff, 0xff])), /cannot be decompressed/],
    [payload(deflateSync(new Uint8Array(40 * 1024 * 1024))), /too large/],
    [new Uint8Array([1]), /malformed/],
  ];
  for (const [bytes, message] of cases) {
    const isExpected = (error: unknown) =>
      error instanceof SegmentError && message.test(error.message);
    await assert.rejects(() => readSegment(bytes), isExpected, String(message));
  }
  for (const content of ["{", "{}", '[{"type":3,']) {
    assert.equal(parseSegment((await readSegment(payload(encode(content))))!), undefined, content);
  }
});

Deno.test("video of a mobile SDK → a segment of kind video; damaged → no exception", () => {
  const event = JSON.stringify({
    replay_id: ID,
    segment_id: 2,
    timestamp: NOON / 1000,
    replay_start_timestamp: NOON / 1000 - 5,
    urls: ["CartActivity"],
    user: { id: "7", email: "eve@shop.example" },
    platform: "java",
  });
  const video = messagePack({ replay_event: event, replay_recording: "{}", replay_video: "mp4" });
  const read = (payload: Uint8Array) =>
    indexBody([parseEnvelope(envelopeOf({ event_id: ID }, ["replay_video", payload]))], NOON)
      .resources[0]!.recordings;
  assert.deepEqual(read(video), [{
    replay_id: ID,
    kind: "video",
    segment: 2,
    started_at: NOON - 5_000,
    at: NOON,
    playable: false,
    bytes: video.byteLength,
    user: "eve@shop.example",
    browser: null,
    urls: ["CartActivity"],
  }]);
  fc.assert(fc.property(fc.nat(video.length), fc.uint8Array(), (end, rest) => {
    assert.equal(read(new Uint8Array([...video.subarray(0, end), ...rest]))[0]?.kind, "video");
  }));
});

Deno.test("events of an implausible time → at the time of receipt, as long as they are", async () => {
  const events = [...pageEvents(NOON * 2, []), change(NOON * 2 + 5_000)];
  const bytes = segmentEnvelope({ replayId: ID, number: 0, events });
  const entry = recordingEntry(parseEnvelope(bytes), NOON, await recordedRange(bytes));
  assert.deepEqual([entry?.started_at, entry?.at], [NOON - 5_000, NOON]);
});

Deno.test("recording's browser → of its context, else by its User-Agent", () => {
  const webkit = "Mozilla/5.0 (X) AppleWebKit/537.36 (KHTML, like Gecko)";
  const browserOf = (agent: string, contexts = {}) => {
    const request = { headers: { "User-Agent": agent } };
    const segment = segmentEnvelope({
      ...{ replayId: ID, number: 0, events: pageEvents(NOON, []) },
      event: { request, contexts },
    });
    return indexBody([parseEnvelope(segment)], NOON).resources[0]!.recordings[0]!.browser;
  };
  const agents = {
    "Chrome 148": `${webkit} HeadlessChrome/148.0.0.0 Safari/537.36`,
    "Edge 147": `${webkit} Chrome/147.0.0.0 Safari/537.36 Edg/147.0.0.0`,
    "Firefox 150": "Mozilla/5.0 (X; rv:150.0) Gecko/20100101 Firefox/150.0",
    "Safari 26": `${webkit} Version/26.1 Safari/605.1.15`,
  };
  for (const [name, agent] of Object.entries(agents)) assert.equal(browserOf(agent), name);
  assert.equal(browserOf("curl/8.9"), null);
  assert.equal(
    browserOf(agents["Edge 147"], { browser: { name: "Brave", version: "1.9" } }),
    "Brave 1.9",
  );
});

Deno.test("breadcrumbs and spans → clicks, navigations, requests, vitals; repeated → once", () => {
  const crumb = (ms: number, payload: Record<string, unknown>) =>
    entry(NOON + ms, "breadcrumb", payload);
  const span = (ms: number, payload: Record<string, unknown>) =>
    entry(NOON + ms, "performanceSpan", payload);
  const url = "https://shop.example/paid?a=1";
  const data = { method: "POST", statusCode: 500 };
  const events = readEvents([
    crumb(1, { category: "ui.click", message: "main > button#pay" }),
    crumb(2, { category: "navigation", data: { from: "/cart", to: url } }),
    span(3, { op: "navigation.push", description: url }),
    span(4, { op: "resource.fetch", description: "https://shop.example/api", data }),
    span(5, { op: "web-vital", description: "largest-contentful-paint", data: { value: 81.4 } }),
    ...[0.021, 0.112].map((value) =>
      span(6, { op: "web-vital", description: "cumulative-layout-shift", data: { value } })
    ),
    span(6, { op: "memory", description: "memory" }),
    crumb(7, { category: "console", message: "secret" }),
    entry(NOON + 8, "options", {}),
  ] as never);
  assert.deepEqual(events.map(({ kind, text }) => `${kind}: ${text}`), [
    "click: main > button#pay",
    "navigation: /paid?a=1",
    "request: POST /api · 500",
    "vital: LCP 81\u00a0ms",
    // Its last value.
    "vital: CLS 0.11",
  ]);
});

Deno.test("slow clicks → rage click: at least 5, and no reaction until the SDK's time limit", () => {
  const slow = (clickCount: number, endReason: string) => ({
    category: "ui.slowClickDetected",
    message: "button",
    data: { clickCount, endReason },
  });
  const clicks = [slow(5, "timeout"), slow(4, "timeout"), slow(9, "mutation")];
  const events = readEvents(
    clicks.map((of, n) => entry(NOON + n * 1_000, "breadcrumb", of)) as never,
  );
  assert.deepEqual(events.map(({ text, isRage }) => [text, isRage]), [
    ["button (5 clicks, no reaction)", true],
    ["button (4 clicks, no reaction)", undefined],
    ["button (9 clicks, late reaction)", undefined],
  ]);
});

Deno.test("click reported again as slow, or as one of many → one event; two clicks → two", () => {
  const click = (ms: number, category: string, message = "button", clickCount = 1) =>
    entry(NOON + ms, "breadcrumb", { category, message, data: { clickCount } });
  const events = readEvents([
    click(0, "ui.click"),
    click(100, "ui.click"),
    click(100, "ui.slowClickDetected"),
    click(400, "ui.click"),
    click(800, "ui.click", "b".repeat(400)),
    click(800, "ui.multiClick", "b".repeat(400), 6),
  ] as never);
  assert.deepEqual(events.map(({ at, text }) => [at - NOON, text]), [
    [100, "button (no reaction)"],
    [400, "button"],
    [800, `${"b".repeat(299)}… (6 clicks)`],
  ]);
});

Deno.test("spans of a trace → files that the page loaded are resources; root, no start → none", () => {
  const event = (op: string) =>
    spanEvent(spanOf("a", "load", NOON, NOON + 9, { op, name: "/a" }), 0);
  assert.deepEqual(event("http.client"), { kind: "span", at: NOON, text: "/a" });
  assert.deepEqual(event("resource.fetch"), { kind: "span", at: NOON, text: "/a" });
  assert.deepEqual(event("resource.script"), { kind: "resource", at: NOON, text: "/a" });
  assert.equal(spanEvent(spanOf("load", null, NOON, NOON + 9), 0), undefined);
  assert.equal(spanEvent(spanOf("a", "load", null, NOON), 0), undefined);
});

Deno.test("any JSON as entries → no exception", () => {
  fc.assert(fc.property(fc.array(fc.jsonValue()), (values) => {
    const entries = values.map((data) => ({ type: 5, timestamp: 1, data }));
    assert.ok(readEvents(entries).length <= entries.length);
  }));
});
