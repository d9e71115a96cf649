import assert from "node:assert/strict";
import fc from "fast-check";
import { browserTarget, ingestUrl, isHostedIngest, parseDsn } from "./dsn.ts";

Deno.test("hosted DSN → its parts", () => {
  assert.deepEqual({ ...parseDsn("https://abc123@o1.ingest.us.sentry.io/42") }, {
    text: "https://abc123@o1.ingest.us.sentry.io/42",
    protocol: "https",
    publicKey: "abc123",
    host: "o1.ingest.us.sentry.io",
    hostname: "o1.ingest.us.sentry.io",
    path: "",
    projectId: "42",
  });
});

Deno.test("self-hosted DSN with port, path or IP address → accepted", () => {
  const dsn = parseDsn("http://key@sentry.example:9000/errors/eu/7")!;
  assert.equal(dsn.host, "sentry.example:9000");
  assert.equal(dsn.hostname, "sentry.example");
  assert.equal(dsn.path, "/errors/eu");
  assert.equal(dsn.projectId, "7");
  assert.equal(parseDsn("http://key@127.0.0.1:9000/7")!.hostname, "127.0.0.1");
  assert.equal(parseDsn("http://key@[::1]:9000/7")!.host, "[::1]:9000");
});

Deno.test("letter case → ignored in protocol and host, kept in key and path", () => {
  const dsn = parseDsn("https://Key@sentry.example/Path/1")!;
  assert.equal(parseDsn("HTTPS://Key@Sentry.EXAMPLE/Path/1")!.text, dsn.text);
  assert.notEqual(parseDsn("https://key@sentry.example/Path/1")!.text, dsn.text);
  assert.notEqual(parseDsn("https://Key@sentry.example/path/1")!.text, dsn.text);
});

Deno.test("DSNs that differ in one part → not equal", () => {
  const dsn = parseDsn("https://key@sentry.example/1")!;
  for (
    const other of [
      "http://key@sentry.example/1",
      "https://other@sentry.example/1",
      "https://key@sentry.example.org/1",
      "https://key@sentry.example:443/1",
      "https://key@sentry.example/path/1",
      "https://key@sentry.example/2",
      "https://key@sentry.example/01",
    ]
  ) assert.notEqual(parseDsn(other)!.text, dsn.text);
});

Deno.test("ambiguous or malformed DSN → undefined", () => {
  for (
    const text of [
      "",
      "https://sentry.example/1",
      "https://key@sentry.example/",
      "https://key@sentry.example/abc",
      "https://key@sentry.example/1/",
      "https://key@sentry.example//1",
      "https://key:secret@sentry.example/1",
      "https://key@evil.example@sentry.example/1",
      "https://key@sentry.example/../1",
      "https://key@sentry.example/./1",
      "https://key@sentry.example/%2e%2e/1",
      "https://key@sentry.example/1?x=2",
      "https://key@sentry.example/1#x",
      "https://key@sentry.example./1",
      "https://key@.sentry.example/1",
      "https://key@sentry..example/1",
      "https://key@sentry.example:/1",
      "https://key@sentry.example:0/1",
      "https://key@sentry.example:65536/1",
      "https://key@sentry.example\\evil.example/1",
      "https://key@sentry.example\n/1",
      " https://key@sentry.example/1",
      "https://key@sentry.example/1\n",
      "https://key@sentry.exämple/1",
      "https://key@ſentry.example/1",
      "https://key@o1。ingest.sentry.io/1",
      "https://key@127.1/1",
      "https://key@0x7f.0.0.1/1",
      "https://key@2130706433/1",
      "https://key@0177.0.0.1/1",
      "https://key@[::1/1",
      "https://key@[0:0:0:0:0:0:0:1]/1",
      "https://key@[::ffff:127.0.0.1]/1",
      "ftp://key@sentry.example/1",
      "javascript://key@sentry.example/1",
      "https:key@sentry.example/1",
      `https://key@${"a".repeat(2000)}/1`,
    ]
  ) assert.equal(parseDsn(text), undefined, text);
});

Deno.test("any text → a DSN with stable canonical text, or undefined", () => {
  const nearly = fc.tuple(
    fc.constantFrom("https://", "http://", "HTTP://", "//"),
    fc.constantFrom("key@", "k:s@", "@", ""),
    fc.oneof(fc.domain(), fc.ipV4(), fc.ipV6().map((ip) => `[${ip}]`), fc.string()),
    fc.constantFrom("", ":1", ":443", ":99999"),
    fc.oneof(fc.constantFrom("", "/a", "/.."), fc.webPath()),
    fc.constantFrom("/1", "/", "/x"),
  ).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.oneof(fc.string(), nearly), (text) => {
      const dsn = parseDsn(text);
      if (dsn === undefined) return;
      assert.deepEqual(parseDsn(dsn.text), dsn);
      assert.equal(new URL(ingestUrl(dsn)).hostname, dsn.hostname);
      assert.equal(
        ingestUrl(dsn),
        new URL(ingestUrl(dsn)).href.replace(/:\/\/[^/]*/, `://${dsn.host}`),
      );
    }),
    { numRuns: 3000 },
  );
});

Deno.test("isHostedIngest → only the two host forms of Sentry's ingest", () => {
  for (const host of ["o1.ingest.sentry.io", "o42.ingest.us.sentry.io", "O1.INGEST.DE.SENTRY.IO"]) {
    assert.ok(isHostedIngest(parseDsn(`https://key@${host}/1`)!), host);
  }
  for (
    const host of [
      "o1.ingest.sentry.io.evil.example",
      "evil.o1.ingest.sentry.io",
      "o1.ingest.us.eu.sentry.io",
      "o1.ingest.u1.sentry.io",
      "o1.ingest.sentry.io:8443",
      "o.ingest.sentry.io",
      "ox.ingest.sentry.io",
      "ingest.sentry.io",
      "sentry.io",
      "o1-ingest.sentry.io",
      "sentry.example",
    ]
  ) assert.ok(!isHostedIngest(parseDsn(`https://key@${host}/1`)!), host);
});

Deno.test("ingestUrl → the DSN's origin and path, or another origin without the path", () => {
  const dsn = parseDsn("http://key@sentry.example:9000/path/1")!;
  assert.equal(ingestUrl(dsn), "http://sentry.example:9000/path/api/1/envelope/");
  assert.equal(ingestUrl(dsn, "http://relay.example"), "http://relay.example/api/1/envelope/");
});

Deno.test("tunnel rule → hosted ingest through the own origin, self-hosted directly", () => {
  const hosted = parseDsn("https://key@o1.ingest.de.sentry.io/1")!;
  const selfHosted = parseDsn("https://key@sentry.example:8443/path/1")!;
  assert.deepEqual(browserTarget(hosted, "hosted", "/m"), {
    tunnel: "/m",
    ingestOrigin: "https://o1.ingest.de.sentry.io",
  });
  assert.deepEqual(browserTarget(selfHosted, "hosted", "/m"), {
    tunnel: undefined,
    ingestOrigin: "https://sentry.example:8443",
  });
  assert.equal(browserTarget(selfHosted, "always", "/m").tunnel, "/m");
  assert.equal(browserTarget(hosted, "never", "/m").tunnel, undefined);
});
