import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import {
  admitted,
  envelopeOf,
  eventEnvelope,
  hexId,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import { type Format, FORMATS } from "../../monitoring/protocol/format.ts";
import { archiveHeader, archiveItem } from "../../monitoring/protocol/inbox_archive.ts";
import { joinBytes } from "../../monitoring/protocol/join_bytes.ts";
import { readEnvelope } from "../../monitoring/protocol/scanner.ts";
import type { Inbox } from "../../monitoring/inbox/inbox.ts";
import { ENCODERS } from "../harness/encoders.ts";
import { TcpClient } from "../harness/tcp_client.ts";
import { until } from "../harness/until.ts";
import { type InboxServer, startInboxServer } from "./_inbox_server.ts";
import { sendRaw } from "../harness/send_raw.ts";

interface Sent {
  readonly receivedAt: number;
  readonly format?: Format;
  readonly encoding: string | null;
  readonly plain: Uint8Array<ArrayBuffer>;
}

/** Stores an envelope as the relay does. */
async function storeEncoded(
  inbox: Inbox,
  { receivedAt, format, encoding, plain }: Sent,
): Promise<void> {
  const bytes = encoding === null ? plain : new Uint8Array(ENCODERS[encoding]!(plain));
  const envelope = admitted(plain, receivedAt);
  await inbox.store({ ...envelope, format, bytes, contentEncoding: encoding });
}

/** The content of the inbox, oldest first, without ids, which change with an import. */
function contents(inbox: Inbox) {
  return inbox.list({ since: 0, limit: 500 }).envelopes.map(({ id, ...row }) => {
    const { bytes, contentEncoding, format } = inbox.bytes(id)!;
    return { ...row, contentEncoding, format, body: [...bytes] };
  });
}

const exportFrom = async ({ url }: InboxServer) =>
  new Uint8Array(await (await fetch(`${url}?export`)).arrayBuffer());

async function importInto({ url }: InboxServer, archive: Uint8Array<ArrayBuffer>, headers = {}) {
  const response = await fetch(`${url}?import`, { method: "POST", body: archive, headers });
  return { status: response.status, ...await response.json() };
}

/** An archive of these bodies. */
function archiveOf(
  bodies: readonly Uint8Array[],
  contentEncoding: string | null = null,
): Uint8Array<ArrayBuffer> {
  const chunks = bodies.flatMap((bytes, n) =>
    archiveItem({ bytes, receivedAt: 1_000 + n, contentEncoding })
  );
  const all = [archiveHeader(bodies.length), ...chunks];
  return joinBytes(all, all.reduce((sum, { length }) => sum + length, 0)) as Uint8Array<
    ArrayBuffer
  >;
}

Deno.test("export, clear, import → same bodies, byte for byte; again → present", async () => {
  await using server = startInboxServer();
  const payload = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => new Uint8Array(bytes)),
    fc.jsonValue(),
  );
  const sent = fc.record({
    receivedAt: fc.nat({ max: 1_795_000_000_000 }),
    format: fc.constantFrom(...FORMATS),
    encoding: fc.constantFrom(null, "gzip" as const, "deflate" as const, "br" as const, "zstd"),
    plain: fc.array(fc.tuple(fc.constantFrom("event", "log", "a future type"), payload), {
      minLength: 1,
      maxLength: 3,
    }).map((items) => envelopeOf({ event_id: hexId(1) }, ...items)),
  }) as fc.Arbitrary<Sent>;
  await fc.assert(
    fc.asyncProperty(fc.array(sent, { maxLength: 8 }), async (envelopes) => {
      server.inbox.clear();
      // Equal envelopes are imported once.
      const unique = new Map(envelopes.map((one) => [`${one.receivedAt} ${one.plain}`, one]));
      for (const envelope of unique.values()) await storeEncoded(server.inbox, envelope);
      const before = contents(server.inbox);
      const archive = await exportFrom(server);
      server.inbox.clear();
      const result = await importInto(server, archive);
      const expected = { status: 200, taken: before.length, present: 0, refused: 0, reasons: [] };
      assert.deepEqual(result, expected);
      assert.deepEqual(contents(server.inbox), before);
      const again = await importInto(server, archive);
      assert.deepEqual([again.taken, again.present], [0, before.length]);
    }),
    { numRuns: 60 },
  );
});

Deno.test("envelope arrives during an export → not in the archive", async () => {
  await using server = startInboxServer({ maxBytes: 64 * 1024 * 1024 });
  await server.store(...Array.from({ length: 450 }, (_, n) => n));
  const response = await fetch(`${server.url}?export`);
  await server.store(1_000, 1_001);
  const { header, items } = readEnvelope(new Uint8Array(await response.arrayBuffer()));
  assert.equal(header.envelopes, 450);
  assert.deepEqual(items.map(({ payload }) => payload).at(-1), eventEnvelope(449));
  assert.equal(items.length, 450);
});

