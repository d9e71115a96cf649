import assert from "node:assert/strict";
import { envelopeItemTypeToDataCategory } from "@sentry/core";
import { categoriesIn, categoryBits, categoryOf, KNOWN_CATEGORIES } from "./categories.ts";

Deno.test("item types that page and server send → same category as in the SDK", () => {
  const types = [
    "attachment",
    "check_in",
    "client_report",
    "event",
    "feedback",
    "log",
    "profile",
    "raw_security",
    "replay_event",
    "replay_recording",
    "session",
    "sessions",
    "span",
    "transaction",
  ] as const;
  // The browser uses the SDK's table, which is part of its bundle.
  for (const type of types) assert.equal(categoryOf(type), envelopeItemTypeToDataCategory(type));
});

Deno.test("each category → one bit, and back", () => {
  const all = [undefined, ...KNOWN_CATEGORIES];
  const bits = all.map((category) => categoryBits([category]));
  assert.equal(new Set(bits).size, all.length);
  assert.ok(bits.every((each) => each > 0));
  for (const category of all) assert.deepEqual(categoriesIn(categoryBits([category])), [category]);
  assert.deepEqual(new Set(categoriesIn(categoryBits(all))), new Set(all));
});

Deno.test("unknown category → no bit set, but an error", () => {
  assert.throws(() => categoryBits(["error", "made_up"]), TypeError);
});
