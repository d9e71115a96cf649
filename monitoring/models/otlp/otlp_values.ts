import { at, listOf } from "../json.ts";

/** Plain values by name. Those that are no number in JSON, and integers beyond 2^53, are texts. */
export type PlainAttributes = Readonly<Record<string, unknown>>;

/** Lists and objects inside each other. What is deeper is shown as "…". */
const MAX_DEPTH = 64;

/** Of one span, log or resource: twice as many as are shown. Attack: 400,000 take seconds. */
const MAX_ATTRIBUTES = 1_024;

/** The first attributes of OTLP as plain values; of a name that is sent twice the last value. */
export function plainAttributes(attributes: unknown, depth = 0): PlainAttributes {
  return Object.fromEntries(
    listOf(attributes).slice(0, MAX_ATTRIBUTES).flatMap((pair) => {
      const key = at(pair, "key");
      return typeof key === "string" ? [[key, plainValue(at(pair, "value"), depth)]] : [];
    }),
  );
}

/** Attributes of a span or a log, in the form that `attributeAt` reads. @param facts further ones; null: not sent */
export function sentAttributes(
  attributes: unknown,
  facts: Readonly<Record<string, string | null>>,
): PlainAttributes {
  return Object.fromEntries([
    ...Object.entries(plainAttributes(attributes)).map(([name, value]) => // Else an object with a member `value` would be taken for `{value, type}`.
    [name, at(value, "value") === undefined ? value : { value, type: "object" }]),
    ...Object.entries(facts).filter(([, value]) => value !== null),
  ]);
}

/** An `AnyValue`. https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding @returns null: empty */
export function plainValue(value: unknown, depth = 0): unknown {
  if (depth > MAX_DEPTH) return "…";
  for (const kind of ["stringValue", "boolValue", "bytesValue"]) {
    const found = at(value, kind);
    if (typeof found === "string" || typeof found === "boolean") return found;
  }
  const integer = at(value, "intValue");
  if (integer !== undefined) return plainInteger(integer);
  const double = at(value, "doubleValue");
  if (typeof double === "number") return Number.isFinite(double) ? double : String(double);
  if (typeof double === "string") return double;
  const list = at(value, "arrayValue");
  if (list !== undefined) {
    return listOf(at(list, "values")).map((one) => plainValue(one, depth + 1));
  }
  const object = at(value, "kvlistValue");
  return object === undefined ? null : plainAttributes(at(object, "values"), depth + 1);
}

/** 64 bits, as number or text; a text if a number would lose digits. */
function plainInteger(value: unknown): unknown {
  const number = typeof value === "string" && /^-?\d{1,16}$/.test(value) ? Number(value) : value;
  if (Number.isSafeInteger(number)) return number;
  return typeof value === "number" ? String(value) : typeof value === "string" ? value : null;
}

/**
 * A time in nanoseconds since 1970, as text or number, in seconds with microseconds.
 *
 * @returns undefined: 0, which means "not sent", or not a time
 */
export function secondsOf(nanoseconds: unknown): number | undefined {
  const microseconds = typeof nanoseconds === "string" && /^\d{1,20}$/.test(nanoseconds)
    ? Number(nanoseconds.slice(0, -3)) // Of 64 bits of nanoseconds, a double would keep 53.
    : typeof nanoseconds === "number"
    ? Math.floor(nanoseconds / 1_000)
    : NaN;
  return microseconds > 0 ? microseconds / 1_000_000 : undefined;
}

/**
 * The name of an enum's value, in lower case. Texts such as `SPAN_KIND_SERVER`, which the JSON mapping forbids, are sent
 * nevertheless.
 */
export function enumName(
  value: unknown,
  prefix: string,
  names: readonly string[],
): string | undefined {
  if (typeof value === "number") return names[value];
  return typeof value === "string" ? value.replace(prefix, "").toLowerCase() : undefined;
}
