import assert from "node:assert/strict";
import type { Event } from "@sentry/core";
import { scrubBreadcrumb, scrubEvent as scrub } from "./event.ts";

const ORIGIN = "https://page.example";
const scrubEvent = (event: Event) => scrub(event, ORIGIN);

Deno.test("addresses in an event → only origin and known path", () => {
  const event = {
    message: "no answer from https://a.example/x?SECRET",
    logentry: { message: "GET %s", params: ["/reset/SECRET"] },
    transaction: "/reset/SECRET",
    request: {
      url: "https://page.example/?SECRET#SECRET",
      query_string: "SECRET",
      cookies: { id: "SECRET" },
      headers: { Referer: "https://page.example/SECRET", "User-Agent": "UA" },
    },
    exception: {
      values: [{
        value: "Failed to fetch /SECRET?SECRET",
        stacktrace: {
          frames: [{ filename: "https://page.example/reset/SECRET", abs_path: "/?SECRET" }],
        },
      }],
    },
    extra: {
      arguments: ["SECRET"],
      __serialized__: { type: "SECRET", config: { url: "SECRET", tried: ["SECRET"], n: 4111 } },
      kept: "on purpose",
    },
    debug_meta: {
      images: [{ type: "sourcemap", code_file: "/assets/a.js?SECRET", debug_id: "d" }],
    },
    contexts: { react: { componentStack: "at App (https://page.example/SECRET:1:2)" } },
    urls: ["https://page.example/?SECRET"],
  } as Event & { urls: string[] };
  scrubEvent(event);
  assert.ok(!JSON.stringify(event).includes("SECRET"), JSON.stringify(event));
  assert.equal(event.request?.url, "https://page.example/");
  assert.equal(event.request?.headers?.["User-Agent"], "UA");
  assert.equal(event.exception?.values?.[0]?.value, "Failed to fetch <unknown>");
  assert.deepEqual(event.extra?.__serialized__, {
    type: "<string>",
    config: { url: "<string>", tried: ["<string>"], n: "<number>" },
  });
  assert.equal(event.extra?.kept, "on purpose");
  assert.deepEqual(event.urls, ["https://page.example/"]);
});

const isMonitoringRequest = (address: string) => address.startsWith("/monitoring");

Deno.test("breadcrumb of console output, or of monitoring's own request → none", () => {
  const scrub = (crumb: object) => scrubBreadcrumb(crumb, isMonitoringRequest, ORIGIN);
  assert.equal(scrub({ category: "console", message: "for me" }), null);
  assert.equal(scrub({ category: "fetch", data: { url: "/monitoring/inbox" } }), null);
});

Deno.test("addresses in data → without queries and unknown paths, the original is unchanged", () => {
  const crumb = {
    category: "navigation",
    data: { from: "/reset/TOKEN?x=1", to: "/#y", status_code: 200 },
  };
  assert.deepEqual(scrubBreadcrumb(crumb, isMonitoringRequest, ORIGIN)?.data, {
    from: "<unknown>",
    to: "/",
    status_code: 200,
  });
  assert.equal(crumb.data.from, "/reset/TOKEN?x=1");
});
