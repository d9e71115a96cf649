/** Generates hostile requests to the relay, each with the facts that decide its response. */
import fc from "fast-check";
import { hostileEnvelope, mutated } from "../../monitoring/protocol/testdata/hostile_envelope.ts";
import { ENCODERS } from "../harness/encoders.ts";
import { concat, DSN } from "../relay/_start_relay.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** `MAX_ENVELOPE_BYTES` in these runs: small, so that exceeding it is cheap. */
export const MAX_BYTES = 16 * 1024;
/** The contract's limit after decompression. */
export const MAX_DECODED_BYTES = 10 * MAX_BYTES;

/** One request, and what its outcome depends on. */
export interface HostileRequest {
  /** How it was generated, for the message of a failure. */
  readonly description: string;
  readonly body: Bytes;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: string;
  /** Sent in chunks, without `Content-Length`. */
  readonly isChunked: boolean;
  /** Sent twice, one after the other. */
  readonly isSentTwice: boolean;
  /** The decompressed body: `broken` if there is none, `unknown` if only a decompressor can tell. */
  readonly content: Bytes | "broken" | "unknown";
}

/** A body and its declared encoding. */
type Wire = Pick<HostileRequest, "description" | "body" | "content"> & {
  readonly encoding?: string;
};

/** Usually the first value, once in `rarity` cases one of the others. */
const usually = <T>(rarity: number, usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: rarity - 1, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );

const json = JSON.stringify(DSN);
/** The text of the header's member `dsn`; undefined: it has none. */
const dsn = usually<string | undefined>(
  5,
  json,
  ...[undefined, undefined, undefined, undefined, undefined],
  ...["null", "5", '""', '"x"', '{"toString":"x"}', `[${json}]`, json.toUpperCase()],
  ...[
    ["https", "HTTPS"],
    ["https", "http"],
    ["https", "\\u0068ttps"],
    ["o1.ingest", "O1.Ingest"],
    ["publickey", "publickey:secret"],
    ["sentry.io", "sentry.io."],
    ["sentry.io", "sentry.io:443"],
    ["sentry.io", "ſentry.io"],
    ["o1.ingest.us.sentry.io", "127.0.0.1"],
    ['"$', '\\n"'],
  ].map(([from, to]) => json.replace(new RegExp(from!), to!)),
);
const eventId = fc.oneof(
  { weight: 4, arbitrary: fc.nat(9).map((id) => `"e${id}"`) },
  { weight: 1, arbitrary: fc.constantFrom(undefined, "null", "7", '"\\ud800"', '"\u{1f41e}"') },
);
const headerMembers = fc.tuple(dsn, eventId, fc.boolean()).map(([dsn, id, sent]) => [
  ...dsn === undefined ? [] : [`"dsn":${dsn}`],
  ...id === undefined ? [] : [`"event_id":${id}`],
  ...sent ? ['"sent_at":"2026-01-01T00:00:00Z"'] : [],
]);

const anyEnvelope = hostileEnvelope(headerMembers);

/** An envelope about as large as a limit, with a compressible or incompressible payload. */
const largeEnvelope = fc.record({
  bytes: fc.oneof(
    fc.integer({ min: MAX_BYTES - 200, max: MAX_BYTES + 200 }),
    fc.integer({ min: MAX_DECODED_BYTES - 200, max: MAX_DECODED_BYTES + 200 }),
  ),
  noise: fc.boolean(),
  seed: fc.nat(9),
}).map(({ bytes, noise, seed }) => {
  const header = new TextEncoder().encode(`{"dsn":"${DSN}","made":${seed}}\n{"type":"a"}\n`);
  const whole = new Uint8Array(bytes).fill(0x61);
  if (noise) {
    for (let at = header.length; at < bytes; at++) {
      whole[at] = 0x20 + ((at * 2654435761 + seed) >>> 13) % 90;
    }
  }
  whole.set(header);
  return whole;
});

const encodingName = fc.constantFrom(...Object.keys(ENCODERS));

