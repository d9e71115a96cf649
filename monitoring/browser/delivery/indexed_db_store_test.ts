import assert from "node:assert/strict";
import { openEnvelopeStore } from "./indexed_db_store.ts";

const META = { id: "a", createdAt: 1, bytes: 0, items: [], attempts: 0 };

/** Opens a store where the browser has `indexedDB`. */
async function openIn(indexedDB: unknown) {
  Object.defineProperty(globalThis, "indexedDB", { value: indexedDB, configurable: true });
  try {
    return await openEnvelopeStore(1);
  } finally {
    Reflect.deleteProperty(globalThis, "indexedDB");
  }
}

Deno.test("a database that says neither yes nor no is done without", async () => {
  const store = await openIn({ open: () => ({}) });
  await assert.rejects(store.put(META, new Uint8Array()));
});

Deno.test("a database that is refused is done without", async () => {
  const refuse = () => {
    throw new DOMException("forbidden", "SecurityError");
  };
  for (const indexedDB of [{ open: refuse }, undefined]) {
    const store = await openIn(indexedDB);
    await assert.rejects(store.put(META, new Uint8Array()));
  }
});
