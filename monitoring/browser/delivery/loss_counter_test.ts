import assert from "node:assert/strict";
import { lossesOf, sumLosses } from "./loss_counter.ts";

Deno.test("container of logs → each log counts; event → counts once", () => {
  const items = [{ type: "event", bytes: 1 }, { type: "log", bytes: 1, count: 7 }];
  assert.deepEqual(lossesOf(items, "queue_overflow"), [
    { reason: "queue_overflow", category: "error", quantity: 1 },
    { reason: "queue_overflow", category: "log_item", quantity: 7 },
  ]);
});

Deno.test("client report lost → no loss", () => {
  assert.deepEqual(lossesOf([{ type: "client_report", bytes: 1 }], "send_error"), []);
});

Deno.test("losses of one reason and category → one row", () => {
  const [error] = lossesOf([{ type: "event", bytes: 1 }], "send_error");
  const [old] = lossesOf([{ type: "event", bytes: 1 }], "network_error");
  assert.ok(error && old);
  assert.deepEqual(sumLosses([error, old, error]), [{ ...error, quantity: 2 }, old]);
});
