import { plain, startOtlpReceiver } from "../otlp/receiver.ts";
import { expect, opOf, spansOf, test as withServer } from "../harness/browser/fixtures.ts";
import { make, openPage } from "../harness/browser/signals.ts";

type Collector = ReturnType<typeof startOtlpReceiver>;

const test = withServer.extend<{ collector: Collector }>({
  collector: async ({ browserName: _browserName }, provide) => {
    await using collector = startOtlpReceiver();
    await provide(collector);
  },
  serverEnv: ({ collector }, provide) => provide({ OTLP_URL: collector.origin }),
});

test("page with OTLP_URL → the collector gets every span and log once, as the page made them", async ({ page, arrivals, collector }) => {
  await openPage(page);
  await make(page, "Span with a fetch");
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  const sent = await arrivals.waitFor("page load and custom span", (items) => {
    const spans = spansOf(items);
    return ["pageload", "http.client"].every((op) => spans.some((span) => opOf(span) === op)) &&
      spans;
  });
  /** Times are microseconds. */
  const received = () =>
    collector.spans.filter(({ resource }) =>
      resource["telemetry.sdk.name"] === "sentry.javascript.react"
    ).map((span) => ({
      trace: span.traceId,
      id: span.spanId,
      parent: span.parentSpanId,
      name: span.name,
      start: Number(BigInt(span.startTimeUnixNano) / 1000n),
      end: Number(BigInt(span.endTimeUnixNano) / 1000n),
      attributes: plain(span.attributes),
    }));
  await expect.poll(received).toEqual(expect.arrayContaining(sent.map((span) => ({
    trace: span.trace_id,
    id: span.span_id,
    parent: span.parent_span_id,
    name: span.name,
    start: Math.round(span.start_timestamp * 1e6),
    end: Math.round(span.end_timestamp * 1e6),
    attributes: Object.fromEntries(
      Object.entries(span.attributes).map(([name, attribute]) => [name, attribute?.value]),
    ),
  }))));
  const infoLogs = () =>
    collector.logs.filter(({ body }) => String(Object.values(body)[0]).includes("info"));
  await expect.poll(infoLogs).toHaveLength(1);
  expect(collector.invalid).toEqual([]);
  const ids = received().map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});
