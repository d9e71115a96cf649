import assert from "node:assert/strict";
import type { Event } from "@sentry/core";
import { scrubEvent } from "./event.ts";

Deno.test("nothing of an event's addresses but origin and path leaves", () => {
  const event = {
    message: "no answer from https://a.example/x?SECRET",
    transaction: "/?SECRET",
    request: {
      url: "https://page.example/?SECRET#SECRET",
      query_string: "SECRET",
      cookies: { id: "SECRET" },
      headers: { Referer: "https://b.example/?SECRET", "User-Agent": "UA" },
    },
    exception: {
      values: [{
        value: "Failed to fetch /x?SECRET",
        stacktrace: {
          frames: [{ filename: "https://page.example/?SECRET", abs_path: "/?SECRET" }],
        },
      }],
    },
    extra: {
      arguments: ["SECRET"],
      __serialized__: {
        type: "error",
        target: 'img[alt="SECRET"]',
        currentTarget: "[object Null]",
        config: { url: "/x?SECRET", tried: ["/y?SECRET"] },
      },
      kept: "on purpose",
    },
    debug_meta: { images: [{ type: "sourcemap", code_file: "/a.js?SECRET", debug_id: "d" }] },
    urls: ["https://page.example/?SECRET"],
  } as Event & { urls: string[] };
  scrubEvent(event);
  assert.ok(!JSON.stringify(event).includes("SECRET"), JSON.stringify(event));
  assert.equal(event.request?.url, "https://page.example/");
  assert.equal(event.request?.headers?.["User-Agent"], "UA");
  assert.equal(event.exception?.values?.[0]?.value, "Failed to fetch /x");
  assert.equal(event.extra?.kept, "on purpose");
  assert.deepEqual(event.urls, ["https://page.example/"]);
});

Deno.test("a bare event stays as it is", () => {
  const event = { message: "x" };
  scrubEvent(event);
  assert.deepEqual(event, { message: "x" });
});
