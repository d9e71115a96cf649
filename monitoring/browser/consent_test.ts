import assert from "node:assert/strict";
import { type ConsentState, createConsent, SIGNAL_KINDS, type SignalKind } from "./consent.ts";

/** A test with a `localStorage` that pages share; null: the browser refuses it. */
function test(title: string, run: () => void, entries: Map<string, string> | null = new Map()) {
  Deno.test(title, () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage")!;
    Object.defineProperty(globalThis, "localStorage", {
      configurable: true,
      get() {
        if (!entries) throw new DOMException("refused", "SecurityError");
        return {
          getItem: (key: string) => entries.get(key) ?? null,
          setItem: (key: string, value: string) => void entries.set(key, value),
        };
      },
    });
    try {
      run();
    } finally {
      Object.defineProperty(globalThis, "localStorage", before);
    }
  });
}

function openPage(initial = 0) {
  const changes: (readonly SignalKind[])[] = [];
  const states: { state: ConsentState; isStored: boolean }[] = [];
  const consent = createConsent((state, isStored) => states.push({ state, isStored }));
  consent.start(initial);
  consent.follow((changed) => changes.push(changed));
  const allowed = () => SIGNAL_KINDS.filter((kind) => consent.allows(kind));
  return { ...consent, changes, states, allowed };
}

test("no choice → all granted, or none where consent is required", () => {
  assert.deepEqual(openPage().allowed(), SIGNAL_KINDS);
  assert.deepEqual(openPage(Infinity).allowed(), []);
});

test("withdrawn → for the next page and other tabs, other kinds unchanged", () => {
  const page = openPage();
  const tab = openPage();
  page.set("traces", false);
  assert.deepEqual(openPage().allowed(), ["errors", "recordings", "logs"]);
  dispatchEvent(new Event("storage"));
  assert.deepEqual(tab.changes, [["traces"]]);
  // Another tab's change of another kind is kept.
  tab.set("logs", false);
  dispatchEvent(new Event("storage"));
  assert.deepEqual(page.allowed(), ["errors", "recordings"]);
  assert.deepEqual(page.changes, [["traces"], ["logs"]]);
});

test("granted again → what was collected before is not allowed", () => {
  const page = openPage();
  const before = Date.now() - 1;
  assert.ok(page.allows("errors", before));
  page.set("errors", false);
  page.set("errors", true);
  assert.ok(page.allows("errors"));
  assert.ok(!page.allows("errors", before) && !openPage().allows("errors", before));
});

test("rejected where consent is required → remembered where it is not", () => {
  const page = openPage(Infinity);
  page.set("logs", false);
  page.set("traces", true);
  assert.deepEqual(openPage().allowed(), ["errors", "traces", "recordings"]);
});

const DAMAGED = { "consent:errors": "yes", "consent:logs": "", "consent:traces": "9e15" };
test("damaged choice → withdrawn; grant in the future → granted", () => {
  assert.deepEqual(openPage().allowed(), ["traces", "recordings"]);
}, new Map(Object.entries(DAMAGED)));

test("storage refused → holds for this page, and is reported as not stored", () => {
  const page = openPage();
  page.set("errors", false);
  dispatchEvent(new Event("storage"));
  assert.ok(!page.allows("errors"));
  assert.equal(page.states.at(-1)!.isStored, false);
}, null);
