import assert from "node:assert/strict";
import { openEnvelopeStore } from "./envelope_store.ts";

const META = { id: "a", createdAt: 1, bytes: 0, items: [], attempts: 0 };

Deno.test("IndexedDB does not respond → the store's methods reject", async () => {
  const value = { open: () => ({}) };
  Object.defineProperty(globalThis, "indexedDB", { value, configurable: true });
  const store = await openEnvelopeStore(1);
  Reflect.deleteProperty(globalThis, "indexedDB");
  await assert.rejects(store.put({ meta: META, bytes: new Uint8Array() }));
});
