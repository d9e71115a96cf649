import assert from "node:assert/strict";
import { exportAnswer, mediaTypeProblem, otlpEncoding, statusAnswer } from "./answers.ts";

for (
  const [sent, encoding] of [
    ["application/json", "json"],
    ["application/json; charset=utf-8", "json"],
    ["Application/JSON ;charset=UTF-8", "json"],
    ["application/x-protobuf", "protobuf"],
    ["application/protobuf", "protobuf"],
    ["text/plain", undefined],
    ["application/grpc", undefined],
    ["constructor", undefined],
    ["", undefined],
    [null, undefined],
  ] as const
) {
  Deno.test(`Content-Type ${sent} → ${encoding}`, () => assert.equal(otlpEncoding(sent), encoding));
}

Deno.test("another media type → the two that are taken; gRPC → the variable to set", () => {
  assert.match(mediaTypeProblem("text/plain"), /application\/x-protobuf or application\/json/);
  assert.match(mediaTypeProblem(null), /Content-Type/);
  assert.match(mediaTypeProblem("application/grpc+proto"), /OTEL_EXPORTER_OTLP_PROTOCOL=http/);
});

const PARTIAL = { rejected: 300, message: "why" };
const JSON_TYPE = { "content-type": "application/json" };
const PROTOBUF_TYPE = { "content-type": "application/x-protobuf" };
const hexOf = (body: string | Uint8Array) => (body as Uint8Array).toHex();

Deno.test("all taken → {} or no bytes, in the encoding of the request", () => {
  assert.deepEqual(exportAnswer("traces", "json"), { status: 200, headers: JSON_TYPE, body: "{}" });
  const { status, headers, body } = exportAnswer("logs", "protobuf");
  assert.deepEqual([status, headers, hexOf(body)], [200, PROTOBUF_TYPE, ""]);
});

Deno.test("some rejected, or a warning → partialSuccess, its count as text", () => {
  const partialOf = (answer: { body: string | Uint8Array }) =>
    JSON.parse(answer.body as string).partialSuccess;
  const errorMessage = "why";
  for (
    const [signal, name] of [
      ["traces", "rejectedSpans"],
      ["logs", "rejectedLogRecords"],
      ["metrics", "rejectedDataPoints"],
    ] as const
  ) {
    const partial = partialOf(exportAnswer(signal, "json", PARTIAL));
    assert.deepEqual(partial, { [name]: "300", errorMessage });
    const warning = partialOf(exportAnswer(signal, "json", { ...PARTIAL, rejected: 0 }));
    assert.deepEqual(warning, { errorMessage });
  }
  // Field 1: of 8 bytes: field 1: 300, field 2: the text. 300 is ac 02.
  assert.equal(hexOf(exportAnswer("traces", "protobuf", PARTIAL).body), "0a0808ac021203776879");
  const warning = exportAnswer("logs", "protobuf", { ...PARTIAL, rejected: 0 });
  assert.equal(hexOf(warning.body), "0a051203776879");
});

Deno.test("refused → google.rpc.Status, in JSON if the encoding is unknown", () => {
  const { status, headers, body } = statusAnswer(400, "why", "protobuf");
  assert.deepEqual([status, headers, hexOf(body)], [400, PROTOBUF_TYPE, "08031203776879"]);
  const json = statusAnswer(415, "why");
  assert.deepEqual(json.headers, JSON_TYPE);
  assert.deepEqual(JSON.parse(json.body as string), { code: 3, message: "why" });
  const codes = [429, 503, 418].map((status) =>
    JSON.parse(statusAnswer(status, "", "json").body as string).code
  );
  assert.deepEqual(codes, [8, 14, 2]);
});
