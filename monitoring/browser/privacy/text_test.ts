import assert from "node:assert/strict";
import fc from "fast-check";
import { knownPath, resourceAddress, scrubAddress, scrubText, withoutAttributes } from "./text.ts";

const ORIGIN = "https://page.example";
const withoutQuery = (address: string) => scrubAddress(address, ORIGIN);
const withoutQueries = (text: string) => scrubText(text, ORIGIN);

Deno.test("the page, routes and assets → keep their paths, any other is <unknown>", () => {
  for (const path of ["/", "/signal", "/monitoring/inbox", "/assets/AB-12_c.js"]) {
    assert.equal(knownPath(path), path);
    assert.equal(scrubAddress(ORIGIN + path, ORIGIN), ORIGIN + path);
  }
  for (
    const path of [
      "/reset/TOKEN",
      "/TOKEN",
      "/signal/TOKEN",
      "/123456",
      "/assets/a/TOKEN.js",
      "//TOKEN",
    ]
  ) {
    assert.equal(knownPath(path), "<unknown>");
    assert.equal(scrubAddress(`${path}?q#f`, ORIGIN), "<unknown>");
    assert.equal(scrubAddress(ORIGIN + path, ORIGIN), `${ORIGIN}/<unknown>`);
  }
  assert.equal(scrubAddress("HTTPS://Page.example/TOKEN", ORIGIN).includes("TOKEN"), false);
  // Relative to the page, and another origin's.
  assert.equal(scrubAddress("reset/TOKEN", ORIGIN), "<unknown>");
  assert.equal(scrubAddress("https://a.example/x", ORIGIN), "https://a.example/x");
});

Deno.test("unknown path within a text → <unknown>; stack frames and markup → unchanged", () => {
  assert.equal(
    scrubText(`no ${ORIGIN}/reset/TOKEN, see (${ORIGIN}/) or /reset/TOKEN.`, ORIGIN),
    `no ${ORIGIN}/<unknown> see (${ORIGIN}/) or <unknown>`,
  );
  const stack = `at App (${ORIGIN}/assets/AB12.js:1:27)\n    at div`;
  assert.equal(scrubText(stack, ORIGIN), stack);
  assert.equal(scrubText("expected </p>, either/or", ORIGIN), "expected </p>, either/or");
});

Deno.test("address → without its query and fragment", () => {
  assert.equal(withoutQuery("https://a.example/x?q=1#f"), "https://a.example/x");
  assert.equal(withoutQuery("/signal#f?g"), "/signal");
  assert.equal(withoutQuery("?q"), "");
});

Deno.test("data:, blob: or mailto: address → only its scheme", () => {
  assert.equal(withoutQuery("data:image/png;base64,AAAA"), "data:");
  assert.equal(withoutQuery("BLOB:https://page.example/1-2"), "blob:");
  assert.equal(withoutQuery("mailto:ann@example.org"), "mailto:");
});

Deno.test("addresses within a text → without their queries; other question marks → unchanged", () => {
  assert.equal(withoutQueries("GET https://a.example/x?q=1"), "GET https://a.example/x");
  assert.equal(withoutQueries("(see /signal?q=1) and/or what?"), "(see /signal and/or what?");
  assert.equal(
    withoutQueries("at f (https://a.example/a.js?v=1:2:3)"),
    "at f (https://a.example/a.js",
  );
  assert.equal(withoutQueries("got data:text/plain;x,secret end"), "got data: end");
  assert.equal(withoutQueries("plain text"), "plain text");
});

Deno.test("address with user and password → without them", () => {
  assert.equal(withoutQuery("https://ann:secret@a.example/x"), "https://a.example/x");
  assert.equal(
    withoutQueries("Failed: https://ann:secret@a.example/@x, ask ann@a.example"),
    "Failed: https://a.example/@x, ask ann@a.example",
  );
});

Deno.test("asset → its path; other code of this origin → its file extension", () => {
  assert.equal(resourceAddress(`${ORIGIN}/assets/ab12.js?v=1`, ORIGIN), "/assets/ab12.js");
  assert.equal(resourceAddress("/a.css", ORIGIN), "/*.css");
});

Deno.test("picture → its file extension and foreign origin, not its name", () => {
  assert.equal(resourceAddress(`${ORIGIN}/people/ann.PNG?w=1`, ORIGIN), "/*.png");
  assert.equal(
    resourceAddress("https://cdn.example/ann.webp", ORIGIN),
    "https://cdn.example/*.webp",
  );
  assert.equal(resourceAddress("https://cdn.example/lib.js", ORIGIN), "https://cdn.example/*.js");
  assert.equal(resourceAddress(`${ORIGIN}/ann.secret`, ORIGIN), "/*");
  assert.equal(resourceAddress("data:image/png;base64,AA", ORIGIN), "data:");
});

Deno.test("any query or fragment → nowhere in the result", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9=&%+._~-]{8,30}$/);
  fc.assert(fc.property(fc.webUrl(), word, (url, secret) => {
    fc.pre(!url.includes(secret));
    for (const address of [`${url}?${secret}`, `${url}#${secret}`]) {
      assert.ok(!withoutQuery(address).includes(secret));
      assert.ok(!withoutQueries(`GET ${address} failed`).includes(secret));
      assert.ok(!resourceAddress(address, ORIGIN).includes(secret));
    }
  }));
});

Deno.test("description of an element → without its attributes", () => {
  assert.equal(
    withoutAttributes('main > button#send.wide[type="submit"][title="Send to Ann"]'),
    "main > button#send.wide",
  );
  assert.equal(withoutAttributes("body > p"), "body > p");
});

Deno.test("attribute value with brackets and quotes → removed completely", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (label, title) => {
    const selector = `main > button.b[aria-label="${label}SECRET"][title="SECRET${title}"]`;
    assert.ok(!withoutAttributes(selector).includes("SECRET"));
  }));
});
