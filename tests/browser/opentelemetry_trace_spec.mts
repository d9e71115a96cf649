/** Spans that OpenTelemetry's SDKs sent, in a trace. */
import { expect, test } from "../harness/browser/fixtures.ts";
import { spanDetail, spanRow } from "../harness/browser/views.ts";
import { exceptionEvent, nanoseconds, span, text, tracesJson } from "../harness/otlp_bodies.ts";

test("span with events, a link and lists → shown as they are; the link opens the other trace", async ({ page, server }) => {
  const cause = span({ name: "enqueue" });
  const now = Date.now();
  const list = { arrayValue: { values: [{ stringValue: "stop" }, { intValue: "2" }] } };
  const work = span({
    name: "process order",
    kind: 5,
    startTimeUnixNano: nanoseconds(now - 1_000),
    endTimeUnixNano: nanoseconds(now),
    parentSpanId: "a".repeat(16),
    attributes: [
      { key: "finish_reasons", value: list },
      { key: "deep", value: { kvlistValue: { values: [{ key: "a", value: list }] } } },
    ],
    status: { code: 2, message: "no stock" },
    events: [
      {
        name: "cache miss",
        timeUnixNano: nanoseconds(now - 750),
        attributes: [text("cache.key", "A-1")],
      },
      exceptionEvent("boom"),
    ],
    links: [{
      traceId: cause.traceId,
      spanId: cause.spanId,
      attributes: [text("reason", "batch")],
    }],
  });
  const headers = { "Content-Type": "application/json" };
  const body = tracesJson([cause, work], [
    text("service.name", "shop"),
    text("host.name", "web-1"),
  ]);
  const { ok } = await fetch(`${server.origin}/v1/traces`, { method: "POST", headers, body });
  expect(ok).toBe(true);

  await page.goto(`/#/traces/${work.traceId}?span=${work.spanId}`);
  const detail = spanDetail(page, "process order");
  for (
    const shown of [
      "queue.process",
      "error: no stock",
      "consumer",
      "cache miss at 250 mscache.keyA-1",
      'finish_reasons["stop",2]',
      'deep{"a":["stop",2]}',
      "Its parent is missing.",
      "Resourcehost.nameweb-1",
    ]
  ) await expect(detail).toContainText(shown);
  await expect(detail.getByRole("link", { name: "Error: boom" })).toBeVisible();
  await expect(spanRow(page, "Missing parent")).toBeVisible();
  await expect(page.getByText("1 failed span")).toBeVisible();

  await detail.getByRole("link", { name: /^Span .* of trace/ }).click();
  await expect(spanDetail(page, "enqueue")).toBeVisible();
});