Deno.test("inbox cleared during an export → download fails", async () => {
  await using server = startInboxServer({ maxBytes: 64 * 1024 * 1024 });
  // More than socket buffers hold.
  for (let n = 0; n < 30; n++) {
    const plain = envelopeOf({}, ["attachment", new Uint8Array(1024 * 1024)]);
    await storeEncoded(server.inbox, { receivedAt: n, encoding: null, plain });
  }
  const response = await fetch(`${server.url}?export`);
  server.inbox.clear();
  await assert.rejects(response.arrayBuffer());
});

Deno.test("import without room → refused, nothing evicted", async () => {
  const size = eventEnvelope(1).byteLength;
  await using server = startInboxServer({ maxBytes: size * 2 });
  await server.store(1);
  const result = await importInto(server, archiveOf([eventEnvelope(2), eventEnvelope(3)]));
  assert.deepEqual([result.taken, result.refused], [1, 1]);
  assert.match(result.reasons[0].reason, /no room/);
  assert.deepEqual(
    server.inbox.list({ since: 0, limit: 9 }).envelopes.map((row) => row.event_id),
    [hexId(1), hexId(2)],
  );
});

Deno.test("import without room for its index entries → refused, nothing evicted", async () => {
  await using server = startInboxServer({ maxBytes: 64 * 1024 * 1024 });
  await server.store(1);
  const log = { body: "b".repeat(1_900), attributes: { a: "c".repeat(490), d: "e".repeat(490) } };
  const logs = envelopeOf({}, ["log", { items: Array(1_000).fill(log) }]);
  const { taken, refused, reasons } = await importInto(
    server,
    archiveOf(Array(30).fill(gzipSync(logs)), "gzip"),
  );
  assert.equal(taken + refused, 30);
  assert.ok(taken > 0 && refused > 0, `${taken} taken, ${refused} refused`);
  assert.match(reasons[0].reason, /no room/);
  assert.deepEqual(server.inbox.list({ since: 0, limit: 1 }).envelopes[0]?.event_id, hexId(1));
  assert.equal(server.inbox.extent().envelopes, 1 + taken);
});

Deno.test("import of envelopes that may not be posted → each refused with a reason, 20 reasons", async () => {
  await using server = startInboxServer({ maxEnvelopeBytes: 10_000 });
  const large = envelopeOf({}, ["event", { message: "x".repeat(10_000) }]);
  const broken = new TextEncoder().encode('{}\n{"type":"event","length":9}\n{}');
  const bodies = [large, broken, envelopeOf({}, ["event", {}]), ...Array(30).fill(broken)];
  const plain = await importInto(server, archiveOf(bodies));
  const bomb = gzipSync(envelopeOf({}, ["attachment", new Uint8Array(200_000)]));
  const zipped = await importInto(server, archiveOf([bomb, eventEnvelope(1)], "gzip"));
  assert.deepEqual([plain.taken, plain.refused, plain.reasons.length], [1, 32, 20]);
  assert.deepEqual([zipped.taken, zipped.refused], [0, 2]);
  const reasons = [...plain.reasons.slice(0, 2), ...zipped.reasons];
  assert.deepEqual(reasons.map(({ envelope }) => envelope), [1, 2, 1, 2]);
  const expected = [
    /has \d+ bytes; at most 10000 are accepted/,
    /ends 7 bytes before its length/,
    /larger than 100000 bytes once decompressed/,
    /not whole, valid gzip/,
  ];
  expected.forEach((reason, n) => assert.match(reasons[n].reason, reason));
});

Deno.test("incomplete archive → complete envelopes imported, 400 with the position", async () => {
  await using server = startInboxServer();
  const whole = archiveOf([eventEnvelope(1), eventEnvelope(2)]);
  const cut = await importInto(server, whole.subarray(0, whole.length - 20));
  assert.deepEqual([cut.status, cut.error, cut.taken], [400, "archive_malformed", 1]);
  assert.match(cut.detail, /ends \d+ bytes before its length \(at byte \d+\)/);
  // Cut between two envelopes: the framing is valid, the count is wrong.
  const [header, ...first] = [
    archiveHeader(2),
    ...archiveItem({
      bytes: eventEnvelope(3),
      receivedAt: 1,
      contentEncoding: null,
    }),
  ];
  const short = await importInto(
    server,
    new Uint8Array(await new Blob([header!, ...first as Uint8Array<ArrayBuffer>[]]).arrayBuffer()),
  );
  assert.deepEqual([short.status, short.taken], [400, 1]);
  assert.match(short.detail, /ends after 1 of 2 envelopes/);
});

