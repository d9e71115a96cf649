import assert from "node:assert/strict";
import fc from "fast-check";
import { decodeOtlp, MAX_OTLP_BYTES, OtlpError } from "./decode.ts";
import { LOGS_REQUEST, TRACES_REQUEST } from "./messages.ts";
import { hostileBytes } from "./testdata/hostile_bytes.ts";
import { encodeProtobuf, REQUESTS } from "./testdata/otlp_requests.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);
const decodeText = (text: string) => decodeOtlp(utf8(text), "otlp-traces-json");
const decodeHex = (hex: string) => decodeOtlp(Uint8Array.fromHex(hex), "otlp-traces-protobuf");
const isError = (code: OtlpError["code"], message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof OtlpError, String(error));
  assert.match(error.message, /^Cannot [ -~]+\.$/);
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

for (const { signal, fields, request } of REQUESTS) {
  Deno.test(`any request for ${signal}, in protobuf or JSON → the same`, () =>
    fc.assert(fc.property(request, (sent) => {
      const json = utf8(JSON.stringify(sent));
      const protobuf = encodeProtobuf(sent, fields);
      assert.deepEqual(decodeOtlp(json, `otlp-${signal}-json`), sent);
      assert.deepEqual(decodeOtlp(protobuf, `otlp-${signal}-protobuf`), sent);
    })));
}

/** A span whose attributes are these, with a number for each field that OTLP/JSON writes as text or number. */
const spanWith = (value: string) =>
  `{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"value":${value}}]}]}]}]}`;
const valueOf = (text: string) =>
  // deno-lint-ignore no-explicit-any -- as the text above
  (decodeText(spanWith(text)) as any).resourceSpans[0].scopeSpans[0].spans[0].attributes[0].value;

for (
  const [title, text, value] of [
    ["integers over 2^53", '{"intValue":9007199254740993}', { intValue: "9007199254740993" }],
    ["-2^63", '{"intValue": -9223372036854775808 }', { intValue: "-9223372036854775808" }],
    ["a small integer", '{"intValue":7}', { intValue: 7 }],
    ["many decimals", '{"doubleValue":0.12345678901234567}', { doubleValue: 0.12345678901234567 }],
    ["an exponent", '{"doubleValue":1e+0000000000000000}', { doubleValue: 1 }],
    ["digits in a text", '{"stringValue":"\\"1234567890123456"}', {
      stringValue: '"1234567890123456',
    }],
    ["NaN as text", '{"doubleValue":"NaN"}', { doubleValue: "NaN" }],
  ] as const
) {
  Deno.test(`${title} in JSON → exact`, () => assert.deepEqual(valueOf(text), value));
}

Deno.test("fields of later versions → skipped", () => {
  // 99: a varint, a fixed64, a text and a fixed32; then an empty resource.
  const future = "9806ff01" + "99060102030405060708" + "9a0603616263" + "9d0601020304" + "0a00";
  assert.deepEqual(decodeHex(future), { resourceSpans: [{}] });
});

Deno.test("no bytes → an empty request in protobuf, none in JSON", () => {
  assert.deepEqual(decodeHex(""), {});
  assert.throws(() => decodeText(""), isError("malformed", /no JSON object/));
});

Deno.test("message in two parts → one, as protobuf says", () => {
  const [first, second] = [{ droppedAttributesCount: 3 }, { attributes: [{ key: "a" }] }];
  const parts = [first, second].map((resource) =>
    encodeProtobuf({ resource }, TRACES_REQUEST[1]!.fields!).toHex()
  ).join("");
  const length = (parts.length / 2).toString(16).padStart(2, "0");
  assert.deepEqual(decodeHex(`0a${length}${parts}`), {
    resourceSpans: [{ resource: { ...first, ...second } }],
  });
});

