/**
 * The messages of OTLP 1.11: https://github.com/open-telemetry/opentelemetry-proto. What no reader
 * uses (entity references, indexes of profiles) is left out, and skipped like fields of later versions.
 */
import { type BinaryReader, WireType } from "@bufbuild/protobuf/wire";

export type Fields = Readonly<Record<number, Field>>;

export interface Field {
  /** In JSON. */
  readonly name: string;
  /** The message or scalar, as named below. */
  readonly type: string;
  readonly wireType: WireType;
  readonly isList: boolean;
  /** Reads a value; undefined if the field is a message. Lists of scalars may be sent as one value (packed). */
  readonly read?: (reader: BinaryReader) => unknown;
  readonly fields?: Fields;
}

/** `message: number name type, …`, where `[]` is a list. `hex` and `base64` are how bytes are written in JSON. */
const MESSAGES = `
TracesRequest: 1 resourceSpans ResourceSpans[]
ResourceSpans: 1 resource Resource, 2 scopeSpans ScopeSpans[], 3 schemaUrl text
ScopeSpans: 1 scope Scope, 2 spans Span[], 3 schemaUrl text
Span: 1 traceId hex, 2 spanId hex, 3 traceState text, 4 parentSpanId hex, 5 name text, 6 kind int32,
  7 startTimeUnixNano fixed64, 8 endTimeUnixNano fixed64, 9 attributes KeyValue[],
  10 droppedAttributesCount uint32, 11 events Event[], 12 droppedEventsCount uint32,
  13 links Link[], 14 droppedLinksCount uint32, 15 status Status, 16 flags fixed32
Event: 1 timeUnixNano fixed64, 2 name text, 3 attributes KeyValue[], 4 droppedAttributesCount uint32
Link: 1 traceId hex, 2 spanId hex, 3 traceState text, 4 attributes KeyValue[],
  5 droppedAttributesCount uint32, 6 flags fixed32
Status: 2 message text, 3 code int32

LogsRequest: 1 resourceLogs ResourceLogs[]
ResourceLogs: 1 resource Resource, 2 scopeLogs ScopeLogs[], 3 schemaUrl text
ScopeLogs: 1 scope Scope, 2 logRecords LogRecord[], 3 schemaUrl text
LogRecord: 1 timeUnixNano fixed64, 2 severityNumber int32, 3 severityText text, 5 body AnyValue,
  6 attributes KeyValue[], 7 droppedAttributesCount uint32, 8 flags fixed32, 9 traceId hex,
  10 spanId hex, 11 observedTimeUnixNano fixed64, 12 eventName text

MetricsRequest: 1 resourceMetrics ResourceMetrics[]
ResourceMetrics: 1 resource Resource, 2 scopeMetrics ScopeMetrics[], 3 schemaUrl text
ScopeMetrics: 1 scope Scope, 2 metrics Metric[], 3 schemaUrl text
Metric: 1 name text, 2 description text, 3 unit text, 5 gauge NumberData, 7 sum NumberData,
  9 histogram HistogramData, 10 exponentialHistogram ExponentialData, 11 summary SummaryData
NumberData: 1 dataPoints NumberPoint[], 2 aggregationTemporality int32, 3 isMonotonic bool
HistogramData: 1 dataPoints HistogramPoint[], 2 aggregationTemporality int32
ExponentialData: 1 dataPoints ExponentialPoint[], 2 aggregationTemporality int32
SummaryData: 1 dataPoints SummaryPoint[]
NumberPoint: 2 startTimeUnixNano fixed64, 3 timeUnixNano fixed64, 4 asDouble double,
  5 exemplars Exemplar[], 6 asInt sfixed64, 7 attributes KeyValue[], 8 flags uint32
HistogramPoint: 2 startTimeUnixNano fixed64, 3 timeUnixNano fixed64, 4 count fixed64, 5 sum double,
  6 bucketCounts fixed64[], 7 explicitBounds double[], 8 exemplars Exemplar[],
  9 attributes KeyValue[], 10 flags uint32, 11 min double, 12 max double
ExponentialPoint: 1 attributes KeyValue[], 2 startTimeUnixNano fixed64, 3 timeUnixNano fixed64,
  4 count fixed64, 5 sum double, 6 scale sint32, 7 zeroCount fixed64, 8 positive Buckets,
  9 negative Buckets, 10 flags uint32, 11 exemplars Exemplar[], 12 min double, 13 max double,
  14 zeroThreshold double
Buckets: 1 offset sint32, 2 bucketCounts uint64[]
SummaryPoint: 2 startTimeUnixNano fixed64, 3 timeUnixNano fixed64, 4 count fixed64, 5 sum double,
  6 quantileValues QuantileValue[], 7 attributes KeyValue[], 8 flags uint32
QuantileValue: 1 quantile double, 2 value double
Exemplar: 2 timeUnixNano fixed64, 3 asDouble double, 4 spanId hex, 5 traceId hex, 6 asInt sfixed64

Resource: 1 attributes KeyValue[], 2 droppedAttributesCount uint32
Scope: 1 name text, 2 version text, 3 attributes KeyValue[], 4 droppedAttributesCount uint32
KeyValue: 1 key text, 2 value AnyValue
AnyValue: 1 stringValue text, 2 boolValue bool, 3 intValue int64, 4 doubleValue double,
  5 arrayValue ArrayValue, 6 kvlistValue KeyValueList, 7 bytesValue base64
ArrayValue: 1 values AnyValue[]
KeyValueList: 1 values KeyValue[]
`;

