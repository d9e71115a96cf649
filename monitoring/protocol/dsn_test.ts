import assert from "node:assert/strict";
import fc from "fast-check";
import { browserTarget, ingestUrl, isHostedIngest, parseDsn } from "./dsn.ts";

/** The words of a text between blanks. */
const words = ([text = ""]: TemplateStringsArray) => text.trim().split(/\s+/);

Deno.test("hosted DSN → its parts", () => {
  assert.deepEqual({ ...parseDsn("https://abc123@o1.ingest.us.sentry.io/42") }, {
    text: "https://abc123@o1.ingest.us.sentry.io/42",
    protocol: "https",
    publicKey: "abc123",
    host: "o1.ingest.us.sentry.io",
    path: "",
    projectId: "42",
  });
});

Deno.test("self-hosted DSN with port, path or IP address → accepted", () => {
  const { host, path, projectId } = parseDsn("http://key@sentry.example:9000/eu/a/7")!;
  assert.deepEqual([host, path, projectId], ["sentry.example:9000", "/eu/a", "7"]);
  assert.equal(parseDsn("http://key@127.0.0.1:9000/7")!.host, "127.0.0.1:9000");
  assert.equal(parseDsn("http://key@[::1]:9000/7")!.host, "[::1]:9000");
});

Deno.test("DSNs that differ in one part, letter case included → not equal, except protocol and host", () => {
  const { text } = parseDsn("https://Key@sentry.example/Path/1")!;
  assert.equal(parseDsn("HTTPS://Key@Sentry.EXAMPLE/Path/1")!.text, text);
  const others = words`
    http://Key@sentry.example/Path/1       https://key@sentry.example/Path/1
    https://Key@sentry.example/path/1      https://Other@sentry.example/Path/1
    https://Key@sentry.example.org/Path/1  https://Key@sentry.example:443/Path/1
    https://Key@sentry.example/1           https://Key@sentry.example/Path/2
    https://Key@sentry.example/Path/01`;
  for (const other of others) assert.notEqual(parseDsn(other)!.text, text, other);
});

Deno.test("ambiguous or malformed DSN → undefined", () => {
  const hosts = words`
    sentry.example. .sentry.example sentry..example sentry.example: sentry.example:0
    sentry.example:65536 sentry.example\\evil.example evil.example@sentry.example
    sentry.exämple ſentry.example o1。ingest.sentry.io 127.1 0x7f.0.0.1 2130706433 0177.0.0.1
    [::1 [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1]`;
  const paths = words`/ /abc /1/ //1 /../1 /./1 /%2e%2e/1 /1?x=2 /1#x`;
  const malformed = [
    ...hosts.map((host) => `https://key@${host}/1`),
    ...paths.map((path) => `https://key@sentry.example${path}`),
    ...words`https://sentry.example/1 https://key:secret@sentry.example/1 https:key@sentry.example/1
      ftp://key@sentry.example/1 javascript://key@sentry.example/1`,
    "",
    "https://key@sentry.example\n/1",
    " https://key@sentry.example/1",
    "https://key@sentry.example/1\n",
    `https://key@${"a".repeat(2000)}/1`,
  ];
  for (const text of malformed) assert.equal(parseDsn(text), undefined, text);
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
      assert.equal(new URL(ingestUrl(dsn)).hostname, dsn.host.replace(/:\d+$/, ""));
      assert.equal(
        ingestUrl(dsn),
        new URL(ingestUrl(dsn)).href.replace(/:\/\/[^/]*/, `://${dsn.host}`),
      );
    }),
    { numRuns: 3000 },
  );
});

Deno.test("isHostedIngest → only the two host forms of Sentry's ingest", () => {
  const isHosted = (host: string) => isHostedIngest(parseDsn(`https://key@${host}/1`)!);
  const hosted = words`o1.ingest.sentry.io o42.ingest.us.sentry.io O1.INGEST.DE.SENTRY.IO`;
  for (const host of hosted) assert.ok(isHosted(host), host);
  const others = words`o1.ingest.sentry.io.evil.example evil.o1.ingest.sentry.io
    o1.ingest.us.eu.sentry.io o1.ingest.u1.sentry.io o1.ingest.sentry.io:8443 o.ingest.sentry.io
    ox.ingest.sentry.io ingest.sentry.io sentry.io o1-ingest.sentry.io sentry.example`;
  for (const host of others) assert.ok(!isHosted(host), host);
});

Deno.test("ingestUrl → the DSN's origin and path, or another origin without the path", () => {
  const dsn = parseDsn("http://key@sentry.example:9000/path/1")!;
  assert.equal(ingestUrl(dsn), "http://sentry.example:9000/path/api/1/envelope/");
  assert.equal(ingestUrl(dsn, "http://relay.example"), "http://relay.example/api/1/envelope/");
  const otlp = "http://sentry.example:9000/path/api/1/integration/otlp/v1/logs";
  assert.equal(ingestUrl(dsn, undefined, "logs"), otlp);
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
