import assert from "node:assert/strict";
import fc from "fast-check";
import { envelopeOf } from "../../../inbox/testdata/envelopes.ts";
import {
  addition,
  element,
  entry,
  messagePack,
  pageEvents,
  text,
} from "../../../../tests/harness/recorded_segments.ts";
import type { RecordedEvent } from "../recording.ts";
import { MaskingReport, MAX_FINDINGS } from "./masking_report.ts";

const NOON = 1_795_262_400_000;

function reportOf(events: readonly unknown[], wanted: readonly string[] = []) {
  const report = new MaskingReport(wanted);
  for (const event of events) report.addEvent(event as RecordedEvent);
  return report;
}

const incremental = (ms: number, data: Record<string, unknown>) => ({
  type: 3,
  timestamp: NOON + ms,
  data,
});

/** A page with one text of each kind. */
const PAGE = pageEvents(NOON, [
  element(10, "form", { id: "pay" }, [
    element(11, "input", { name: "mail", type: "email", value: "canary-value" }),
    element(12, "p", { title: "canary-title" }, [text(13, "canary-text")]),
    element(14, "img", { src: "https://shop.example/canary-image.png?a=1" }),
    element(15, "a", { href: "https://shop.example/?q=canary-link" }, [text(16, "***** ****")]),
    element(17, "img", { rr_width: "10px", rr_height: "20px" }),
    element(18, "div", { style: "content: 'canary-style'", class: "card big" }, [
      element(19, "span", {}, [text(20, "→")]),
    ]),
  ]),
], [element(30, "style", {}, [text(31, "p::before { content: 'canary-sheet' }")])]);

/** Each text that is searched for, with the place and the milliseconds. */
const FOUND: Readonly<Record<string, readonly unknown[]>> = {
  "canary-value": ["page: <input>.value", 1],
  "canary-title": ["page: <p>.title", 1],
  "canary-text": ["page: <p>.textContent", 1],
  "canary-image": ["page: <img>.src", 1],
  "canary-link": ["page: <a>.href", 1],
  "canary-style": ["page: <div>.style", 1],
  "canary-sheet": ["page: <style>.textContent", 1],
  "canary-typed": ["input: text", 1],
  "canary-added": ["page: <button>.aria-label", 2],
  "canary-changed": ["page: texts.value", 3],
  "canary-renamed": ["page: data-user", 3],
  "canary-crumb": ["breadcrumb: payload.message", 4],
  "canary-span": ["performanceSpan: payload.data.request.body", 5],
  "canary-canvas": ["page: commands.args", 6],
  "shop.example/canary-page": ["page: href", 0],
};

Deno.test("page, changes and entries → each text with its place and time", () => {
  const report = reportOf([
    { type: 4, timestamp: NOON, data: { href: "https://shop.example/canary-page" } },
    ...PAGE,
    incremental(1, { source: 5, id: 11, text: "canary-typed", isChecked: false }),
    addition(NOON + 2, element(40, "button", { "aria-label": "canary-added" }), 18),
    incremental(3, {
      source: 0,
      adds: [],
      removes: [],
      texts: [{ id: 13, value: "canary-changed" }],
      attributes: [{ id: 12, attributes: { "data-user": "canary-renamed", hidden: null } }],
    }),
    entry(NOON + 4, "breadcrumb", { category: "ui.click", message: "canary-crumb" }),
    entry(NOON + 5, "performanceSpan", {
      op: "resource.fetch",
      data: { request: { body: "canary-span" } },
    }),
    incremental(6, {
      source: 9,
      id: 5,
      commands: [{ property: "fillText", args: ["canary-canvas"] }],
    }),
  ], [...Object.keys(FOUND), "canary-nowhere"]);
  for (const text of report.wanted) {
    const found = report.findings.filter(({ value }) => value === text)
      .map(({ place, at }) => [place, at! - NOON]);
    assert.deepEqual(found, text in FOUND ? [FOUND[text]] : [], text);
  }
});

