/** Answers of OTLP/HTTP: https://opentelemetry.io/docs/specs/otlp/#otlphttp-response. Exporters print their texts. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { contentTypeOf, type Signal } from "../protocol/format.ts";
import type { Answer } from "../relay/answer.ts";

export type OtlpEncoding = "json" | "protobuf";

const ENCODINGS: ReadonlyMap<string, OtlpEncoding> = new Map([
  ["application/json", "json"],
  ["application/x-protobuf", "protobuf"],
  ["application/protobuf", "protobuf"],
]);

/** The encoding that a `Content-Type` names; undefined for another media type. */
export function otlpEncoding(contentType: string | null): OtlpEncoding | undefined {
  return ENCODINGS.get(mediaType(contentType));
}

export function mediaTypeProblem(contentType: string | null): string {
  return mediaType(contentType).startsWith("application/grpc")
    ? "Cannot take OTLP by gRPC: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf."
    : "Cannot take the request: its Content-Type must be application/x-protobuf or application/json.";
}

const mediaType = (contentType: string | null) =>
  contentType?.split(";")[0]?.trim().toLowerCase() ?? "";

/** The name in JSON of the number of rejected records, of which each signal has another. */
const REJECTED = {
  traces: "rejectedSpans",
  logs: "rejectedLogRecords",
  metrics: "rejectedDataPoints",
} as const;

/** The answer to a request that was taken. @param partial undefined: all of it, and nothing to say */
export function exportAnswer(
  signal: Signal,
  encoding: OtlpEncoding,
  partial?: { readonly rejected: number; readonly message: string },
): Answer {
  const { rejected = 0, message = "" } = partial ?? {};
  // 64-bit integers are texts in JSON. A field of the default value is omitted in both encodings.
  const json = { ...rejected && { [REJECTED[signal]]: `${rejected}` }, errorMessage: message };
  return answer(200, encoding, partial ? { partialSuccess: json } : {}, (writer) => {
    if (!partial) return;
    writer.tag(1, WireType.LengthDelimited).fork();
    if (rejected) writer.tag(1, WireType.Varint).int64(rejected);
    writer.tag(2, WireType.LengthDelimited).string(message).join();
  });
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto by HTTP status; others: UNKNOWN. */
const RPC_CODES = new Map([[400, 3], [403, 7], [413, 3], [415, 3], [429, 8], [501, 12], [503, 14]]);
const UNKNOWN = 2;

/** A `google.rpc.Status`, for a request that was not taken. @param encoding undefined: unknown, answered in JSON */
export function statusAnswer(status: number, message: string, encoding: OtlpEncoding = "json") {
  const code = RPC_CODES.get(status) ?? UNKNOWN;
  return answer(status, encoding, { code, message }, (writer) => {
    writer.tag(1, WireType.Varint).int32(code);
    writer.tag(2, WireType.LengthDelimited).string(message);
  });
}

function answer(
  status: number,
  encoding: OtlpEncoding,
  json: object,
  write: (writer: BinaryWriter) => void,
): Answer {
  const headers = { "content-type": contentTypeOf(`otlp-traces-${encoding}`) };
  if (encoding === "json") return { status, headers, body: JSON.stringify(json) };
  const writer = new BinaryWriter();
  write(writer);
  return { status, headers, body: writer.finish() };
}
