import assert from "node:assert/strict";
import { OtlpExporter } from "./otlp_exporter.ts";

const bytes = new TextEncoder().encode(
  '{}\n{"type":"transaction"}\n{"type":"transaction","transaction":"GET /","start_timestamp":1,' +
    `"timestamp":2,"contexts":{"trace":{"trace_id":"${"a".repeat(32)}","span_id":"${
      "b".repeat(16)
    }"}}}\n`,
);

/** Exports one span to a collector that answers so. */
async function exportOne(respond: () => Response) {
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, respond);
  const failures: string[] = [];
  const exporter = new OtlpExporter({
    url: `http://127.0.0.1:${server.addr.port}`,
    headers: {},
    onFailure: (reason) => failures.push(reason),
  });
  const items = [{ type: "transaction", bytes: 2, count: 1 }];
  exporter.add({ items, bytes, contentEncoding: null, receivedAt: 0 });
  await exporter.close(5_000);
  const { exported, dropped } = exporter;
  return { exported, dropped, failures };
}

Deno.test("collector's answer has no end → not read to its end, the span counts as exported", async () => {
  const endless = () =>
    new Response(
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) }),
    );
  assert.deepEqual(await exportOne(endless), { exported: 1, dropped: 0, failures: [] });
});

Deno.test("collector rejects a span of a request that it takes → dropped, and reported", async () => {
  const partial = () => Response.json({ partialSuccess: { rejectedSpans: "1" } });
  const failures = ["it rejected 1 of 1"];
  assert.deepEqual(await exportOne(partial), { exported: 0, dropped: 1, failures });
});

Deno.test("collector answers 200 with an empty body or text → exported", async () => {
  for (const body of [null, "", "OK", "null"]) {
    const counts = await exportOne(() => new Response(body));
    assert.deepEqual(counts, { exported: 1, dropped: 0, failures: [] }, String(body));
  }
});

Deno.test("OTLP request came in → the collector gets its bytes, encoding and media type", async () => {
  const requests: [string, string | null, string | null, Uint8Array][] = [];
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      const { headers, url } = request;
      const names = [headers.get("content-type"), headers.get("content-encoding")] as const;
      requests.push([new URL(url).pathname, ...names, await request.bytes()]);
      return new Response();
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const exporter = new OtlpExporter({ url, headers: {}, onFailure: assert.fail });
  const common = { bytes, receivedAt: 0 };
  const items = (type: string, count: number) => [{ type, bytes: 2, count }];
  exporter.add({
    ...common,
    items: items("span", 3),
    format: "otlp-traces-protobuf",
    contentEncoding: "gzip",
  });
  exporter.add({
    ...common,
    items: items("log", 2),
    format: "otlp-logs-json",
    contentEncoding: null,
  });
  await exporter.close(5_000);
  assert.deepEqual(requests, [
    ["/v1/traces", "application/x-protobuf", "gzip", bytes],
    ["/v1/logs", "application/json", null, bytes],
  ]);
  assert.deepEqual([exporter.exported, exporter.dropped], [5, 0]);
});
