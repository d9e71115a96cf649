import assert from "node:assert/strict";
import { lossesOf, sumOfLosses } from "./losses.ts";

Deno.test("a container counts for what is in it, all else for one", () => {
  const items = [{ type: "event", bytes: 1 }, { type: "log", bytes: 1, count: 7 }];
  assert.deepEqual(lossesOf(items, "queue_overflow"), [
    { reason: "queue_overflow", category: "error", quantity: 1 },
    { reason: "queue_overflow", category: "log_item", quantity: 7 },
  ]);
});

Deno.test("a report that is lost is not reported: that would never end", () => {
  assert.deepEqual(lossesOf([{ type: "client_report", bytes: 1 }], "send_error"), []);
});

Deno.test("losses of one reason and category become one row", () => {
  const [error] = lossesOf([{ type: "event", bytes: 1 }], "send_error");
  const [old] = lossesOf([{ type: "event", bytes: 1 }], "network_error");
  assert.ok(error && old);
  assert.deepEqual(sumOfLosses([error, old, error]), [{ ...error, quantity: 2 }, old]);
});
