import assert from "node:assert/strict";
import fc from "fast-check";
import { knownPath, resourceAddress, scrubAddress, scrubText, withoutAttributes } from "./text.ts";

const ORIGIN = "https://page.example";

Deno.test("the page, routes and assets → keep their paths, any other is <unknown>", () => {
  for (const path of ["/", "/signal", "/monitoring/inbox", "/assets/AB-12_c.js"]) {
    assert.equal(knownPath(path), path);
    assert.equal(scrubAddress(ORIGIN + path, ORIGIN), ORIGIN + path);
  }
  const unknown = "/reset/TOKEN /TOKEN /signal/TOKEN /123456 /assets/a/TOKEN.js //TOKEN";
  for (const path of unknown.split(" ")) {
    assert.equal(knownPath(path), "<unknown>");
    assert.equal(scrubAddress(`${path}?q#f`, ORIGIN), "<unknown>");
    assert.equal(scrubAddress(ORIGIN + path, ORIGIN), `${ORIGIN}/<unknown>`);
  }
});

type Cases = Readonly<Record<string, readonly (readonly [input: string, output: string])[]>>;

/** A test for each reason, and its inputs with what is left of them. */
function table(what: string, scrub: (input: string) => string, cases: Cases): void {
  for (const [why, pairs] of Object.entries(cases)) {
    Deno.test(`${what} ${why}`, () => {
      for (const [input, output] of pairs) assert.equal(scrub(input), output, input);
    });
  }
}

table("address", (address) => scrubAddress(address, ORIGIN), {
  "relative to the page, or in other letters → <unknown>": [
    ["reset/TOKEN", "<unknown>"],
    ["HTTPS://Page.example/TOKEN", "HTTPS://Page.example/<unknown>"],
  ],
  "of another origin → keeps its path": [["https://a.example/x", "https://a.example/x"]],
  "with query or fragment → without them": [
    ["https://a.example/x?q=1#f", "https://a.example/x"],
    ["/signal#f?g", "/signal"],
    ["?q", ""],
  ],
  "data:, blob: or mailto: → only its scheme": [
    ["data:image/png;base64,AAAA", "data:"],
    ["BLOB:https://page.example/1-2", "blob:"],
    ["mailto:ann@example.org", "mailto:"],
  ],
  "with user and password → without them": [
    ["https://ann:secret@a.example/x", "https://a.example/x"],
  ],
});

table("text", (text) => scrubText(text, ORIGIN), {
  "with unknown paths → <unknown>": [[
    `no ${ORIGIN}/reset/TOKEN, see (${ORIGIN}/) or /reset/TOKEN.`,
    `no ${ORIGIN}/<unknown> see (${ORIGIN}/) or <unknown>`,
  ]],
  "with addresses → without their queries, users and passwords": [
    ["GET https://a.example/x?q=1", "GET https://a.example/x"],
    ["(see /signal?q=1) and/or what?", "(see /signal and/or what?"],
    ["at f (https://a.example/a.js?v=1:2:3)", "at f (https://a.example/a.js"],
    ["got data:text/plain;x,secret end", "got data: end"],
    [
      "Failed: https://ann:secret@a.example/@x, ask ann@a.example",
      "Failed: https://a.example/@x, ask ann@a.example",
    ],
  ],
  "of stack frames, markup, or without addresses → unchanged": [
    `at App (${ORIGIN}/assets/AB12.js:1:27)\n    at div`,
    "expected </p>, either/or",
    "plain text",
  ].map((text) => [text, text]),
});

table("resource", (address) => resourceAddress(address, ORIGIN), {
  "of the build → its path": [[`${ORIGIN}/assets/ab12.js?v=1`, "/assets/ab12.js"]],
  "of this origin → its file extension": [
    ["/a.css", "/*.css"],
    [`${ORIGIN}/people/ann.PNG?w=1`, "/*.png"],
    [`${ORIGIN}/ann.secret`, "/*"],
  ],
  "of another origin → origin and file extension": [
    ["https://cdn.example/ann.webp", "https://cdn.example/*.webp"],
    ["https://cdn.example/lib.js", "https://cdn.example/*.js"],
  ],
  "in a data: address → only its scheme": [["data:image/png;base64,AA", "data:"]],
});

table("selector", withoutAttributes, {
  "of an element → without its attributes": [
    [
      'main > button#send.wide[type="submit"][title="Send to Ann"]',
      "main > button#send.wide",
    ],
    ["body > p", "body > p"],
  ],
});

Deno.test("any query or fragment → nowhere in the result", () => {
  const word = fc.stringMatching(/^[A-Za-z0-9=&%+._~-]{8,30}$/);
  fc.assert(fc.property(fc.webUrl(), word, (url, secret) => {
    fc.pre(!url.includes(secret));
    for (const address of [`${url}?${secret}`, `${url}#${secret}`]) {
      assert.ok(!scrubAddress(address, ORIGIN).includes(secret));
      assert.ok(!scrubText(`GET ${address} failed`, ORIGIN).includes(secret));
      assert.ok(!resourceAddress(address, ORIGIN).includes(secret));
    }
  }));
});

Deno.test("attribute value with brackets and quotes → removed completely", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (label, title) => {
    const selector = `main > button.b[aria-label="${label}SECRET"][title="SECRET${title}"]`;
    assert.ok(!withoutAttributes(selector).includes("SECRET"));
  }));
});
