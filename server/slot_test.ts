import assert from "node:assert/strict";
import fc from "fast-check";
import { dataSlot, escapeHtml, fillSlots, scriptJson, slot } from "./slot.ts";

const HOSTILE = `</script><b a='1' b="2">&amp;\u2028$& $1 \\ ${slot("other")}`;

Deno.test("slot in markup, attribute or JSON → its value is escaped as text", () => {
  const html = `<p title="${slot("x")}">${slot("x")}</p>` +
    `<script type="application/json">${scriptJson({ text: `a ${slot("x")} b` })}</script>`;
  const filled = fillSlots(html, { x: HOSTILE });
  const escaped = escapeHtml(HOSTILE);
  assert.ok(filled.startsWith(`<p title="${escaped}">${escaped}</p>`));
  const json = filled.slice(filled.indexOf('json">') + 6, -"</script>".length);
  assert.ok(!json.includes("<"));
  assert.deepEqual(JSON.parse(json), { text: `a ${HOSTILE} b` });
});

Deno.test("page data → JSON that cannot end its element", () => {
  const value = { a: [1, null, HOSTILE], "</script>": true };
  const filled = fillSlots(dataSlot("client"), { client: value });
  assert.ok(!filled.includes("<"));
  assert.deepEqual(JSON.parse(filled), value);
});

Deno.test("any text in JSON → unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const filled = fillSlots(scriptJson([slot("x")]), { x: text });
    assert.deepEqual(JSON.parse(filled), [text]);
  }));
});

Deno.test("slot without a value → error with its name", () => {
  assert.throws(() => fillSlots(slot("x"), {}), /slot "x", which has no value/);
  assert.throws(() => fillSlots(dataSlot("y"), {}), /slot "y"/);
  assert.throws(() => fillSlots(slot("toString"), {}), TypeError);
});
