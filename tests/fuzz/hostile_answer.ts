/** Generates hostile answers of an ingest, each with the effects that it may have on clients. */
import fc from "fast-check";

/** How the relay classifies an answer, by its status alone. */
export type Classification = "delivered" | "rejected" | "rate_limited" | "undecided";

/** The bytes of an answer, and the allowed effects. */
export interface HostileAnswer {
  /** How it was generated, for the message of a failure. */
  readonly description: string;
  readonly wire: Uint8Array<ArrayBuffer>;
  /** Written before the request has been read to its end. */
  readonly isEarly: boolean;
  /** What happens to the connection. If it is kept after half an answer, the relay has to time out. */
  readonly afterwards: "keep" | "close" | "reset";
  readonly status: number;
  /** By an HTTP client that accepts the answer. */
  readonly classification: Classification;
  /** Whether an HTTP client may refuse the answer, which then counts as undecided. */
  readonly mayBeRefused: boolean;
  /** The body that reaches the client; undefined if HTTP clients may read different ones. */
  readonly body: Uint8Array<ArrayBuffer> | undefined;
  /** Seconds for which the relay may send no errors afterwards; 0: no limit. */
  readonly rateLimitSeconds: number;
}

const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const HOUR_S = 3_600;

/** Characters that are valid in no header value: a strict client refuses the answer, a lenient one reads it. */
const FORBIDDEN = /[^\t\x20-\x7e\x80-\xff]/;
/** Heads up to this length are accepted by every HTTP client: Node's limit is 16 KiB. */
const MAX_COMMON_HEAD = 12_000;

/** `[text, seconds]`; undefined: not readable, so the limit is no limit. */
const limitTime = fc.constantFrom<[string, number | undefined]>(
  ["60", 60],
  ["0.5", 0.5],
  ["0", 0],
  ["3600", HOUR_S],
  ["86400", HOUR_S],
  ["1000000000000", HOUR_S],
  ["9".repeat(400), HOUR_S],
  ["-1", undefined],
  ["NaN", undefined],
  ["Infinity", undefined],
  ["1e9", undefined],
  ["0x9", undefined],
  ["", undefined],
  ["6\x010", undefined],
);
/** `[text, whether it holds errors]`; undefined: none of its names can be one. */
const limitCategories = fc.constantFrom<[string, boolean | undefined]>(
  ["error", true],
  ["", true],
  [";;", true],
  ["transaction;error", true],
  ["<b>;error;\x7f", true],
  ["transaction", false],
  ["made_up", false],
  [Array.from({ length: 300 }, (_, n) => `made_up_${n}`).join(";"), false],
  ["x".repeat(5_000), undefined],
  ["er\x1bror", undefined],
);
const limitRest = fc.constantFrom(
  "",
  ":key",
  ":organization:quota:custom",
  ":k\x01ey:<script>",
  ":a:b:c:d:e:f",
  `:${"s".repeat(3_000)}`,
);
const oneLimit = fc.tuple(limitTime, limitCategories, limitRest).map(
  ([[time, seconds], [categories, holds], rest]) => ({
    text: `${time}:${categories}${rest}`,
    seconds: holds === undefined ? undefined : seconds,
    holds: holds ?? false,
  }),
);
/** The header's text, and the longest of its limits on errors; undefined: nothing in it can be read. */
const rateLimits = fc.oneof(
  { weight: 8, arbitrary: fc.array(oneLimit, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: oneLimit.map((limit) => Array.from({ length: 500 }, () => limit)) },
).map((limits) => {
  const read = limits.filter(({ seconds }) => seconds !== undefined);
  const held = read.filter(({ holds }) => holds).map(({ seconds = 0 }) => seconds);
  return {
    text: limits.map(({ text }) => text).join(", "),
    seconds: read.length === 0 ? undefined : Math.max(0, ...held),
  };
});

/** `[text, seconds]`; the clock of these runs is in 2026. */
const retryAfter = fc.constantFrom<[string, number | undefined]>(
  ["7", 7],
  ["0", 1],
  ["1000000000000", HOUR_S],
  ["9".repeat(400), HOUR_S],
  ["Fri, 31 Dec 9999 23:59:59 GMT", HOUR_S],
  ["Thu, 01 Jan 1970 00:00:00 GMT", 1],
  ["-5", undefined],
  ["NaN", undefined],
  ["soon", undefined],
  ["\x01", undefined],
);

const errorText = fc.oneof(
  fc.constantFrom(
    "no such project",
    "",
    "\x1b[2J\x1b[31mowned",
    "\x7f",
    "\xc3\xa9\x9b",
    "<script>",
  ),
  fc.constant("long ".repeat(1_500)),
  fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)) })
    .map((text) => text.replaceAll(/[\r\n]/g, "")),
);