type Scalar = Required<Pick<Field, "wireType" | "read">>;

const SCALARS: Readonly<Record<string, Scalar>> = {
  text: { wireType: WireType.LengthDelimited, read: (reader) => reader.string() },
  hex: { wireType: WireType.LengthDelimited, read: (reader) => reader.bytes().toHex() },
  base64: { wireType: WireType.LengthDelimited, read: (reader) => reader.bytes().toBase64() },
  bool: { wireType: WireType.Varint, read: (reader) => reader.bool() },
  int32: { wireType: WireType.Varint, read: (reader) => reader.int32() },
  uint32: { wireType: WireType.Varint, read: (reader) => reader.uint32() },
  sint32: { wireType: WireType.Varint, read: (reader) => reader.sint32() },
  uint64: { wireType: WireType.Varint, read: (reader) => String(reader.uint64()) },
  int64: { wireType: WireType.Varint, read: (reader) => String(reader.int64()) },
  fixed32: { wireType: WireType.Bit32, read: (reader) => reader.fixed32() },
  fixed64: { wireType: WireType.Bit64, read: (reader) => String(reader.fixed64()) },
  sfixed64: { wireType: WireType.Bit64, read: (reader) => String(reader.sfixed64()) },
  double: { wireType: WireType.Bit64, read: (reader) => finiteOrText(reader.double()) },
};

/** JSON has no number for infinity and NaN: https://protobuf.dev/programming-guides/json/ */
const finiteOrText = (value: number) => Number.isFinite(value) ? value : String(value);

/** Messages refer to each other, and to themselves: all exist before their fields are read. */
const fieldsOf = new Map<string, Record<number, Field>>();
const messages = [...MESSAGES.matchAll(/^(\w+): ([^:]*)$/gm)];
for (const [, message = ""] of messages) fieldsOf.set(message, {});
for (const [, message = "", list = ""] of messages) {
  for (
    const [, number, name = "", type = "", brackets] of list.matchAll(/(\d+) (\w+) (\w+)(\[\])?/g)
  ) {
    fieldsOf.get(message)![Number(number)] = {
      name,
      type,
      isList: brackets !== undefined,
      ...SCALARS[type] ?? { wireType: WireType.LengthDelimited, fields: fieldsOf.get(type)! },
    };
  }
}

export const TRACES_REQUEST: Fields = fieldsOf.get("TracesRequest")!;
export const LOGS_REQUEST: Fields = fieldsOf.get("LogsRequest")!;
export const METRICS_REQUEST: Fields = fieldsOf.get("MetricsRequest")!;
