import assert from "node:assert/strict";
import { diag, DiagLogLevel, SpanStatusCode } from "@opentelemetry/api";
import { BasicTracerProvider, type Span } from "@opentelemetry/sdk-trace-web";
import type { Client } from "@sentry/core";
import { StreamedSpanProcessor } from "./streamed_span_processor.ts";

const ignore = () => {};

Deno.test("spanEnd → attributes can be set; error after the end → no warning, status unchanged", () => {
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  diag.setLogger(
    { error: ignore, warn, info: ignore, debug: ignore, verbose: ignore },
    DiagLogLevel.WARN,
  );
  const emitted: string[] = [];
  const client = {
    on: ignore,
    emit(name: string, span: Span) {
      emitted.push(name);
      if (name === "spanEnd") span.setAttribute("paint", 5);
    },
  } as unknown as Client;
  const processor = new StreamedSpanProcessor(client, () => true, ignore);
  try {
    const provider = new BasicTracerProvider({ spanProcessors: [processor] });
    const span = provider.getTracer("test").startSpan("pageload") as Span;
    span.end();
    void processor.forceFlush();
    assert.deepEqual(emitted, ["spanStart", "spanEnd", "afterSpanEnd"]);
    assert.equal(span.attributes.paint, 5);
    assert.equal(span.setStatus({ code: SpanStatusCode.ERROR }), span);
    assert.equal(span.status.code, SpanStatusCode.UNSET);
    assert.deepEqual(warnings, []);
  } finally {
    diag.disable();
  }
});

Deno.test("a span from before the grant → neither sent nor counted; one of the same millisecond → both", () => {
  const grantedAt = 1_795_396_467_844;
  const sent: string[] = [];
  const client = {
    on() {},
    emit: (name: string, span: Span) => name === "afterSpanEnd" && sent.push(span.name),
  } as unknown as Client;
  const buffered: number[] = [];
  const allows = (_kind: string, at = Infinity) => at >= grantedAt;
  const processor = new StreamedSpanProcessor(
    client,
    allows,
    (count) => buffered.push(count),
  );
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
  tracer.startSpan("before", { startTime: grantedAt - 1 }).end();
  tracer.startSpan("with it", { startTime: grantedAt }).end();
  const load = tracer.startSpan("load", { attributes: { "sentry.op": "pageload" } });
  assert.deepEqual(buffered, [1, 1, 1]);
  load.end();
  void processor.forceFlush();
  assert.deepEqual(sent, ["with it", "load"]);
  assert.deepEqual(buffered, [1, 1, 1, -1]);
});

Deno.test("30 spans of measurements → captured in several tasks, all at a flush; no idle timer restarts", async () => {
  const emitted: string[] = [];
  const client = {
    on() {},
    emit: (name: string) => emitted.push(name),
  } as unknown as Client;
  const processor = new StreamedSpanProcessor(client, () => true, ignore);
  const tracer = new BasicTracerProvider({ spanProcessors: [processor] }).getTracer("test");
  const attributes = { "sentry.op": "resource.css" };
  for (let i = 0; i < 30; i++) tracer.startSpan("style", { attributes }).end();
  assert.deepEqual(emitted, []);
  await new Promise((resolve) => setTimeout(resolve));
  assert.ok(emitted.length > 0 && emitted.length < 30);
  void processor.forceFlush();
  assert.deepEqual(emitted, Array(30).fill("afterSpanEnd"));
});
