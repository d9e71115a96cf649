import assert from "node:assert/strict";
import fc from "fast-check";
import { ResponseError, ResponseReader } from "./response_reader.ts";

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const text = (body: Uint8Array | undefined) => body && String.fromCharCode(...body);

/** Parses a response in chunks that end at `cuts`. `rest`: bytes that do not belong to it. */
function read(answer: string, cuts: readonly number[] = [], maxBody = 1000) {
  const reader = new ResponseReader(maxBody);
  const all = bytes(answer);
  let at = 0;
  for (const cut of [...cuts, all.length].sort((a, b) => a - b)) {
    while (at < Math.min(cut, all.length)) {
      const taken = reader.push(all.subarray(at, cut));
      at += taken;
      if (reader.isComplete) return { reader, rest: all.length - at };
    }
  }
  return { reader, rest: all.length - at };
}

const RESPONSES: Record<
  string,
  [answer: string, status: number, body: string, keepsAlive: boolean]
> = {
  "by Content-Length": ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello", true],
  "in chunks, with extensions and trailers": [
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
    "3;why=not\r\nhel\r\n2\r\nlo\r\n0\r\nX-Late: yes\r\n\r\n",
    200,
    "hello",
    true,
  ],
  "without a body: 204": ["HTTP/1.1 204 No Content\r\n\r\n", 204, "", true],
  "of no bytes": ["HTTP/1.1 503 \r\ncontent-length: 0\r\n\r\n", 503, "", true],
  "after interim answers": [
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" +
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    true,
  ],
  "that closes": [
    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    false,
  ],
  "of HTTP/1.0": ["HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", 200, "ok", false],
  "with bare line feeds": ["HTTP/1.1 429 Slow\nContent-Length: 2\n\nok", 429, "ok", true],
  "with one length twice": [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
    200,
    "ok",
    true,
  ],
};

for (const [name, [answer, status, body, keepsAlive]] of Object.entries(RESPONSES)) {
  Deno.test(`response ${name}, in chunks of any size → parsed`, () => {
    fc.assert(fc.property(fc.array(fc.nat(answer.length)), (cuts) => {
      const { reader, rest } = read(`${answer}tail`, cuts);
      assert.deepEqual([reader.response?.status, text(reader.response?.body)], [status, body]);
      assert.equal(reader.keepsAlive, keepsAlive);
      assert.equal(rest, "tail".length);
    }));
  });
}

Deno.test("body without a length → complete when the connection ends", () => {
  const { reader } = read("HTTP/1.1 200 OK\r\n\r\nhel");
  assert.equal(reader.response?.body, undefined);
  reader.push(bytes("lo"));
  reader.end();
  assert.equal(text(reader.response?.body), "hello");
  assert.equal(reader.keepsAlive, false);
});

Deno.test("body breaks off → no body, but the status counts", () => {
  for (const head of ["Content-Length: 9", "Transfer-Encoding: chunked"]) {
    const { reader } = read(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n3\r\nhel`);
    reader.end();
    assert.deepEqual(reader.response?.status, 200);
    assert.equal(reader.response?.body, undefined);
    assert.equal(reader.keepsAlive, false);
  }
});

Deno.test("head incomplete → no response", () => {
  const { reader } = read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n");
  reader.end();
  assert.equal(reader.response, undefined);
  assert.ok(reader.hasBegun);
});

Deno.test("body over the limit → discarded, connection stays usable", () => {
  const { reader } = read(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${"x".repeat(5000)}`);
  assert.equal(reader.response?.body, undefined);
  assert.ok(reader.keepsAlive);
});

Deno.test("header values → one character for each byte; repeated headers are joined", () => {
  const { reader } = read("HTTP/1.1 200 OK\r\nX-A: \xfc\r\nX-A:2\r\nContent-Length: 0\r\n\r\n");
  assert.equal(reader.response?.headers.get("x-a"), "\xfc, 2");
});

const BROKEN = {
  "no status line": "SSH-2.0-OpenSSH\r\n\r\n",
  "another version": "HTTP/2 200\r\n\r\n",
  "a header without a name": "HTTP/1.1 200 OK\r\n: x\r\n\r\n",
  "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n",
  "a length that is no number": "HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\n",
  "a chunk size that is no number": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
  "a chunk that is longer than it says":
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n",
  "a head without end": `HTTP/1.1 200 OK\r\nX: ${"x".repeat(70_000)}`,
};
for (const [name, answer] of Object.entries(BROKEN)) {
  Deno.test(`${name} → ResponseError`, () => {
    assert.throws(() => read(answer), ResponseError);
  });
}

Deno.test("any bytes → a response or ResponseError", () => {
  const part = fc.oneof(
    fc.constantFrom(...Object.values(RESPONSES).map(([answer]) => answer), "\r\n", "0\r\n\r\n"),
    fc.string({ unit: "binary-ascii" }),
  );
  fc.assert(fc.property(fc.array(part, { maxLength: 5 }), fc.array(fc.nat(300)), (parts, cuts) => {
    try {
      read(parts.join(""), cuts).reader.end();
    } catch (error) {
      assert.ok(error instanceof ResponseError);
    }
  }));
});
