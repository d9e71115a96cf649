/**
 * Generators of hostile envelopes: valid ones, ones with odd headers, and ones that were truncated, spliced, or changed
 * by bytes or lines.
 */
import fc from "fast-check";
import { MAX_HEADER_BYTES } from "../envelope.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** JSON that parsers disagree about, as text. */
const oddValue = fc.oneof(
  fc.constantFrom(
    "1e400",
    "-1e400",
    "-0",
    "1E2",
    "2.0",
    "00",
    "-1",
    "9007199254740993",
    "1".repeat(400),
    '"\\u0000"',
    '"\\ud800"',
    '"\u2028"',
    '"\\u000a"',
    '"\\n{}"',
    "NaN",
    "undefined",
    "true",
    "null",
    "{}",
    '"event"',
  ),
  fc.nat(300).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
  fc.nat(300).map((depth) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth)),
  fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
);

const oddMember = fc.tuple(
  fc.oneof(
    fc.constantFrom("type", "length", "dsn", "event_id", "sent_at", "__proto__", "constructor", ""),
    fc.string({ maxLength: 8 }),
  ),
  oddValue,
).map(([name, value]) => `${JSON.stringify(name)}:${value}`);

/** Adds odd members, which may repeat a name: `JSON.parse` keeps the last value. */
function withOddMembers(members: readonly string[]): fc.Arbitrary<string> {
  const object = (all: readonly string[]) => `{${all.join(",")}}`;
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(object(members)) },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.array(oddMember, { maxLength: 2 }),
        fc.array(oddMember, { maxLength: 2 }),
      ).map(([before, after]) => object([...before, ...members, ...after])),
    },
  );
}

/** Adds odd characters around the JSON of a header line. */
const withOddLine = (line: string): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 30, arbitrary: fc.constant(line) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        `${line}\r`,
        ` ${line}\t`,
        `\ufeff${line}`,
        `\0${line}`,
        `${line}\0`,
        `${line}${line}`,
        `[${line}]`,
        line.slice(0, -1),
      ),
    },
    {
      weight: 1,
      arbitrary: fc.integer({ min: -1, max: 1 }).map((over) =>
        line + " ".repeat(Math.max(0, MAX_HEADER_BYTES + over - bytesOf(line).length))
      ),
    },
  );

const payload = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom(
    "",
    "\n",
    "\n\n{}",
    "\r\n",
    "\0",
    '{"message":"boom"}',
    '{"type":"event","length":2}\n{}\n',
    '{"dsn":"https://other@evil.example/1"}\n{"type":"event"}\n{}',
  ).map(bytesOf),
);

const item = fc.record({
  type: fc.oneof(
    fc.constantFrom("event", "span", "replay_recording", "attachment", "__proto__"),
    fc.string({ minLength: 1, maxLength: 5 }),
  ),
  payload,
  declared: fc.boolean(),
  lie: fc.oneof({ weight: 15, arbitrary: fc.constant(0) }, fc.integer({ min: -3, max: 3 })),
  end: fc.oneof(
    { weight: 15, arbitrary: fc.constantFrom("\n", "\n\n\n") },
    fc.constantFrom("", "\r\n", " ", "\0"),
  ),
}).chain(({ type, payload, declared, lie, end }) => {
  const members = [`"type":${JSON.stringify(type)}`];
  if (declared) members.push(`"length":${payload.length + lie}`);
  return withOddMembers(members).chain(withOddLine).map((header) =>
    concat([bytesOf(`${header}\n`), payload, bytesOf(end)])
  );
});

/**
 * Envelopes of which some are valid and most are not.
 *
 * @param headerMembers members of the envelope header, as JSON text: `"dsn":"…"`
 */
export function hostileEnvelope(
  headerMembers: fc.Arbitrary<readonly string[]>,
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  const nearlyValid = fc.tuple(
    headerMembers.chain(withOddMembers).chain(withOddLine),
    fc.array(item, { maxLength: 4 }),
    fc.oneof({ weight: 9, arbitrary: fc.constant("\n") }, fc.constantFrom("", "\n\n", "\r\n")),
  ).map(([header, items, end]) => concat([bytesOf(header), bytesOf(end), ...items]));
  const spliced = fc.tuple(nearlyValid, nearlyValid, fc.nat(), fc.nat()).map(([a, b, cutA, cutB]) =>
    concat([a.subarray(0, cutA % (a.length + 1)), b.subarray(cutB % (b.length + 1))])
  );
  return fc.oneof(
    { weight: 5, arbitrary: nearlyValid },
    { weight: 3, arbitrary: mutated(nearlyValid) },
    { weight: 1, arbitrary: spliced },
    { weight: 1, arbitrary: mutatedByLine(nearlyValid) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 80 }).map((bytes) => concat([bytes])) },
  );
}

const byteChange = fc.record({
  at: fc.nat(),
  remove: fc.nat(3),
  insert: fc.oneof(
    fc.constantFrom("\n", "{}", '"', "\r", ",", "0", "\0", "\ufeff", "\n\n", "}{").map(bytesOf),
    // Not UTF-8: alone, too long, a surrogate, beyond the last character.
    fc.constantFrom([0xff], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80]).map(
      (bytes) => Uint8Array.from(bytes),
    ),
    fc.uint8Array({ maxLength: 3 }),
  ),
});

/** Removes and inserts bytes at up to three positions. */
export function mutated(
  base: fc.Arbitrary<Uint8Array>,
): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc.tuple(base, fc.array(byteChange, { minLength: 1, maxLength: 3 })).map(
    ([bytes, changes]) =>
      changes.reduce((now, { at, remove, insert }) => {
        const place = at % (now.length + 1);
        return concat([now.subarray(0, place), insert, now.subarray(place + remove)]);
      }, concat([bytes])),
  );
}

/** Removes a line, repeats it, or truncates before it. */
function mutatedByLine(base: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array<ArrayBuffer>> {
  return fc.tuple(base, fc.nat(), fc.constantFrom("removed", "repeated", "truncated")).map(
    ([bytes, at, change]) => {
      const lines = linesOf(bytes);
      const place = at % Math.max(1, lines.length);
      const line = lines[place] ?? new Uint8Array(0);
      if (change === "removed") return concat(lines.toSpliced(place, 1));
      if (change === "repeated") return concat(lines.toSpliced(place, 0, line));
      return concat(lines.slice(0, place));
    },
  );
}

/** Splits into lines, each with its line feed. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(10, from);
    const end = found < 0 ? bytes.length : found + 1;
    lines.push(bytes.subarray(from, end));
    from = end;
  }
  return lines;
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
