import assert from "node:assert/strict";
import type { Event } from "@sentry/core";
import { Scrubber } from "./scrubber.ts";

const scrubber = new Scrubber("file:///srv/the%20app/");

Deno.test("file name → project's path, bare name, or that of a runtime module", () => {
  const names = {
    "file:///srv/the%20app/routes/signal.ts": "app:///routes/signal.ts",
    "/srv/the app/routes/signal.ts": "app:///routes/signal.ts",
    "/home/someone/.cache/deno/npm/x/index.js": "index.js",
    "ext:deno_http/00_serve.ts": "ext:deno_http/00_serve.ts",
    "node:internal/timers": "node:internal/timers",
  };
  for (const [name, expected] of Object.entries(names)) assert.equal(scrubber.file(name), expected);
});

Deno.test("URL in a text → user, query and fragment removed, also after an invalid scheme", () => {
  const texts = {
    "GET https://key@o1.example/api/1/?sentry_key=k#x failed, why? /a/b?c=d":
      "GET https://o1.example/api/1/ failed, why? /a/b",
    "1-http://h/?a=b _x://h/#c (/d?e) 7://h?f": "1-http://h/ _x://h/ (/d 7://h",
  };
  for (const [text, expected] of Object.entries(texts)) assert.equal(scrubber.text(text), expected);
});

Deno.test("two million characters of URL starts → linear time", () => {
  // A quadratic expression would take minutes.
  for (const chunk of ["a.", "-/", "a://", "@:/"]) {
    const long = chunk.repeat(1_000_000);
    assert.equal(scrubber.text(long), long);
  }
});

Deno.test("plain object thrown → its keys are reported, not its values", () => {
  const event: Event = {
    extra: { __serialized__: { name: "SECRET", message: "SECRET", card: { number: "SECRET" } } },
    exception: {
      values: [{
        type: "Error",
        value: "'SECRET' captured as exception with message 'SECRET'",
        mechanism: { type: "generic", synthetic: true },
      }],
    },
  };
  scrubber.event(event);
  assert.equal(
    event.exception?.values?.[0]?.value,
    "Object captured as exception with keys: name, message, card",
  );
  assert.ok(!JSON.stringify(event).includes("SECRET"));
});
