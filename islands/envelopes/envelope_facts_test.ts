import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { describeOmitted, findReceipt } from "./envelope_facts.ts";

const items = [{ type: "log", bytes: 20 }];
const row = { id: 1, received_at: 5_000, event_id: null, bytes: 50, items } as unknown as InboxRow;
const receipt = (change: Partial<Receipt>): Receipt => ({
  id: "local",
  at: 4_990,
  items,
  bytes: 50,
  attempts: 1,
  tookMs: 1,
  ...change,
});

Deno.test("same size and items → the receipt closest in time", () => {
  const [near, far] = [receipt({}), receipt({ at: 1_000 })];
  assert.equal(findReceipt(row, [far, near]), near);
});

Deno.test("another size, other items or another minute → no receipt", () => {
  const others = [
    receipt({ bytes: 51 }),
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

const end = ": over the limit for one envelope. The envelope itself is complete.";

Deno.test("items, entries and logs over the limit → counted", () => {
  assert.equal(describeOmitted({ items: 1, entries: 0 }, 0), `1\u00a0item${end}`);
  assert.equal(
    describeOmitted({ items: 2, entries: 19_000 }, 1),
    `2\u00a0items, 19,000\u00a0entries of items, 1\u00a0log${end}`,
  );
});

Deno.test("everything listed → undefined", () => {
  assert.equal(describeOmitted({ items: 0, entries: 0 }, 0), undefined);
});