/** Headers of which nothing may reach the client, and one that only ends the connection. */
const otherHeader = fc.constantFrom(
  "Set-Cookie: a=b",
  "Location: https://evil.example/",
  "Access-Control-Allow-Origin: *",
  "X-Relay-Outcome: stored",
  "Content-Encoding: gzip",
  "Content-Type: text/html",
  "Content-Type: application/json\x01",
  "Content-Security-Policy: none",
  "Connection: close",
  "Keep-Alive: timeout=0",
  "Upgrade: h2c",
);

const status = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(200, 400, 429) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      201,
      202,
      204,
      205,
      206,
      226,
      299,
      401,
      403,
      404,
      413,
      431,
      451,
      499,
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(300, 301, 304, 307, 399, 408, 425, 500, 502, 503, 520, 599),
  },
  // Statuses that no `Response` can have.
  { weight: 1, arbitrary: fc.constantFrom(0, 99, 600, 700, 999) },
);

const body = fc.oneof(
  fc.constantFrom("", '{"id":"of the ingest"}', "<script>alert(1)</script>", "\xff\xfe\0\x01"),
  fc.constantFrom(65_536, 65_537, 150_000).map((length) => "x".repeat(length)),
);

/** How the end of the body is announced, correctly or not. */
const framing = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("length", "chunked", "close") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "two lengths",
      "negative length",
      "endless length",
      "length and chunked",
      "bad chunk size",
      "endless chunk",
      "surplus answer",
      "surplus bytes",
    ),
  },
);
type Framing = typeof framing extends fc.Arbitrary<infer T> ? T : never;

const SURPLUS = 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"id":"surplus"}';

/** Headers and payload of a body. */
function framed(how: Framing, text: string): { headers: string[]; payload: string } {
  const length = `Content-Length: ${text.length}`;
  const chunked = "Transfer-Encoding: chunked";
  const chunks = text === "" ? "0\r\n\r\n" : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  switch (how) {
    case "chunked":
      return { headers: [chunked], payload: chunks };
    case "close":
      return { headers: [], payload: text };
    case "two lengths":
      return { headers: [length, `Content-Length: ${text.length + 1}`], payload: text };
    case "negative length":
      return { headers: ["Content-Length: -1"], payload: text };
    case "endless length":
      return { headers: ["Content-Length: 999999999999999"], payload: text };
    case "length and chunked":
      return { headers: [length, chunked], payload: chunks };
    case "bad chunk size":
      return { headers: [chunked], payload: `zz\r\n${text}` };
    case "endless chunk":
      return { headers: [chunked], payload: `ffffffff\r\n${text}` };
    case "surplus answer":
      return { headers: [length], payload: text + SURPLUS };
    case "surplus bytes":
      return { headers: [length], payload: `${text}\0\x01more` };
    default:
      return { headers: [length], payload: text };
  }
}

function classify(status: number): Classification {
  if (status === 429) return "rate_limited";
  if (status >= 200 && status < 300) return "delivered";
  if (status < 400 || status >= 500 || status === 408 || status === 425) return "undecided";
  return "rejected";
}

