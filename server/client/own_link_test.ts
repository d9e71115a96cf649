import assert from "node:assert/strict";
import { ownAddress, pageOf, partialAddress } from "./own_link.ts";

const HERE = "https://site.example/a?b=c#d";

Deno.test("address of this site, in any form → the absolute address", () => {
  const cases: [string, string][] = [
    ["/", "https://site.example/"],
    ["other", "https://site.example/other"],
    ["//site.example/x#y", "https://site.example/x#y"],
    ["HTTPS://SITE.EXAMPLE:443/", "https://site.example/"],
    [" /spaced ", "https://site.example/spaced"],
    // The same page without the fragment, or with another query.
    ["/a?b=c", "https://site.example/a?b=c"],
    ["", "https://site.example/a?b=c"],
    ["?b=d#d", "https://site.example/a?b=d#d"],
  ];
  for (const [href, address] of cases) assert.equal(ownAddress(href, HERE)?.href, address, href);
});

Deno.test("other origins, other schemes, fragments of this page → undefined", () => {
  const cases = [
    null,
    "#",
    "#other",
    "/a?b=c#",
    "https://site.example/a?b=c#other",
    "http://site.example/a",
    "https://site.example:8443/",
    "https://other.example/",
    "mailto:a@site.example",
    "javascript:void 0",
    "blob:https://site.example/0f4c",
    "data:text/html,x",
    "https://",
  ];
  for (const href of cases) assert.equal(ownAddress(href, HERE), undefined, String(href));
});

Deno.test("page → identified by path and query", () => {
  assert.equal(pageOf(new URL(HERE)), "/a?b=c");
});

Deno.test("page data → the page's address with one more parameter, query unchanged", () => {
  const cases: [string, string][] = [
    ["https://h/", "https://h/?fresh-partial=true"],
    ["https://h/a#b", "https://h/a?fresh-partial=true"],
    ["https://h/a?", "https://h/a?fresh-partial=true"],
    ["https://h/a?b=%20+c&d#e", "https://h/a?b=%20+c&d&fresh-partial=true"],
  ];
  for (const [page, data] of cases) assert.equal(partialAddress(new URL(page)).href, data);
});
