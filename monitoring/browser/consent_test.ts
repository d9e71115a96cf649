import assert from "node:assert/strict";
import { createConsent, SIGNAL_KINDS } from "./consent.ts";

/** A test with a `localStorage` that pages share. */
function test(title: string, run: () => void, entries = new Map<string, string>()) {
  Deno.test(title, () => {
    const before = Object.getOwnPropertyDescriptor(globalThis, "localStorage")!;
    Object.defineProperty(globalThis, "localStorage", {
      configurable: true,
      value: {
        getItem: (key: string) => entries.get(key) ?? null,
        setItem: (key: string, value: string) => void entries.set(key, value),
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
  const consent = createConsent(() => {});
  consent.start(initial);
  const allowed = () => SIGNAL_KINDS.filter((kind) => consent.allows(kind));
  return { ...consent, allowed };
}

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