Deno.test("text that is not UTF-8 → replaced, the rest is read", () => {
  const request = { resourceSpans: [{ schemaUrl: "??" }] };
  const hex = encodeProtobuf(request, TRACES_REQUEST).toHex().replace("3f3f", "ff3f");
  assert.deepEqual(decodeHex(hex), { resourceSpans: [{ schemaUrl: "\ufffd?" }] });
});

for (
  const [title, hex, message] of [
    ["JSON", utf8('{"resourceSpans":[]}').toHex(), /field 15 is a group/],
    ["a group", "0b0c", /resourceSpans is no ResourceSpans/],
    ["an unknown group", "9b069c06", /field 99 is a group/],
    ["a number in place of a message", "0801", /resourceSpans is no ResourceSpans/],
    ["a length beyond the end", "0a05", /at byte/],
    [
      "a length beyond the message around it",
      "0a020a059806010a00",
      /longer than the message/,
    ],
    ["a skipped length of 4 GB", "9a06ffffffff0f", /at byte/],
    ["half a tag", "8a", /at byte/],
    ["field 0", "00", /at byte/],
    ["gzip", "1f8b0800", /at byte/],
  ] as const
) {
  Deno.test(`${title} as protobuf → refused`, () =>
    assert.throws(() => decodeHex(hex), isError("malformed", message)));
}

for (const text of ["{", "[]", "null", '"x"', "1", "\ufeff", '{"a":1}x', "\u0000"]) {
  Deno.test(`${JSON.stringify(text)} as JSON → refused`, () =>
    assert.throws(() => decodeText(text), isError("malformed", /no JSON object/)));
}

/** A value of lists in lists. */
const nested = (levels: number) => {
  let value: object = { intValue: "1" };
  for (let level = 0; level < levels; level++) value = { arrayValue: { values: [value] } };
  return value;
};
const logWith = (body: object) => ({ resourceLogs: [{ scopeLogs: [{ logRecords: [{ body }] }] }] });

Deno.test("values nested 80 deep → read; deeper → refused, in both encodings", () => {
  const bytesOf = (levels: number) => {
    const request = logWith(nested(levels));
    return [utf8(JSON.stringify(request)), encodeProtobuf(request, LOGS_REQUEST)] as const;
  };
  const [json, protobuf] = bytesOf(80);
  assert.deepEqual(decodeOtlp(json, "otlp-logs-json"), logWith(nested(80)));
  assert.deepEqual(decodeOtlp(protobuf, "otlp-logs-protobuf"), logWith(nested(80)));
  for (const levels of [90, 2_000]) {
    const [json, protobuf] = bytesOf(levels);
    const isTooDeep = isError("too_large", /nests 256 objects.* Send flatter/);
    assert.throws(() => decodeOtlp(json, "otlp-logs-json"), isTooDeep);
    assert.throws(() => decodeOtlp(protobuf, "otlp-logs-protobuf"), isTooDeep);
  }
  assert.throws(() => decodeText("[".repeat(10_000)), isError("too_large", /nests/));
});

Deno.test("millions of empty messages, or too many bytes → refused before they fill memory", () => {
  const isTooMuch = isError("too_large", /2000000 values.* Send smaller batches/);
  assert.throws(() => decodeHex("0a00".repeat(2_000_001)), isTooMuch);
  assert.throws(() => decodeText(`{"a":[${"{},".repeat(2_000_001)}1]}`), isTooMuch);
  const tooLarge = new Uint8Array(MAX_OTLP_BYTES + 1);
  for (const format of ["otlp-logs-json", "otlp-logs-protobuf"] as const) {
    assert.throws(() => decodeOtlp(tooLarge, format), isError("too_large", /larger than/));
  }
});

Deno.test("100,000 damaged requests → an object or one sentence", () => {
  for (const { bytes, format } of hostileBytes(1, 100_000)) {
    try {
      assert.equal(typeof decodeOtlp(bytes, format), "object");
    } catch (error) {
      isError((error as OtlpError).code, /./)(error);
    }
  }
});
