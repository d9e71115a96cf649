/**
 * A small application with OpenTelemetry's SDK, which `OTEL_EXPORTER_OTLP_ENDPOINT` configures. Arguments: the folders of
 * an exporter of traces and of one of logs, each beside the SDK of its version.
 */
const { createRequire } = require("node:module");

const [traces, logs] = process.argv.slice(2);
const tracesSdk = createRequire(`${traces}/`);
const { context, trace, SpanKind, SpanStatusCode } = tracesSdk("@opentelemetry/api");
const { SimpleSpanProcessor, TracerProvider } = tracesSdk("@opentelemetry/sdk-trace");
const logsSdk = createRequire(`${logs}/`)("@opentelemetry/sdk-logs");
const { resourceFromAttributes } = createRequire(
  tracesSdk.resolve("@opentelemetry/sdk-trace"),
)("@opentelemetry/resources");

const resource = resourceFromAttributes({ "service.name": process.env.OTEL_SERVICE_NAME });
const spanProcessors = [
  new SimpleSpanProcessor({ exporter: new (require(traces).OTLPTraceExporter)() }),
];
const tracers = new TracerProvider({ resource, spanProcessors });
const processors = [
  new logsSdk.SimpleLogRecordProcessor({ exporter: new (require(logs).OTLPLogExporter)() }),
];
const loggers = new logsSdk.LoggerProvider({ resource, processors });

const tracer = tracers.getTracer("shop", "1.0.0");
const attributes = {
  "http.request.method": "GET",
  "http.route": "/orders/:id",
  "order.id": "A-1234",
};
const request = tracer.startSpan("GET /orders/:id", { kind: SpanKind.SERVER, attributes });
const inRequest = trace.setSpan(context.active(), request);
tracer.startSpan("SELECT orders", {
  kind: SpanKind.CLIENT,
  attributes: { "db.system.name": "postgresql", "shop.items": ["tea", "cup"] },
}, inRequest).end();
request.recordException(new RangeError("out of stock"));
request.setStatus({ code: SpanStatusCode.ERROR, message: "no tea" });
request.end();
loggers.getLogger("shop").emit({
  context: inRequest,
  severityNumber: 13,
  severityText: "WARN",
  body: "stock is low",
  attributes: { "stock.left": 0 },
});
Promise.all([tracers.shutdown(), loggers.shutdown()]);
