import assert from "node:assert/strict";
import { createKeepaliveBudget, KEEPALIVE_BYTES } from "./keepalive_budget.ts";

Deno.test("bodies under way together stay within the browser's account", () => {
  const budget = createKeepaliveBudget();
  assert.equal(budget.take(KEEPALIVE_BYTES - 10), true);
  assert.equal(budget.take(11), false);
  assert.equal(budget.take(10), true);
  budget.give(KEEPALIVE_BYTES - 10);
  assert.equal(budget.take(11), true);
});

Deno.test("a body that is too large alone never goes with keepalive", () => {
  assert.equal(createKeepaliveBudget().take(KEEPALIVE_BYTES + 1), false);
});
