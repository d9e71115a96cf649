import assert from "node:assert/strict";
import { InboxStateStore } from "./inbox_state.ts";

Deno.test("first change → notified at once; 99 more → one notification with the last state", async () => {
  const store = new InboxStateStore();
  const totals: number[] = [];
  const last = new Promise<void>((resolve) =>
    store.subscribe(() => {
      totals.push(store.snapshot().total);
      if (totals.at(-1) === 100) resolve();
    })
  );
  for (let total = 1; total <= 100; total++) store.changed({ total });
  assert.deepEqual(totals, [1]);
  await last;
  assert.deepEqual(totals, [1, 100]);
  assert.ok(store.snapshot().version >= 100);
});

Deno.test("change of state or canStore → notified at once, after any number of changes", () => {
  const store = new InboxStateStore();
  const states: string[] = [];
  store.subscribe(() => states.push(`${store.snapshot().state} ${store.snapshot().canStore}`));
  store.changed({ state: "live" });
  store.changed({ total: 2 });
  store.update({ canStore: false });
  store.update({ state: "offline" });
  assert.deepEqual(states, ["live true", "live false", "offline false"]);
});
