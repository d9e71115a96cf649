/** Requests of OTLP/HTTP, as exporters of OpenTelemetry's SDKs send them. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

const hex = (digits: number) =>
  Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join("");
const encode = (json: unknown) => new TextEncoder().encode(JSON.stringify(json));

/** An attribute whose value is a text. */
export const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
export const nanoseconds = (ms: number) => `${BigInt(Math.round(ms)) * 1_000_000n}`;

/** A span of now, with new ids. */
export const span = (fields: object = {}) => ({
  traceId: hex(32),
  spanId: hex(16),
  name: "GET /orders",
  kind: 2,
  startTimeUnixNano: nanoseconds(Date.now() - 20),
  endTimeUnixNano: nanoseconds(Date.now()),
  ...fields,
});

/** The event of a span that has recorded an exception. */
export const exceptionEvent = (message: string) => ({
  name: "exception",
  timeUnixNano: nanoseconds(Date.now()),
  attributes: [text("exception.type", "Error"), text("exception.message", message)],
});

/** @param service its name, or the attributes of the resource */
const resourceOf = (service: Service) => ({
  attributes: typeof service === "string" ? [text("service.name", service)] : service,
});
type Service = string | readonly object[];

export const tracesJson = (spans: readonly object[] = [span()], service: Service = "shop") =>
  encode({ resourceSpans: [{ resource: resourceOf(service), scopeSpans: [{ spans }] }] });

export const logsJson = (records: readonly object[] = [{}], service: Service = "shop") =>
  encode({
    resourceLogs: [{
      resource: resourceOf(service),
      scopeLogs: [{
        logRecords: records.map((record) => ({
          timeUnixNano: nanoseconds(Date.now()),
          severityNumber: 9,
          body: { stringValue: `log ${hex(8)}` },
          ...record,
        })),
      }],
    }],
  });

export const metricsJson = (metrics: readonly object[], service: Service = "shop") =>
  encode({ resourceMetrics: [{ resource: resourceOf(service), scopeMetrics: [{ metrics }] }] });

/** One span in protobuf, without a resource. */
export function tracesProtobuf(): Uint8Array<ArrayBuffer> {
  const { traceId, spanId, name, startTimeUnixNano, endTimeUnixNano } = span();
  const writer = new BinaryWriter();
  const open = (field: number) => writer.tag(field, WireType.LengthDelimited).fork();
  for (const field of [1, 2, 2]) open(field);
  writer.tag(1, WireType.LengthDelimited).bytes(Uint8Array.fromHex(traceId));
  writer.tag(2, WireType.LengthDelimited).bytes(Uint8Array.fromHex(spanId));
  writer.tag(5, WireType.LengthDelimited).string(name);
  writer.tag(7, WireType.Bit64).fixed64(startTimeUnixNano);
  writer.tag(8, WireType.Bit64).fixed64(endTimeUnixNano);
  return new Uint8Array(writer.join().join().join().finish());
}
