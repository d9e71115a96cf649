import assert from "node:assert/strict";
import fc from "fast-check";
import { resourceAddress, withoutQueries, withoutQuery } from "./address.ts";

const ORIGIN = "https://page.example";

Deno.test("an address loses its query and its fragment", () => {
  assert.equal(withoutQuery("https://a.example/x?q=1#f"), "https://a.example/x");
  assert.equal(withoutQuery("/x#f?g"), "/x");
  assert.equal(withoutQuery("?q"), "");
});

Deno.test("of inline and local data and of people's addresses only the scheme remains", () => {
  assert.equal(withoutQuery("data:image/png;base64,AAAA"), "data:");
  assert.equal(withoutQuery("BLOB:https://page.example/1-2"), "blob:");
  assert.equal(withoutQuery("mailto:ann@example.org"), "mailto:");
});

Deno.test("addresses within a text lose their queries, other marks stay", () => {
  assert.equal(withoutQueries("GET https://a.example/x?q=1"), "GET https://a.example/x");
  assert.equal(withoutQueries("(see /x?q=1) and/or what?"), "(see /x and/or what?");
  assert.equal(
    withoutQueries("at f (https://a.example/a.js?v=1:2:3)"),
    "at f (https://a.example/a.js",
  );
  assert.equal(withoutQueries("got data:text/plain;x,secret end"), "got data: end");
  assert.equal(withoutQueries("plain text"), "plain text");
});

Deno.test("an address loses who it logs in as", () => {
  assert.equal(withoutQuery("https://ann:secret@a.example/x"), "https://a.example/x");
  assert.equal(
    withoutQueries("Failed: https://ann:secret@a.example/@x, ask ann@a.example"),
    "Failed: https://a.example/@x, ask ann@a.example",
  );
});

Deno.test("code of this origin keeps its path", () => {
  assert.equal(resourceAddress(`${ORIGIN}/assets/ab12.js?v=1`, ORIGIN), "/assets/ab12.js");
  assert.equal(resourceAddress("/a.css", ORIGIN), "/a.css");
});

Deno.test("a picture keeps its kind and the other origin, not its name", () => {
  assert.equal(resourceAddress(`${ORIGIN}/people/ann.PNG?w=1`, ORIGIN), "/*.png");
  assert.equal(
    resourceAddress("https://cdn.example/ann.webp", ORIGIN),
    "https://cdn.example/*.webp",
  );
  assert.equal(resourceAddress("https://cdn.example/lib.js", ORIGIN), "https://cdn.example/*.js");
  assert.equal(resourceAddress(`${ORIGIN}/ann.secret`, ORIGIN), "/*");
  assert.equal(resourceAddress("data:image/png;base64,AA", ORIGIN), "data:");
});

Deno.test("whatever stands behind the question mark is nowhere in what remains", () => {
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
