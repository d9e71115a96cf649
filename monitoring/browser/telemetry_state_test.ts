import assert from "node:assert/strict";
import { createTelemetryStore, type Receipt } from "./telemetry_state.ts";

const receipt = (id: string, at: number, more: Partial<Receipt> = {}): Receipt => ({
  id,
  at,
  items: [],
  bytes: 1,
  sentBytes: 1,
  attempts: 0,
  tookMs: 0,
  ...more,
});

Deno.test("receipts → newest first, one for each envelope, at most 200", () => {
  const store = createTelemetryStore();
  store.receive(receipt("a", 1));
  store.receive(receipt("a", 3));
  store.receive(receipt("b", 2));
  store.receive(receipt("a", 1, { status: 200 }));
  assert.deepEqual(
    store.snapshot().receipts.map(({ id, at, status }) => [id, at, status]),
    [["a", 3, undefined], ["b", 2, undefined], ["a", 1, 200]],
  );
  for (let i = 0; i < 300; i++) store.receive(receipt("c", i));
  assert.equal(store.snapshot().receipts.length, 200);
});

Deno.test("burst of changes → one notification; unsubscribed → none", async () => {
  const store = createTelemetryStore();
  let notified = 0;
  const stop = store.subscribe(() => notified++);
  await new Promise<void>((resolve) => {
    store.subscribe(resolve);
    for (let i = 0; i < 100; i++) store.update({ waiting: i });
    store.update({ waiting: 1 });
  });
  assert.equal(notified, 1);
  stop();
  await new Promise<void>((resolve) => {
    store.subscribe(resolve);
    store.update({ waiting: 2 });
  });
  assert.equal(notified, 1);
});
