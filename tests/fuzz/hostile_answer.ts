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

const statuses = (text: string) => fc.constantFrom(...text.split(" ").map(Number));
const status = fc.oneof(
  { weight: 6, arbitrary: statuses("200 400 429") },
  { weight: 4, arbitrary: statuses("201 202 204 205 206 226 299 401 403 404 413 431 451 499") },
  { weight: 3, arbitrary: statuses("300 301 304 307 399 408 425 500 502 503 520 599") },
  // No `Response` can have these.
  { weight: 1, arbitrary: statuses("0 99 600 700 999") },
);
/** True once in so many cases. */
const onceIn = (count: number) => fc.nat(count - 1).map((chance) => chance === 0);

const body = fc.oneof(
  fc.constantFrom("", '{"id":"of the ingest"}', "<script>alert(1)</script>", "\xff\xfe\0\x01"),
  fc.constantFrom(65_536, 65_537, 150_000).map((length) => "x".repeat(length)),
);

const SURPLUS = 'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"id":"surplus"}';
const CHUNKED = "Transfer-Encoding: chunked";
const lengthOf = (text: string, more = 0) => `Content-Length: ${text.length + more}`;
const chunksOf = (text: string) =>
  text === "" ? "0\r\n\r\n" : `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;

/** How the end of a body is announced: its headers, then what is sent. */
const FRAMINGS = {
  "length": (text: string) => [lengthOf(text), text],
  "chunked": (text: string) => [CHUNKED, chunksOf(text)],
  "close": (text: string) => [text],
  "two lengths": (text: string) => [lengthOf(text), lengthOf(text, 1), text],
  "negative length": (text: string) => ["Content-Length: -1", text],
  "endless length": (text: string) => ["Content-Length: 999999999999999", text],
  "length and chunked": (text: string) => [lengthOf(text), CHUNKED, chunksOf(text)],
  "bad chunk size": (text: string) => [CHUNKED, `zz\r\n${text}`],
  "endless chunk": (text: string) => [CHUNKED, `ffffffff\r\n${text}`],
  "surplus answer": (text: string) => [lengthOf(text), text + SURPLUS],
  "surplus bytes": (text: string) => [lengthOf(text), `${text}\0\x01more`],
};
type Framing = keyof typeof FRAMINGS;
/** Those that every HTTP client reads alike. */
const PLAIN_FRAMINGS: readonly Framing[] = ["length", "chunked", "close"];

const framing = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...PLAIN_FRAMINGS) },
  { weight: 3, arbitrary: fc.constantFrom(...Object.keys(FRAMINGS) as Framing[]) },
);

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
  hasManyHeaders: onceIn(31),
  hasInterimResponse: onceIn(10),
  body,
  framing,
  /** Thousandths of the answer that are sent. */
  cut: fc.oneof(
    { weight: 5, arbitrary: fc.constant(1_000) },
    { weight: 1, arbitrary: fc.nat(999) },
  ),
  isEarly: onceIn(6),
  end: fc.constantFrom("keep", "close", "keep", "close", "reset"),
  // Rare, because each takes the relay's whole timeout.
  hangs: onceIn(61),
}).map((generated) => {
  const { status, reason, error, limits, retryAfter, framing, cut, isEarly } = generated;
  const headers = FRAMINGS[framing](generated.body);
  const payload = headers.pop()!;
  if (error !== null) headers.push(`X-Sentry-Error: ${error}`);
  if (limits !== null) headers.push(`X-Sentry-Rate-Limits: ${limits.text}`);
  if (retryAfter !== null) headers.push(`Retry-After: ${retryAfter[0]}`);
  headers.push(...generated.otherHeaders);
  if (generated.hasManyHeaders) {
    headers.push(...Array.from({ length: 900 }, (_, n) => `X-Many-${n}: ${n}`));
  }
  const lines = headers.map((header) => `${header}\r\n`).join("");
  const head = `HTTP/1.1 ${String(status).padStart(3, "0")} ${reason}\r\n${lines}\r\n`;
  const interim = generated.hasInterimResponse ? "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" : "";
  const whole = interim + head + payload;
  const isCut = cut < 1_000;

  // The client would wait for an answer whose end is not announced or never comes.
  const isEndless = framing === "close" || framing.startsWith("endless") || isCut;
  const afterwards = generated.hangs
    ? "keep"
    : isEndless && generated.end === "keep"
    ? "close"
    : generated.end as HostileAnswer["afterwards"];
  const isPlain = PLAIN_FRAMINGS.includes(framing) && !isCut &&
    !generated.hangs && afterwards !== "reset" && !(isEarly && afterwards === "close") &&
    !generated.hasInterimResponse && !FORBIDDEN.test(head.replaceAll("\r\n", "")) &&
    head.length <= MAX_COMMON_HEAD && !generated.hasManyHeaders &&
    status >= 200 && status <= 599 && ![204, 205, 304].includes(status);
  const isPassedOn = generated.body.length <= 64 * 1024;
  return {
    description: JSON.stringify({ ...generated, body: `${generated.body.length} bytes` }),
    wire: latin1(whole.slice(0, whole.length * cut / 1_000)),
    isEarly,
    afterwards,
    status,
    classification: classify(status),
    mayBeRefused: !isPlain,
    body: isPlain && isPassedOn ? latin1(generated.body) : undefined,
    rateLimitSeconds: limits?.seconds ?? (status === 429 ? retryAfter?.[1] ?? 60 : 0),
  };
});

/** An answer that every HTTP client accepts. */
export const plainAnswer = (status: number, body = status === 205 ? "" : "{}"): HostileAnswer => ({
  description: `plain ${status}`,
  wire: latin1(`HTTP/1.1 ${status} Plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
  isEarly: false,
  afterwards: "keep",
  status,
  classification: classify(status),
  mayBeRefused: false,
  body: latin1(body),
  // Without a header a 429 holds for 60 seconds.
  rateLimitSeconds: status === 429 ? 60 : 0,
});
