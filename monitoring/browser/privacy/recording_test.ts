import assert from "node:assert/strict";
import fc from "fast-check";
import { maskAttribute, scrubRecordedEvent, scrubRecordingEntry } from "./recording.ts";

const ORIGIN = "https://page.example";

const element = (tagName: string, attributes: object, childNodes: object[] = []) => (
  { type: 2, tagName, attributes, childNodes }
);
const withoutSecret = (value: unknown) => {
  const text = JSON.stringify(value);
  assert.ok(!text.includes("SECRET"), text);
};

Deno.test("snapshot → without sources of media and without queries", () => {
  const css = '@import "SECRET"; p{background:url("SECRET")}';
  const node = element("html", {}, [
    element("link", { href: `${ORIGIN}/SECRET.png`, _cssText: "a{b:url(SECRET)}" }),
    element("style", {}, [{ isStyle: true, textContent: css }]),
    element("a", { href: `${ORIGIN}/x?SECRET` }, [
      element("input", { src: "SECRET", class: "kept" }),
      element("div", { style: "background: url('SECRET')" }),
      element("video", { poster: "SECRET", rr_src: "SECRET" }),
    ]),
  ]);
  scrubRecordedEvent({ type: 2, data: { node } }, ORIGIN);
  withoutSecret(node);
  assert.ok(JSON.stringify(node).includes("kept"));
});

Deno.test("later changes → without sources of media and without queries", () => {
  const events = [
    { source: 0, adds: [{ node: { tagName: "img", attributes: { srcset: "SECRET 2x" } } }] },
    { source: 0, attributes: [{ id: 1, attributes: { src: "SECRET", href: "/x?SECRET" } }] },
    {
      source: 0,
      attributes: [{ id: 1, attributes: { style: { a: "url(SECRET)", b: ["url(SECRET)", "!"] } } }],
    },
    { source: 8, adds: [{ rule: "a{b:url(SECRET)}" }], replace: "a{b:url(SECRET)}" },
    { source: 13, set: { property: "background", value: "url(SECRET)" } },
    { source: 15, styles: [{ rules: [{ rule: "a{b:image-set('SECRET' 1x)}" }] }] },
  ];
  for (const data of events) {
    withoutSecret(scrubRecordedEvent({ type: 3, data }, ORIGIN));
  }
});

Deno.test("addresses with quotes and parentheses, several in one value → removed", () => {
  const css = [
    // As Chromium writes the rule of `url('data:image/svg+xml,<svg a="b"><g transform="rotate(5)">…')`.
    String
      .raw`a{b:url("data:image/svg+xml,<svg a=\"b\"><g c=\"rotate(5)\"><text>SECRET</text>");d:kept}`,
    String.raw`a{b:url('a\')SECRET');c:url(a\)SECRET);d:kept}`,
    `a{b:image-set('a' 1x,"SECRET" type("kept") 2x,url(SECRET) 3x);d:kept}`,
    `b:url("SECRET`,
  ];
  const event = { type: 3, data: { source: 8, adds: css.map((rule) => ({ rule })) } };
  withoutSecret(scrubRecordedEvent(event, ORIGIN));
  const rules = event.data.adds.map(({ rule }) => rule);
  assert.deepEqual(rules.map((rule) => rule.endsWith("d:kept}")), [true, true, true, false]);
});

Deno.test("texts in a style → masked; its other strings → unchanged", () => {
  const css = `[type="kept"]::after{content:"SECRET;}\\"SECRET" attr(x) 'SECRET';font:kept}` +
    `i{--a: 'SECRET';font-family:"kept"}`;
  const node = { tagName: "p", attributes: { style: `--a: "SECRET"`, _cssText: css } };
  const events = [
    { type: 2, data: { node } },
    { type: 3, data: { source: 8, adds: [{ rule: css }] } },
    { type: 3, data: { source: 13, set: { property: "--a", value: "'SECRET'" } } },
    {
      type: 3,
      data: { source: 0, attributes: [{ attributes: { style: { "--a": ["'SECRET'", "x"] } } }] },
    },
  ];
  for (const event of events) scrubRecordedEvent(event, ORIGIN);
  withoutSecret(events);
  assert.equal(
    node.attributes._cssText,
    `[type="kept"]::after{content:"****************" attr(x) '******';font:kept}` +
      `i{--a: '******';font-family:"kept"}`,
  );
});

Deno.test("event of any shape → no error", () => {
  fc.assert(fc.property(fc.constantFrom(2, 3, 4, 5), fc.jsonValue(), (type, data) => {
    scrubRecordedEvent({ type, data }, ORIGIN);
  }));
});

Deno.test("attributes that people read, known or not → masked", () => {
  const readable =
    "title alt placeholder aria-label aria-description label summary value data-name";
  for (const name of [...readable.split(" "), "content", "srcdoc", "something-new"]) {
    assert.equal(maskAttribute(name, "Ann B"), "*** *", name);
  }
});

Deno.test("attributes for look and behaviour → unchanged", () => {
  assert.equal(maskAttribute("class", "wide row"), "wide row");
  assert.equal(maskAttribute("ARIA-expanded", "true"), "true");
});

const isMonitoringRequest = (address: string) => address.includes("/monitoring");
const entry = (tag: string, payload: Record<string, unknown>) =>
  scrubRecordingEntry(
    { type: 5, timestamp: 1, data: { tag, payload } },
    isMonitoringRequest,
    ORIGIN,
  )?.data
    .payload;

Deno.test("monitoring's own requests and console output → not recorded", () => {
  const own = { op: "resource.fetch", description: `${ORIGIN}/monitoring/inbox?since=1` };
  assert.equal(entry("performanceSpan", own), undefined);
  assert.equal(entry("breadcrumb", { category: "console", message: "x" }), undefined);
});

Deno.test("request or navigation → only a known path; picture → only its file extension", () => {
  const description = (op: string, address: string) =>
    entry("performanceSpan", { op, description: address })?.description;
  assert.equal(description("resource.fetch", `${ORIGIN}/reset/SECRET`), `${ORIGIN}/<unknown>`);
  assert.equal(description("resource.img", `${ORIGIN}/SECRET.png`), "/*.png");
  assert.equal(description("navigation.push", `${ORIGIN}/?SECRET`), `${ORIGIN}/`);
  assert.equal(description("web-vital", "largest-contentful-paint"), "largest-contentful-paint");
});

Deno.test("the recorder's options → unchanged", () => {
  assert.deepEqual(entry("options", { maskAllText: true }), { maskAllText: true });
});
