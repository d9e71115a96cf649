/**
 * The messages of OTLP 1.11 for traces and logs: https://github.com/open-telemetry/opentelemetry-proto. What no reader
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
  /** Whether it is a list of messages. */
  readonly isList: boolean;
  /** Reads a value; undefined if the field is a message. */
  readonly read?: (reader: BinaryReader) => unknown;
  readonly fields?: Fields;
}

/**
 * `message: number name type, …`, where `[]` is a list. `hex` and `base64` are how bytes are written in JSON.
 */
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
  int64: { wireType: WireType.Varint, read: (reader) => String(reader.int64()) },
  fixed32: { wireType: WireType.Bit32, read: (reader) => reader.fixed32() },
  fixed64: { wireType: WireType.Bit64, read: (reader) => String(reader.fixed64()) },
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
