/**
 * Requests of OTLP/HTTP, in both of its encodings, as one form: that of OTLP/JSON. Field names in lowerCamelCase, ids as
 * hex, 64-bit integers as text, bytes as base64, enums as numbers; default values are left out.
 *
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp-request
 */
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { type OtlpFormat, signalOf } from "../../protocol/format.ts";
import {
  type Field,
  type Fields,
  LOGS_REQUEST,
  METRICS_REQUEST,
  TRACES_REQUEST,
} from "./messages.ts";

/** A request cannot be decoded. The message is for its sender. */
export class OtlpError extends Error {
  override readonly name = "OtlpError";
  constructor(readonly code: "malformed" | "too_large", message: string) {
    super(message);
  }
}

/** Of one request, decompressed. Decoding takes about 15 ms per MiB, during which the server does nothing else. */
export const MAX_OTLP_BYTES = 20 * 1024 * 1024;
/** Fields, objects and elements of lists. Attack: 20 MiB of empty messages would take 1 GB of memory. */
const MAX_VALUES = 2_000_000;
/** Objects and lists around a value. The attributes of a span's event have 12, and 4 more for each object around them. */
const MAX_DEPTH = 256;

/**
 * Decodes a request to export telemetry. Types of values are not checked in JSON.
 *
 * @param bytes decompressed
 * @returns an object
 * @throws {OtlpError}
 */
export function decodeOtlp(bytes: Uint8Array, format: OtlpFormat): object {
  if (bytes.length > MAX_OTLP_BYTES) {
    throw tooLarge(`is larger than ${MAX_OTLP_BYTES} bytes once decompressed`);
  }
  if (format.endsWith("-json")) return decodeJson(bytes);
  return new ProtobufDecoder(bytes).decode(REQUESTS[signalOf(format)]);
}

const REQUESTS = { traces: TRACES_REQUEST, logs: LOGS_REQUEST, metrics: METRICS_REQUEST };

/** Counts values while a request is read. */
class Budget {
  #values = 0;

  /** @param depth objects and lists around the value, with itself */
  spend(depth: number): void {
    if (++this.#values > MAX_VALUES) throw tooLarge(`has more than ${MAX_VALUES} values`);
    if (depth > MAX_DEPTH) {
      throw tooLarge(`nests ${MAX_DEPTH} objects and lists`, "Send flatter attributes");
    }
  }
}

const tooLarge = (problem: string, advice = "Send smaller batches") =>
  new OtlpError("too_large", `Cannot take the request: it ${problem}. ${advice}.`);

const malformed = (problem: string, advice: string) =>
  new OtlpError("malformed", `Cannot read the request: ${problem}. ${advice}.`);

function decodeJson(bytes: Uint8Array): object {
  let request: unknown;
  try {
    request = JSON.parse(new TextDecoder().decode(quoteBigIntegers(bytes, checkJson(bytes))));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  if (typeof request === "object" && request !== null && !Array.isArray(request)) return request;
  throw malformed("the body is no JSON object", "Send OTLP's JSON, or protobuf as such");
}

const byteOf = (character: string) => character.charCodeAt(0);
const [QUOTE, BACKSLASH, COMMA] = [byteOf('"'), byteOf("\\"), byteOf(",")];
const [OPENING_BRACE, CLOSING_BRACE] = [byteOf("{"), byteOf("}")];
const [OPENING_BRACKET, CLOSING_BRACKET] = [byteOf("["), byteOf("]")];
const [ZERO, NINE, PLUS, MINUS] = [byteOf("0"), byteOf("9"), byteOf("+"), byteOf("-")];
const [POINT, SMALL_E, LARGE_E] = [byteOf("."), byteOf("e"), byteOf("E")];

/**
 * Compares JSON with the limits before it is parsed.
 *
 * @returns where integers that a double does not hold start and end
 * @throws {OtlpError}
 */
function checkJson(bytes: Uint8Array): readonly number[] {
  const budget = new Budget();
  const bigIntegers: number[] = [];
  let depth = 0;
  // The number that is read; NaN: it has decimals or an exponent.
  let number = 0;
  let digits = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (byte >= ZERO && byte <= NINE) {
      number = number * 10 + byte - ZERO;
      digits++;
    } else if (byte === POINT || byte === SMALL_E || byte === LARGE_E) number = NaN;
    else if (byte !== PLUS && byte !== MINUS) {
      if (number > Number.MAX_SAFE_INTEGER) {
        const start = index - digits;
        bigIntegers.push(bytes[start - 1] === MINUS ? start - 1 : start, index);
      }
      number = digits = 0;
      if (byte === QUOTE) {
        while (++index < bytes.length && bytes[index] !== QUOTE) {
          if (bytes[index] === BACKSLASH) index++;
        }
      } else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) budget.spend(++depth);
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) depth--;
      else if (byte === COMMA) budget.spend(depth);
    }
  }
  return bigIntegers;
}

