import assert from "node:assert/strict";
import { scrubRecordingEntry } from "./recording_entry.ts";

const ORIGIN = "https://page.example";
const isOwn = (address: string) => address.includes("/monitoring");
const entry = (tag: string, payload: Record<string, unknown>) =>
  scrubRecordingEntry({ type: 5, timestamp: 1, data: { tag, payload } }, isOwn, ORIGIN)?.data
    .payload;

Deno.test("the console's own requests and console output are not in the recording", () => {
  const own = { op: "resource.fetch", description: `${ORIGIN}/monitoring/inbox?since=1` };
  assert.equal(entry("performanceSpan", own), undefined);
  assert.equal(entry("breadcrumb", { category: "console", message: "x" }), undefined);
});

Deno.test("entry of a request or navigation → keeps a known path, a picture its kind", () => {
  const description = (op: string, address: string) =>
    entry("performanceSpan", { op, description: address })?.description;
  assert.equal(description("resource.fetch", `${ORIGIN}/reset/SECRET`), `${ORIGIN}/<unknown>`);
  assert.equal(description("resource.img", `${ORIGIN}/SECRET.png`), "/*.png");
  assert.equal(description("navigation.push", `${ORIGIN}/?SECRET`), `${ORIGIN}/`);
  assert.equal(description("web-vital", "largest-contentful-paint"), "largest-contentful-paint");
});

Deno.test("a click tells the element and not its texts, and the page without its query", () => {
  const payload = entry("breadcrumb", {
    category: "ui.slowClickDetected",
    message: 'button[aria-label="SECRET"]',
    data: { url: `${ORIGIN}/?SECRET`, nodeId: 4 },
  });
  assert.deepEqual(payload, {
    category: "ui.slowClickDetected",
    message: "button",
    data: { url: `${ORIGIN}/`, nodeId: 4 },
  });
});

Deno.test("the recorder's own options pass", () => {
  assert.deepEqual(entry("options", { maskAllText: true }), { maskAllText: true });
});
