import assert from "node:assert/strict";
import type { Event } from "@sentry/core";
import { Scrubber } from "./scrub.ts";

const scrubber = new Scrubber({ root: "file:///srv/the%20app/" });

Deno.test("the project's files are named from the project on, with or without a scheme", () => {
  assert.equal(scrubber.file("file:///srv/the%20app/routes/signal.ts"), "app:///routes/signal.ts");
  assert.equal(scrubber.file("/srv/the app/routes/signal.ts"), "app:///routes/signal.ts");
});

Deno.test("other files lose their folders, the runtime's modules keep their names", () => {
  assert.equal(scrubber.file("/home/someone/.cache/deno/npm/x/index.js"), "index.js");
  assert.equal(scrubber.file("ext:deno_http/00_serve.ts"), "ext:deno_http/00_serve.ts");
  assert.equal(scrubber.file("node:internal/timers"), "node:internal/timers");
});

Deno.test("addresses in a text lose user, query and fragment; other question marks stay", () => {
  assert.equal(
    scrubber.text("GET https://key@o1.example/api/1/?sentry_key=k#x failed, why? /a/b?c=d"),
    "GET https://o1.example/api/1/ failed, why? /a/b",
  );
});

Deno.test("schemes that are none, and marks before them, hide no query", () => {
  assert.equal(
    scrubber.text("1-http://h/?a=b _x://h/#c (/d?e) 7://h?f"),
    "1-http://h/ _x://h/ (/d 7://h",
  );
});

Deno.test("a long text that begins an address at every other character is looked through once", () => {
  // Two million: looked through from each beginning on, it would take minutes.
  for (const piece of ["a.", "-/", "a://", "@:/"]) {
    const long = piece.repeat(1_000_000);
    assert.equal(scrubber.text(long), long);
  }
});

Deno.test("an event loses what it says of the machine, its user and the request", () => {
  const event = {
    server_name: "host-7",
    user: { ip_address: "203.0.113.7" },
    request: { url: "http://h/?q=1" },
    breadcrumbs: [{ message: "x" }],
    message: "see /srv/the app/main.ts",
    exception: {
      values: [{
        value: "at http://h/?q=1",
        stacktrace: { frames: [{ filename: "/srv/the app/main.ts", abs_path: "/etc/passwd" }] },
      }],
    },
  };
  scrubber.event(event);
  assert.deepEqual(
    event,
    {
      message: "see app:///main.ts",
      exception: {
        values: [{
          value: "at http://h/",
          stacktrace: { frames: [{ filename: "app:///main.ts", abs_path: "passwd" }] },
        }],
      },
    } as unknown as typeof event,
  );
});

Deno.test("plain object thrown in a handler → its keys are reported, its values are not", () => {
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