/** Any hostile answer. */
export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc.record({
  status,
  reason: fc.constantFrom("OK", "", "\x1b[31m", "\xe9", "long ".repeat(200)),
  error: fc.option(errorText),
  limits: fc.option(rateLimits),
  retryAfter: fc.option(retryAfter),
  otherHeaders: fc.array(otherHeader, { maxLength: 3 }),
  hasManyHeaders: fc.nat(30).map((chance) => chance === 0),
  hasInterimResponse: fc.nat(9).map((chance) => chance === 0),
  body,
  framing,
  /** Thousandths of the answer that are sent; undefined: all. */
  cut: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, {
    weight: 1,
    arbitrary: fc.nat(999),
  }),
  isEarly: fc.nat(5).map((chance) => chance === 0),
  end: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("keep", "close") },
    { weight: 2, arbitrary: fc.constant("reset") },
  ),
  // Rare, because each takes the relay's whole timeout.
  hangs: fc.nat(60).map((chance) => chance === 0),
}).map((generated) => {
  const { status, reason, error, limits, retryAfter, framing, cut, isEarly } = generated;
  const { headers, payload } = framed(framing, generated.body);
  if (error !== null) headers.push(`X-Sentry-Error: ${error}`);
  if (limits !== null) headers.push(`X-Sentry-Rate-Limits: ${limits.text}`);
  if (retryAfter !== null) headers.push(`Retry-After: ${retryAfter[0]}`);
  headers.push(...generated.otherHeaders);
  if (generated.hasManyHeaders) {
    headers.push(...Array.from({ length: 900 }, (_, n) => `X-Many-${n}: ${n}`));
  }
  const code = String(status).padStart(3, "0");
  const head = `HTTP/1.1 ${code} ${reason}\r\n${headers.join("\r\n")}${
    headers.length > 0 ? "\r\n" : ""
  }\r\n`;
  const interim = generated.hasInterimResponse ? "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" : "";
  const whole = interim + head + payload;
  const wire = latin1(
    whole.slice(0, cut === undefined ? whole.length : whole.length * cut / 1_000),
  );

  // The client would wait for an answer whose end is not announced or never comes.
  const isEndless = framing === "close" || framing.startsWith("endless") || cut !== undefined;
  const afterwards = generated.hangs
    ? "keep"
    : isEndless && generated.end === "keep"
    ? "close"
    : generated.end;
  const isPlain = ["length", "chunked", "close"].includes(framing) && cut === undefined &&
    !generated.hangs && afterwards !== "reset" && !(isEarly && afterwards === "close") &&
    !generated.hasInterimResponse && !FORBIDDEN.test(head.replaceAll("\r\n", "")) &&
    head.length <= MAX_COMMON_HEAD && !generated.hasManyHeaders &&
    status >= 200 && status <= 599 &&
    !(status === 204 || status === 205 || status === 304);
  const seconds = limits?.seconds ?? (status === 429 ? retryAfter?.[1] ?? 60 : 0);
  const isPassedOn = generated.body.length <= 64 * 1024;
  return {
    description: JSON.stringify({ ...generated, body: `${generated.body.length} bytes` }),
    wire,
    isEarly,
    afterwards,
    status,
    classification: classify(status),
    mayBeRefused: !isPlain,
    body: isPlain && isPassedOn ? latin1(generated.body) : undefined,
    rateLimitSeconds: seconds,
  };
});

/** An answer that every HTTP client accepts. */
export function plainAnswer(status: number): HostileAnswer {
  const body = latin1("{}");
  return {
    description: `plain ${status}`,
    wire: latin1(`HTTP/1.1 ${status} Plain\r\nContent-Length: 2\r\n\r\n{}`),
    isEarly: false,
    afterwards: "keep",
    status,
    classification: status === 429
      ? "rate_limited"
      : status >= 500
      ? "undecided"
      : status >= 400
      ? "rejected"
      : "delivered",
    mayBeRefused: false,
    body,
    // Without a header a 429 holds for 60 seconds.
    rateLimitSeconds: status === 429 ? 60 : 0,
  };
}