function encodedWire(plain: Bytes): fc.Arbitrary<Wire> {
  return encodingName.chain((encoding): fc.Arbitrary<Wire> => {
    const encode = ENCODERS[encoding] ?? ((bytes: Uint8Array) => bytes);
    const encoded = new Uint8Array(encode(plain));
    const wire = (description: string, body: Bytes, content: Wire["content"]): Wire => ({
      description: `${encoding}, ${description}`,
      body,
      content,
      encoding,
    });
    return fc.oneof(
      { weight: 4, arbitrary: fc.constant(wire("whole", encoded, plain)) },
      fc.constant({ ...wire("in capitals", encoded, plain), encoding: encoding.toUpperCase() }),
      fc.nat().map((at) =>
        wire("cut short", encoded.slice(0, at % Math.max(1, encoded.length)), "broken")
      ),
      fc.constantFrom("x", "\n", '\n{"type":"event"}\n{}\n').map((tail) =>
        wire("with bytes behind it", concat([encoded, tail]), "broken")
      ),
      mutated(fc.constant(encoded)).map((body) => wire("changed", body, "unknown")),
      fc.constant(wire("not compressed at all", plain, "unknown")),
      fc.constant(wire("compressed twice", new Uint8Array(encode(encoded)), encoded)),
      encodingName.map((other) =>
        other === encoding
          ? wire("whole", encoded, plain)
          : wire(`really ${other}`, new Uint8Array(ENCODERS[other]?.(plain) ?? plain), "unknown")
      ),
      fc.nat().map((at) => {
        const cut = at % (plain.length + 1);
        const members = [plain.subarray(0, cut), plain.subarray(cut)].map(encode);
        // Only these two formats allow several members in a row.
        const content = encoding === "gzip" || encoding === "zstd" ? plain : "broken";
        return wire("in two members", concat(members), content);
      }),
      fc.constant({ description: `${encoding}, undeclared`, body: encoded, content: encoded }),
      fc.constantFrom("x-gzip", "identity", "gzip, br", "br;q=1", "compress", "__proto__").map(
        (name) => ({ ...wire("unknown encoding", encoded, "unknown"), encoding: name }),
      ),
    );
  });
}

const wire: fc.Arbitrary<Wire> = fc.oneof(
  { weight: 12, arbitrary: anyEnvelope },
  { weight: 1, arbitrary: largeEnvelope },
).chain((plain) =>
  fc.oneof(
    fc.constant<Wire>({ description: "not compressed", body: plain, content: plain }),
    encodedWire(plain),
  )
);

const origin = usually<Record<string, string>>(
  31,
  {},
  { origin: "null" },
  { origin: "https://evil.example" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-origin" },
);

const query = usually(
  8,
  "",
  ...["?", "?x=1", "?o=1&p=42&r=us", "?r=us&o=1&p=42&p"],
  ...["?o=1&p=43&r=us", "?o=1&p=42&r=us.evil", "?o=1&p=42"],
);

/** Any hostile request. */
export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
  wire,
  origin,
  query,
  isChunked: fc.boolean(),
  isSentTwice: fc.nat(5).map((chance) => chance === 0),
}).map(({ wire: { encoding, ...body }, origin, ...rest }) => ({
  ...body,
  ...rest,
  headers: encoding === undefined ? origin : { ...origin, "content-encoding": encoding },
}));

/** Describes a request so that it can be read and sent again. */
export function describeRequest(
  { description, body, headers, query, isChunked, isSentTwice }: HostileRequest,
): string {
  const start = new TextDecoder("latin1").decode(body.subarray(0, 600));
  return [
    `${description}${isChunked ? ", in chunks" : ""}${isSentTwice ? ", sent twice" : ""}`,
    `POST /monitoring${query} ${JSON.stringify(headers)}`,
    `body, ${body.length} bytes, begins ${JSON.stringify(start)}`,
    `body in base64: ${body.toBase64()}`,
  ].join("\n");
}
