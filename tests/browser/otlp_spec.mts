import { plain, startOtlpReceiver } from "../otlp/receiver.ts";
import { expect, type Span, spansOf, test as withServer } from "../harness/browser/fixtures.ts";
import { make, openPage } from "../harness/browser/signals.ts";

type Collector = ReturnType<typeof startOtlpReceiver>;

const test = withServer.extend<{ collector: Collector }>({
  collector: async ({ browserName: _browserName }, provide) => {
    await using collector = startOtlpReceiver();
    await provide(collector);
  },
  serverEnv: ({ collector }, provide) => provide({ OTLP_URL: collector.origin }),
});

/** A span of an envelope as the collector must have got it. Times are microseconds. */
const asSent = (span: Span) => ({
  trace: span.trace_id,
  id: span.span_id,
  parent: span.parent_span_id,
  name: span.name,
  start: Math.round(span.start_timestamp * 1e6),
  end: Math.round(span.end_timestamp * 1e6),
  attributes: Object.fromEntries(
    Object.entries(span.attributes).map(([name, attribute]) => [name, attribute?.value]),
  ),
});

test("page with OTLP_URL → the collector gets every span and log once, as the page made them", async ({ page, arrivals, collector }) => {
  await openPage(page);
  await make(page, "Span with a fetch");
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  const sent = await arrivals.waitFor("the custom span", (items) => {
    const spans = spansOf(items);
    return spans.some(({ attributes }) => attributes["sentry.op"]?.value === "pageload") &&
      spans.some(({ attributes }) => attributes["sentry.op"]?.value === "http.client") && spans;
  });
  const received = () =>
    collector.spans.filter(({ resource }) =>
      resource["telemetry.sdk.name"] === "sentry.javascript.react"
    );
  const missing = () => {
    const ids = new Set(received().map(({ spanId }) => spanId));
    return sent.filter(({ span_id }) => !ids.has(span_id));
  };
  await expect.poll(missing).toEqual([]);
  const infoLogs = () =>
    collector.logs.filter(({ body }) => String(Object.values(body)[0]).includes("info"));
  await expect.poll(infoLogs).toHaveLength(1);
  expect(collector.invalid).toEqual([]);
  const ids = received().map(({ spanId }) => spanId);
  expect(new Set(ids).size).toBe(ids.length);
  const byId = new Map(received().map((span) => [span.spanId, span]));
  for (const span of sent) {
    const { traceId, spanId, parentSpanId, name, startTimeUnixNano, endTimeUnixNano, attributes } =
      byId.get(span.span_id)!;
    expect({
      trace: traceId,
      id: spanId,
      parent: parentSpanId,
      name,
      start: Number(BigInt(startTimeUnixNano) / 1000n),
      end: Number(BigInt(endTimeUnixNano) / 1000n),
      attributes: plain(attributes),
    }).toEqual(asSent(span));
  }
});