Deno.test("anything but an archive → 400 with a message", async () => {
  await using server = startInboxServer();
  const whole = new TextDecoder().decode(archiveOf([eventEnvelope(1)]));
  const cases: readonly [body: string, detail: RegExp, taken?: number][] = [
    ["", /needs a header line/],
    ['{"event_id":"a"}\n{"type":"event"}\n{}', /not an export of an inbox/],
    ['{"sightglass_inbox":2}\n', /version of the archive is not 1/],
    ['{"sightglass_inbox":1}\n{"type":"envelope"}\n{}', /must have a length/],
    ["x".repeat(70_000), /longer than 65536 bytes/],
    [`${whole}no header\n`, /header/, 1],
  ];
  for (const [body, detail, taken = 0] of cases) {
    const result = await importInto(server, new TextEncoder().encode(body));
    assert.deepEqual([result.status, result.error], [400, "archive_malformed"], body);
    assert.equal(result.taken, taken, body);
    assert.match(result.detail, detail);
  }
});

Deno.test("items of other types in an archive → ignored", async () => {
  await using server = startInboxServer();
  const archive = new TextEncoder().encode(
    '{"sightglass_inbox":1}\n{"type":"note","length":2}\nhi\n\n' +
      '{"type":"envelope","length":3,"received_at":5}\n{}\n\n',
  );
  const result = await importInto(server, archive);
  assert.deepEqual([result.status, result.taken, result.refused], [200, 1, 0]);
});

Deno.test("import by another origin or machine → 403; compressed → 415", async () => {
  await using server = startInboxServer();
  const archive = archiveOf([eventEnvelope(1)]);
  for (const origin of ["https://evil.example", "null", `http://localhost:${server.port}`]) {
    const result = await importInto(server, archive, { Origin: origin });
    assert.deepEqual([result.status, result.error], [403, "origin_not_allowed"], origin);
  }
  const own = await importInto(server, archive, { Origin: `http://127.0.0.1:${server.port}` });
  assert.equal(own.status, 200);
  const compressed = await importInto(server, archive, { "Content-Encoding": "gzip" });
  assert.deepEqual([compressed.status, compressed.error], [415, "encoding_not_supported"]);
  await using far = startInboxServer({ peer: "203.0.113.9" });
  assert.equal((await fetch(`${far.url}?export`)).status, 403);
  assert.equal((await importInto(far, archive)).status, 403);
});

/** Sends a byte now and then after `first`, until there is an answer. Not by `fetch`, which waits for its body to end. */
async function trickle(port: number, query: string, first: Uint8Array): Promise<string> {
  using client = await TcpClient.connect(port);
  const head = `POST /monitoring/inbox?${query} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  await client.send(`${head}Content-Length: 99999\r\n\r\n`);
  await client.send(first);
  const timer = setInterval(() => void client.send(" "), 20);
  return await client.answer().finally(() => clearInterval(timer));
}

Deno.test("imports and maps that trickle → ended at the minimum rate, with a message", async () => {
  await using server = startInboxServer({ importTimeoutMs: 300 });
  const archive = await trickle(server.port, "import", archiveHeader(1));
  assert.match(archive, /^HTTP\/1.1 400 /);
  assert.match(archive, /The upload was too slow \(at byte \d+\)\./);
  const map = await trickle(server.port, "maps", new TextEncoder().encode("{"));
  assert.match(map, /^HTTP\/1.1 400 /);
  assert.match(map, /The upload was too slow\./);
});

Deno.test("slow import, another upload waits → the slow one ends, the other is taken", async () => {
  await using server = startInboxServer();
  const slow = trickle(server.port, "import", archiveHeader(1));
  let isBusy = false;
  await until("the other import is taken after the slow one was seen", async () => {
    const { status } = await importInto(server, archiveOf([eventEnvelope(1)]));
    const wasBusy = isBusy;
    isBusy ||= status === 503;
    return wasBusy && status === 200;
  });
  assert.match(await slow, /^HTTP\/1.1 400 /);
});

Deno.test("received_at out of range → refused", async () => {
  await using server = startInboxServer();
  const tomorrow = Date.now() + 25 * 3_600_000;
  for (const receivedAt of [1e15, tomorrow, 2 ** 53, -1, 1.5, "1", null, undefined]) {
    const [header, body] = archiveItem({
      bytes: eventEnvelope(1),
      receivedAt: receivedAt as number,
      contentEncoding: null,
    });
    const chunks = [archiveHeader(1), header, body] as Uint8Array<ArrayBuffer>[];
    const archive = new Uint8Array(await new Blob(chunks).arrayBuffer());
    const { refused, reasons } = await importInto(server, archive);
    assert.equal(refused, 1, String(receivedAt));
    assert.match(
      reasons[0].reason,
      /^Its received_at \(.*\) is not a time .* since 1970, at most a day ahead of this server/,
    );
  }
});

Deno.test("HEAD of an export → file name, no body", async () => {
  await using server = startInboxServer();
  const answer = await sendRaw(server.port, "HEAD", "/monitoring/inbox?export");
  assert.equal(answer.status, 200);
  assert.match(
    answer.headers.get("content-disposition") ?? "",
    /^attachment; filename="sightglass-[\dT-]+Z\.envelope"$/,
  );
  assert.equal(answer.body.length, 0);
});