/** OTLP/JSON allows 64-bit integers as numbers and as text. As text they stay exact. */
function quoteBigIntegers(bytes: Uint8Array, positions: readonly number[]): Uint8Array {
  const quoted = new Uint8Array(bytes.length + positions.length);
  let copied = 0;
  positions.forEach((position, index) => {
    quoted.set(bytes.subarray(copied, position), copied + index);
    quoted[position + index] = QUOTE;
    copied = position;
  });
  quoted.set(bytes.subarray(copied), copied + positions.length);
  return quoted;
}

/** https://protobuf.dev/programming-guides/encoding/ */
class ProtobufDecoder {
  readonly #reader: BinaryReader;
  readonly #budget = new Budget();

  constructor(bytes: Uint8Array) {
    this.#reader = new BinaryReader(bytes);
  }

  decode(fields: Fields): object {
    try {
      return this.#message(fields, this.#reader.len, 1, {});
    } catch (error) {
      // What the reader throws: an end in the middle of a value, an impossible tag or number.
      if (error instanceof OtlpError || error instanceof TypeError) throw error;
      throw notProtobuf(`at byte ${this.#reader.pos}`);
    }
  }

  /** @param message is completed: the parts of a message that was sent in parts are one */
  #message(fields: Fields, end: number, depth: number, message: Record<string, unknown>) {
    const reader = this.#reader;
    while (reader.pos < end) {
      this.#budget.spend(depth);
      const [number, wireType] = reader.tag();
      const field = fields[number];
      if (field === undefined) this.#skip(number, wireType);
      else if (field.wireType === wireType) this.#field(field, depth, message);
      else if (field.isList && wireType === WireType.LengthDelimited) {
        const last = reader.uint32() + reader.pos;
        while (reader.pos < last) this.#field(field, depth + 1, message);
      } else throw notProtobuf(`${field.name} is no ${field.type}`);
      if (reader.pos > end) throw notProtobuf("a field is longer than the message around it");
    }
    return message;
  }

  #field({ name, isList, read, fields }: Field, depth: number, message: Record<string, unknown>) {
    const known = message[name];
    if (read !== undefined) {
      const value = read(this.#reader);
      if (!isList) message[name] = value;
      else {
        this.#budget.spend(depth);
        ((message[name] ??= []) as unknown[]).push(value);
      }
      return;
    }
    const end = this.#reader.uint32() + this.#reader.pos;
    if (!isList) {
      message[name] = this.#message(fields!, end, depth + 1, (known ?? {}) as typeof message);
      return;
    }
    const element = this.#message(fields!, end, depth + 2, {});
    if (known === undefined) message[name] = [element];
    else (known as unknown[]).push(element);
  }

  #skip(number: number, wireType: WireType): void {
    if (wireType === WireType.StartGroup || wireType === WireType.EndGroup) {
      throw notProtobuf(`field ${number} is a group`);
    }
    this.#reader.skip(wireType, number);
  }
}

const notProtobuf = (problem: string) =>
  malformed(`the body is no OTLP in protobuf (${problem})`, "Send JSON as application/json");
