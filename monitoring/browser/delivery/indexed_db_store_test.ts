import assert from "node:assert/strict";
import { openEnvelopeStore } from "./indexed_db_store.ts";

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
  assert.equal(store.lasts, false);
});

Deno.test("a database that is refused is done without", async () => {
  const refuse = () => {
    throw new DOMException("forbidden", "SecurityError");
  };
  assert.equal((await openIn({ open: refuse })).lasts, false);
  assert.equal((await openIn(undefined)).lasts, false);
});
