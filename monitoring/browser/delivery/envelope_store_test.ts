import assert from "node:assert/strict";
import { openEnvelopeStore } from "./envelope_store.ts";

const META = { id: "a", createdAt: 1, bytes: 0, items: [], attempts: 0 };

/** Opens a store with this `indexedDB`. */
async function openIn(indexedDB: unknown) {
  Object.defineProperty(globalThis, "indexedDB", { value: indexedDB, configurable: true });
  try {
    return await openEnvelopeStore(1);
  } finally {
    Reflect.deleteProperty(globalThis, "indexedDB");
  }
}

Deno.test("IndexedDB does not respond → the store's methods reject", async () => {
  const store = await openIn({ open: () => ({}) });
  await assert.rejects(store.put({ meta: META, bytes: new Uint8Array() }));
});

Deno.test("IndexedDB refused or missing → the store's methods reject", async () => {
  const refuse = () => {
    throw new DOMException("forbidden", "SecurityError");
  };
  for (const indexedDB of [{ open: refuse }, undefined]) {
    const store = await openIn(indexedDB);
    await assert.rejects(store.put({ meta: META, bytes: new Uint8Array() }));
  }
});
