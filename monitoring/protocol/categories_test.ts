import assert from "node:assert/strict";
import { type EnvelopeItemType, envelopeItemTypeToDataCategory } from "@sentry/core";
import { categoriesIn, categoryBits, categoryOf, KNOWN_CATEGORIES } from "./categories.ts";

Deno.test("item types that page and server send → same category as in the SDK", () => {
  const types = "attachment check_in client_report event feedback log profile raw_security " +
    "replay_event replay_recording session sessions span transaction";
  // The browser uses the SDK's table, which is part of its bundle.
  for (const type of types.split(" ")) {
    assert.equal(categoryOf(type), envelopeItemTypeToDataCategory(type as EnvelopeItemType), type);
  }
});

Deno.test("each category → one bit, and back; unknown → TypeError", () => {
  const all = [undefined, ...KNOWN_CATEGORIES];
  const bits = all.map((category) => categoryBits([category]));
  assert.equal(new Set(bits).size, all.length);
  assert.ok(bits.every((each) => each > 0));
  for (const category of all) assert.deepEqual(categoriesIn(categoryBits([category])), [category]);
  assert.deepEqual(new Set(categoriesIn(categoryBits(all))), new Set(all));
  assert.throws(() => categoryBits(["error", "made_up"]), TypeError);
});