Deno.test("address typed letter by letter → one finding with the last value", () => {
  const page = pageEvents(NOON, [element(10, "input", { id: "mail" })]);
  const typed = ["a@b.ex", "a@b.exa", "a@b.exam"].map((text, n) =>
    incremental(n, { source: 5, id: 10, text })
  );
  const findings = reportOf([...page, ...typed]).findings;
  assert.deepEqual(findings.map(({ value }) => value), ["a@b.exam"]);
});

Deno.test("envelopes of a session, by any clock → each text with its item and path, no time", () => {
  const second = NOON / 1000;
  const encode = (text: string) => new TextEncoder().encode(text);
  const event = {
    timestamp: second,
    message: "a canary",
    breadcrumbs: [
      { timestamp: second - 1, message: "a canary" },
      { timestamp: second - 2, data: { url: "/?q=canary" } },
    ],
  };
  const browser = envelopeOf(
    { sdk: { name: "sentry.javascript.browser" } },
    ["event", event],
    ["log", { items: [{ body: "no" }, { body: "canary", timestamp: second + 1 }] }],
    ["span", { items: [{ attributes: { "url.full": { value: "/?canary", type: "string" } } }] }],
    ["attachment", encode("a file")],
    ["attachment", encode("a canary")],
    ["replay_recording", encode('{"segment_id":0}\n["canary"]')],
  );
  const python = { sdk: { name: "sentry.python" }, extra: { "canary key": 1 } };
  const report = new MaskingReport(["canary", "shop.example/a"]);
  report.addEnvelope(1, browser);
  report.addEnvelope(2, envelopeOf({}, ["event", python]));
  report.addEnvelope(3, new Uint8Array([1]));
  // JSON with the escapes of Apple's SDKs.
  const video = messagePack({
    replay_event: '{"urls":["https:\\/\\/shop.example\\/a"]}',
    replay_video: "mp4",
    replay_recording: '{"segment_id":0}\n[{"message":"The\\ncanary of ann@shop.example"}]',
  });
  report.addEnvelope(4, envelopeOf({}, ["replay_video", video]));
  assert.equal(report.unread, 4);
  assert.deepEqual(
    report.findings.map(({ place, at, envelope }) => [place, envelope, at]),
    [
      ["event: message", 1, null],
      ["event: breadcrumbs.message", 1, null],
      ["event: breadcrumbs.data.url", 1, null],
      ["log: items.body", 1, null],
      ["span: items.url.full.value", 1, null],
      ["attachment", 1, null],
      ["event: extra", 2, null],
      ["replay_video", 4, null],
      ["replay_video", 4, null],
      ["replay_video", 4, null],
    ],
  );
});

Deno.test("numbers that were sent → found as a whole; of the page none, as they are its own", () => {
  const report = reportOf([incremental(1, { source: 2, id: 40_271 })], ["40271", "271"]);
  const attributes = { card: { value: 4_111_111_111_111_111, type: "integer" } };
  report.addEnvelope(7, envelopeOf({}, ["log", { items: [{ timestamp: 40_271.5, attributes }] }]));
  report.addEnvelope(8, envelopeOf({}, ["event", { user: { id: 40_271 } }]));
  assert.deepEqual(
    report.findings.map(({ what, value, place, envelope }) => [what, value, place, envelope]),
    [
      ["card number", "4111111111111111", "log: items.card.value", 7],
      [undefined, "40271", "event: user.id", 8],
    ],
  );
});

Deno.test("id, hash or class that looks random → not personal data; the same as a text → it is", () => {
  const random = "Zk3Xy9QpL2mN8vB4tR7wHs6D";
  const page = pageEvents(NOON, [
    element(10, "p", { class: random, id: random }, [text(11, `Code: ${random}`)]),
  ]);
  const report = reportOf([...page, entry(NOON, "breadcrumb", { data: { cart_id: random } })]);
  report.addEnvelope(1, envelopeOf({}, ["event", { release: random, user: { id: random } }]));
  assert.deepEqual(report.findings.map(({ place }) => place), ["page: <p>.textContent"]);
});

