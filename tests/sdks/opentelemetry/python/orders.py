"""
Made the recordings beside it, with Python 3.11 and version 1.45 of OpenTelemetry's SDK and encoder. Only the package of
the attributes' names could not be installed: it was replaced by the same names.
"""
import logging
import time

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.common._log_encoder import encode_logs
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk import _logs
from opentelemetry.sdk._logs import export
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

resource = Resource.create({
    "service.name": "orders-py",
    "service.version": "4.1",
    "deployment.environment.name": "staging",
})
spans = InMemorySpanExporter()
tracers = TracerProvider(resource=resource)
tracers.add_span_processor(SimpleSpanProcessor(spans))
tracer = tracers.get_tracer("shop", "1.0")
records = export.InMemoryLogRecordExporter()
loggers = _logs.LoggerProvider(resource=resource)
loggers.add_log_record_processor(export.SimpleLogRecordProcessor(records))
logging.getLogger().addHandler(_logs.LoggingHandler(logger_provider=loggers))
reader = InMemoryMetricReader()
meter = MeterProvider(resource=resource, metric_readers=[reader]).get_meter("shop")


def charge(order):
    raise ValueError(f"card of order {order} expired")


REQUEST = {
    "http.method": "GET",
    "http.target": "/orders/4719-0815",
    "http.route": "/orders/{id}",
    "http.status_code": 500,
}
QUERY = {"db.system": "mysql", "db.statement": "SELECT 1 FROM orders", "net.peer.name": "db"}
ORDER = {"order_id": "4719-0815", "items": [1, 2], "total": 12.5, "gift": False}
with tracer.start_as_current_span("GET /orders/{id}", kind=trace.SpanKind.SERVER, attributes=REQUEST) as request:
    logging.warning("order %s loaded", "4719-0815", extra=ORDER)
    with tracer.start_as_current_span("SELECT shop", kind=trace.SpanKind.CLIENT, attributes=QUERY):
        time.sleep(0.02)
    try:
        with tracer.start_as_current_span("charge"):
            charge("4719-0815")
    except ValueError:
        logging.exception("order %s not charged", "4719-0815")
        request.set_status(trace.StatusCode.ERROR)

duration = meter.create_histogram("checkout.duration", unit="ms")
for value in (3, 9, 9, 700):
    duration.record(value, {"route": "/orders"})
created = meter.create_counter("orders.created", unit="{order}")
created.add(1, {"kind": "order"})
created.add(2, {"kind": "order"})
waiting = meter.create_up_down_counter("queue.size")
waiting.add(5)
waiting.add(-2)

for name, request in {
    "traces": encode_spans(spans.get_finished_spans()),
    "logs": encode_logs(records.get_finished_logs()),
    "metrics": encode_metrics(reader.get_metrics_data()),
}.items():
    with open(f"{name}.bin", "wb") as file:
        file.write(request.SerializeToString())
