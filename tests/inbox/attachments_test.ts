import assert from "node:assert/strict";
import { admitted, admittedGzip, envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startInboxServer } from "./_inbox_server.ts";

/** First bytes of files, and what browsers may take them for. */
const FILES = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff, 0xe0]],
  ["image/gif", [...new TextEncoder().encode("GIF89a")]],
  ["image/webp", [...new TextEncoder().encode("RIFF1234WEBPVP8 ")]],
  ["application/octet-stream", [...new TextEncoder().encode("<svg onload=alert(1)>")]],
  ["application/octet-stream", []],
] as const;

Deno.test("?attachment=ENVELOPE.ITEM → its bytes, typed by them, never a document of this origin", async () => {
  await using server = startInboxServer();
  const filename = "a'*\"\r\nX: y/…\ud800.html";
  const items = FILES.map(([, bytes]) =>
    [{ type: "attachment", filename, content_type: "text/html" }, new Uint8Array(bytes)] as const
  );
  await server.inbox.store(admittedGzip(envelopeOf({}, ["event", {}], ...items)));
  for (const [n, [type, bytes]] of FILES.entries()) {
    const response = await fetch(`${server.url}?attachment=1.${n + 1}`);
    assert.equal(response.status, 200);
    assert.deepEqual([...await response.bytes()], bytes);
    const header = (name: string) => response.headers.get(name);
    const kind = type.startsWith("image/") ? "inline" : "attachment";
    const name = "a%27%2a%22%0D%0AX%3A%20y%2F%E2%80%A6%EF%BF%BD.html";
    assert.equal(header("content-type"), type);
    assert.equal(header("content-disposition"), `${kind}; filename*=UTF-8''${name}`);
    assert.equal(header("content-security-policy"), "sandbox; default-src 'none'");
    assert.equal(header("cross-origin-resource-policy"), "same-origin");
    assert.equal(header("x-content-type-options"), "nosniff");
    assert.equal(header("cache-control"), "no-store");
  }
});

Deno.test("attachment that is none, not stored, or asked for wrongly → 404, 422, 400", async () => {
  await using server = startInboxServer();
  await server.inbox.store(admitted(envelopeOf({}, ["event", {}])));
  await server.inbox.store({
    ...admitted(envelopeOf({})),
    bytes: new TextEncoder().encode("{"),
  });
  const answers = [
    ["1.0", 404, "attachment_not_found"],
    ["1.1", 404, "attachment_not_found"],
    ["9.0", 404, "attachment_not_found"],
    ["2.0", 422, "envelope_unreadable"],
    ...["", "1", "0.0", "1.x", "1.-1", "1.0.0"].map((wrong) =>
      [wrong, 400, "parameter_invalid"] as const
    ),
  ] as const;
  for (const [place, status, error] of answers) {
    const response = await fetch(`${server.url}?attachment=${place}`);
    assert.deepEqual([response.status, (await response.json()).error], [status, error], place);
  }
});
