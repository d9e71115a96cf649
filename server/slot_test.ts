import assert from "node:assert/strict";
import fc from "fast-check";
import { dataSlot, escapeHtml, fillSlots, hasSlot, scriptJson, slot, SlotError } from "./slot.ts";

const HOSTILE = `</script><b a='1' b="2">&amp;\u2028$& $1 \\ ${slot("other")}`;

Deno.test("slot in markup, attribute or JSON → its value is escaped as text", () => {
  const html = `<p title="${slot("x")}">${slot("x")}</p>` +
    `<script type="application/json">${scriptJson({ text: `a ${slot("x")} b` })}</script>`;
  const filled = fillSlots(html, { slots: { x: HOSTILE }, data: {} });
  const escaped = escapeHtml(HOSTILE);
  assert.ok(filled.startsWith(`<p title="${escaped}">${escaped}</p>`));
  const json = filled.slice(filled.indexOf('json">') + 6, -"</script>".length);
  assert.ok(!json.includes("<"));
  assert.deepEqual(JSON.parse(json), { text: `a ${HOSTILE} b` });
});

Deno.test("page data → JSON that cannot end its element", () => {
  const value = { a: [1, null, HOSTILE], "</script>": true };
  const filled = fillSlots(dataSlot("client"), { slots: {}, data: { client: value } });
  assert.ok(!filled.includes("<"));
  assert.deepEqual(JSON.parse(filled), value);
});

Deno.test("any text in JSON → unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    const filled = fillSlots(scriptJson([slot("x")]), { slots: { x: text }, data: {} });
    assert.deepEqual(JSON.parse(filled), [text]);
  }));
});

Deno.test("slot without a value → error with its name", () => {
  const empty = { slots: {}, data: {} };
  assert.throws(
    () => fillSlots(slot("x"), empty),
    new SlotError(
      'The page uses slot "x", which has no value: set it in the App\'s `slots`.',
    ),
  );
  assert.throws(() => fillSlots(dataSlot("y"), empty), /page data "y".*`data`/);
  assert.throws(() => fillSlots(slot("toString"), empty), SlotError);
  assert.throws(() => slot("no name"), SlotError);
});

Deno.test("hasSlot → whether a text contains a slot", () => {
  assert.equal(hasSlot(`a${slot("x")}`), true);
  assert.equal(hasSlot("a"), false);
});
