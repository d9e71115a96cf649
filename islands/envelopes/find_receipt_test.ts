import assert from "node:assert/strict";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { receiptOf } from "../testdata/rows.ts";
import { findReceipt } from "./find_receipt.ts";

const items = [{ type: "log", bytes: 20 }];
const row = { id: 1, received_at: 5_000, event_id: null, bytes: 50, items } as unknown as InboxRow;
const receipt = (change: Parameters<typeof receiptOf>[0]) =>
  receiptOf({ id: "local", at: 4_990, items, bytes: 50, sentBytes: 40, ...change });

Deno.test("same items, compressed or not → the receipt closest in time", () => {
  const [near, far] = [receipt({}), receipt({ at: 1_000 })];
  assert.equal(findReceipt(row, [far, near]), near);
  assert.equal(findReceipt({ ...row, bytes: 40, content_encoding: "gzip" }, [far, near]), near);
});

Deno.test("other items or another minute → no receipt", () => {
  const others = [
    receipt({ items: [{ type: "log", bytes: 21 }] }),
    receipt({ items: [{ type: "event", bytes: 20 }] }),
    receipt({ items: [...items, ...items] }),
    receipt({ at: 5_000 - 60_000 }),
  ];
  assert.equal(findReceipt(row, others), undefined);
});

Deno.test("same event id → its receipt, whatever the time", () => {
  const waited = receipt({ id: "e1", at: -1e9 });
  assert.equal(findReceipt({ ...row, event_id: "e1" }, [waited]), waited);
});
