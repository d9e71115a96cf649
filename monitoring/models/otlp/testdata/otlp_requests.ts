/** Random OTLP requests in the form of OTLP/JSON, and their bytes in protobuf. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { type Field, type Fields, LOGS_REQUEST, TRACES_REQUEST } from "../messages.ts";

type Message = Readonly<Record<string, unknown>>;

/** Writes a request as exporters do: https://protobuf.dev/programming-guides/encoding/ */
export function encodeProtobuf(message: object, fields: Fields): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  for (const [number, field] of Object.entries(fields) as unknown as [number, Field][]) {
    const value = (message as Message)[field.name];
    if (value === undefined) continue;
    for (const one of field.isList ? value as unknown[] : [value]) {
      writer.tag(Number(number), field.wireType);
      if (field.fields) writer.bytes(encodeProtobuf(one as object, field.fields));
      else writeScalar(writer, field, one);
    }
  }
  return writer.finish();
}

function writeScalar(writer: BinaryWriter, { type }: Field, value: unknown): void {
  switch (type) {
    case "hex":
      return void writer.bytes(Uint8Array.fromHex(value as string));
    case "base64":
      return void writer.bytes(Uint8Array.fromBase64(value as string));
    case "text":
      return void writer.string(value as string);
    case "bool":
      return void writer.bool(value as boolean);
    case "int32":
      return void writer.int32(value as number);
    case "uint32":
      return void writer.uint32(value as number);
    case "fixed32":
      return void writer.fixed32(value as number);
    case "int64":
      return void writer.int64(value as string);
    case "fixed64":
      return void writer.fixed64(value as string);
    case "double":
      return void writer.double(Number(value));
    default:
      throw new TypeError(`unknown type ${type}`);
  }
}

const SCALARS: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  // Ids have 16 and 8 bytes.
  hex: fc.constantFrom(16, 8, 8, 0, 1, 20).chain((length) =>
    fc.uint8Array({ minLength: length, maxLength: length })
  ).map((bytes) => bytes.toHex()),
  base64: fc.uint8Array({ maxLength: 20 }).map((bytes) => bytes.toBase64()),
  text: fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.toWellFormed()),
  bool: fc.boolean(),
  int32: fc.oneof(fc.nat(24), fc.integer()),
  uint32: fc.oneof(fc.nat(24), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  fixed32: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  int64: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fixed64: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
  double: fc.double().map(writtenNumber),
};

/** JSON has no negative zero, and cannot tell a double from a 64-bit integer. */
function writtenNumber(value: number): number | string {
  if (!Number.isFinite(value)) return String(value);
  const isLong = /^-?\d+$/.test(String(value)) && !Number.isSafeInteger(value);
  return isLong ? 0.1 : value || 0;
}

const PLAIN = { noNullPrototype: true };

/** Messages with any of their fields; of `AnyValue` at most one, as protobuf says. */
function messageOf(fields: Fields, isOneOf: boolean, depth: number): fc.Arbitrary<Message> {
  const possible = Object.values(fields).filter(({ fields }) => !fields || depth > 0);
  const arbitraries = possible.map(({ name, type, isList, fields }) => {
    const one = fields ? messageOf(fields, type === "AnyValue", depth - 1) : SCALARS[type]!;
    return { [name]: isList ? fc.array(one, { minLength: 1, maxLength: 2 }) : one };
  });
  return isOneOf
    ? fc.oneof(...[{}, ...arbitraries].map((one) => fc.record(one, PLAIN)))
    : fc.record(Object.assign({}, ...arbitraries), { ...PLAIN, requiredKeys: [] });
}

/** Deep enough for a list in an attribute of a span's event. */
const DEPTH = 9;

export const REQUESTS = [
  { signal: "traces", fields: TRACES_REQUEST, request: messageOf(TRACES_REQUEST, false, DEPTH) },
  { signal: "logs", fields: LOGS_REQUEST, request: messageOf(LOGS_REQUEST, false, DEPTH) },
] as const;
