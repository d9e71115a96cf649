import assert from "node:assert/strict";
import { Refusals } from "./refusals.ts";

const refusal = (n: number) => ({
  at: new Date(n).toISOString(),
  error: "dsn_missing",
  detail: "No.",
  origin: null,
  address: "/monitoring",
  user_agent: null,
});

Deno.test("60 refusals → the newest 50, newest first, each signalled once", () => {
  const refusals = new Refusals();
  let signals = 0;
  const unsubscribe = refusals.subscribe(() => signals++);
  for (let n = 0; n < 60; n++) refusals.add(refusal(n));
  assert.equal(refusals.total, 60);
  assert.equal(signals, 60);
  assert.deepEqual(refusals.rows, Array.from({ length: 50 }, (_, i) => refusal(59 - i)));
  unsubscribe();
  refusals.add(refusal(60));
  assert.equal(signals, 60);
});
