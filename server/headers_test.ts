import assert from "node:assert/strict";
import { appendHeader, pageHeaders, toResponse } from "./headers.ts";

const INLINE = { scripts: ["sha256-a", "sha256-b"], styles: ["sha256-c"] };

Deno.test("page policy → strict, inline parts by their hashes", () => {
  const headers = pageHeaders(INLINE, { connect: ["https://ingest.example:8443"] });
  assert.equal(
    headers["content-security-policy"],
    "default-src 'none'; script-src 'self' 'sha256-a' 'sha256-b'; style-src 'self' 'sha256-c'; " +
      "connect-src 'self' https://ingest.example:8443; img-src 'self'; font-src 'self'; " +
      "worker-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
      "require-trusted-types-for 'script'; trusted-types default",
  );
});

Deno.test("reports → by the policy over http, by a named endpoint too over https", () => {
  const http = pageHeaders(INLINE, { reports: "/reports" });
  assert.match(http["content-security-policy"]!, /; report-uri \/reports$/);
  assert.equal(http["reporting-endpoints"], undefined);
  const https = pageHeaders(INLINE, { https: true, reports: "/reports" });
  assert.match(https["content-security-policy"]!, /; report-uri \/reports; report-to default$/);
  assert.equal(https["reporting-endpoints"], 'default="/reports"');
});

/** The same result as a response and as parts of one. */
const forms = (status: number, headers: Record<string, string>) => [
  new Response(status === 205 ? null : "x", { status, headers }),
  { status, headers, body: "x" },
];

Deno.test("common headers → added, never replacing the handler's own", async () => {
  for (const result of forms(201, { "referrer-policy": "origin" })) {
    const response = toResponse(result, { "referrer-policy": "same-origin", "x-a": "1" });
    assert.equal(response.headers.get("Referrer-Policy"), "origin");
    assert.equal(response.headers.get("X-A"), "1");
    assert.deepEqual([response.status, await response.text()], [201, "x"]);
  }
});

Deno.test("205, which the runtime writes without an end → 204", () => {
  for (const result of forms(205, { "x-b": "2" })) {
    const { status, headers, body } = toResponse(result, { "x-a": "1" });
    assert.deepEqual([status, headers.get("x-a"), headers.get("x-b"), body], [204, "1", "2", null]);
  }
});

Deno.test("control character in a header → only that header is removed", () => {
  // `Headers` itself refuses NUL, CR and LF. A tab is valid in a value.
  const codes = [...Array(32).keys(), 127].filter((code) => ![0, 9, 10, 13].includes(code));
  for (const code of codes) {
    const value = `a${String.fromCharCode(code)}b`;
    for (const result of forms(201, { "x-bad": value, "x-good": "\t \x80\xff~" })) {
      const response = toResponse(result, { "x-a": "1" });
      appendHeader(response, "X-Later", value);
      assert.deepEqual([...response.headers.keys()], ["content-type", "x-a", "x-good"]);
    }
  }
});