Deno.test("more findings than the limit → counted as left out; the same one again → one finding", () => {
  const mails = Array.from({ length: MAX_FINDINGS + 5 }, (_, n) => `ann${n}@shop.example`);
  const page = pageEvents(NOON, [element(10, "p", {}, [text(11, mails.join(" "))])]);
  const report = reportOf([...page, ...page]);
  assert.deepEqual([report.findings.length, report.omitted], [MAX_FINDINGS, 10]);
});

Deno.test("canary anywhere in any recorded JSON → found", () => {
  const events = fc.array(fc.record({
    type: fc.integer({ min: 0, max: 7 }),
    timestamp: fc.constant(NOON),
    data: fc.jsonValue(),
  }));
  const holders = fc.constantFrom<(canary: string) => unknown>(
    (canary) => incremental(0, { source: 10, fontSource: canary }),
    (canary) => incremental(0, { source: 8, adds: [{ rule: `a { b: "${canary}" }` }] }),
    (canary) => ({ type: 6, timestamp: NOON, data: { plugin: "x", payload: { args: [canary] } } }),
    (canary) => addition(NOON, { type: 5, id: 9, textContent: canary }),
    (canary) => entry(NOON, "anything", { deep: [[{ [`a ${canary}`]: 1 }]] }),
  );
  fc.assert(fc.property(events, events, holders, (before, after, hold) => {
    const all = [...before, hold("canary-7f"), ...after];
    const findings = reportOf(all, ["CANARY-7F"]).findings;
    assert.equal(findings.filter(({ what }) => what === undefined).length, 1);
  }));
});

Deno.test("nodes in a ring, nested 100,000 deep, a text of 600 KB → read to the end", () => {
  let node: Record<string, unknown> = { type: 3, id: 1, textContent: "canary" };
  let json: unknown = "canary";
  for (let depth = 0; depth < 100_000; depth++) {
    node = { type: 2, id: depth + 2, tagName: "b", attributes: "no object", childNodes: [node] };
    json = { a: json };
  }
  const report = reportOf([
    addition(NOON, node),
    addition(NOON, { type: 2, id: 7, tagName: "i" }, 8),
    addition(NOON, { type: 2, id: 8, tagName: "i", childNodes: [text(9, "canary")] }, 7),
    entry(NOON, "breadcrumb", { json }),
    addition(NOON, text(200_001, `${"a1@".repeat(200_000)} canary`), 300_000),
  ], ["canary"]);
  const found = report.findings.filter(({ what }) => what === undefined);
  assert.deepEqual(found.map(({ place }) => place), [
    "page: <b>.textContent",
    "page: <i>.textContent",
    `breadcrumb: ${Array(12).fill("a").join(".")}`,
    "page: adds.node.textContent",
  ]);
  assert.equal(report.cut, 1);
});

Deno.test("text in another case, with other blanks, escaped → found; of two letters → ignored", () => {
  for (
    const [wanted, sent, isFound = true] of [
      ["Secret tea", "my SECRET\n  TEA!"],
      ["ann@shop.example", "/?mail=ann%40shop.example#top"],
      ["Secret tea", "/search?q=secret+tea&page=2"],
      ["Ünïcode", "u\u0308nïcode".toUpperCase()],
      ["secret tea", "secrettea", false],
      ["se", "secret tea", false],
    ] as const
  ) {
    const page = pageEvents(NOON, [element(10, "p", {}, [text(11, sent)])]);
    const found = reportOf(page, [wanted]).findings.filter(({ what }) => what === undefined);
    assert.equal(found.length, isFound ? 1 : 0, `${wanted} in ${sent}`);
  }
});
