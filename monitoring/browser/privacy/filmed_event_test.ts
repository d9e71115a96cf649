import assert from "node:assert/strict";
import fc from "fast-check";
import { scrubFilmedEvent } from "./filmed_event.ts";

const ORIGIN = "https://page.example";

Deno.test("the filmed page has an unknown address → neither path nor query is filmed", () => {
  const event = scrubFilmedEvent({
    type: 4,
    data: { href: `${ORIGIN}/reset/SECRET?SECRET#SECRET` },
  }, ORIGIN);
  assert.deepEqual(event.data, { href: `${ORIGIN}/<unknown>` });
});

/*
 * html
 * ├── link  href
 * ├── style url(…)
 * └── a     href ─ input src, div style
 */
Deno.test("a snapshot names no picture and no query", () => {
  const node = {
    type: 2,
    tagName: "html",
    attributes: {},
    childNodes: [
      {
        tagName: "link",
        attributes: { href: `${ORIGIN}/SECRET.png`, _cssText: "a{b:url(SECRET)}" },
      },
      {
        tagName: "style",
        attributes: {},
        childNodes: [{
          isStyle: true,
          textContent: '@import "SECRET"; p{background:url("SECRET")}',
        }],
      },
      {
        tagName: "a",
        attributes: { href: `${ORIGIN}/x?SECRET` },
        childNodes: [
          { tagName: "input", attributes: { src: "SECRET", class: "kept" } },
          { tagName: "div", attributes: { style: "background: url('SECRET')" } },
          { tagName: "video", attributes: { poster: "SECRET", rr_src: "SECRET" } },
        ],
      },
    ],
  };
  scrubFilmedEvent({ type: 2, data: { node } }, ORIGIN);
  assert.ok(!JSON.stringify(node).includes("SECRET"), JSON.stringify(node));
  assert.ok(JSON.stringify(node).includes("kept"));
});

Deno.test("nor does what changes later", () => {
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
    const text = JSON.stringify(scrubFilmedEvent({ type: 3, data }, ORIGIN));
    assert.ok(!text.includes("SECRET"), text);
  }
});

Deno.test("what stands in a field of any kind is masked, hidden ones too", () => {
  const hidden = { tagName: "input", attributes: { type: "hidden", value: "SECRET 1" } };
  const events = [
    { type: 2, data: { node: hidden } },
    { type: 3, data: { source: 0, attributes: [{ id: 1, attributes: { value: "SECRET" } }] } },
    { type: 3, data: { source: 5, text: "SECRET", isChecked: false } },
  ];
  for (const event of events) scrubFilmedEvent(event, ORIGIN);
  assert.ok(!JSON.stringify(events).includes("SECRET"), JSON.stringify(events));
  assert.equal(hidden.attributes.value, "****** *");
});

Deno.test("texts that a style shows are masked, its other strings stay", () => {
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
  for (const event of events) scrubFilmedEvent(event, ORIGIN);
  assert.ok(!JSON.stringify(events).includes("SECRET"), JSON.stringify(events));
  assert.equal(
    node.attributes._cssText,
    `[type="kept"]::after{content:"****************" attr(x) '******';font:kept}` +
      `i{--a: '******';font-family:"kept"}`,
  );
});

Deno.test("whatever shape an event has, it passes", () => {
  fc.assert(fc.property(fc.constantFrom(2, 3, 4, 5), fc.jsonValue(), (type, data) => {
    scrubFilmedEvent({ type, data }, ORIGIN);
  }));
});
