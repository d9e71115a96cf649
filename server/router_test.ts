import assert from "node:assert/strict";
import { asksForPartial, pathOf, Router } from "./router.ts";

Deno.test("path → exactly as sent in the URL", () => {
  const cases: [string, string][] = [
    ["http://host/", "/"],
    ["http://host/a/b?c=/d#e", "/a/b"],
    ["http://host/a#b?c", "/a"],
    ["http://host:80//a", "//a"],
    ["http://host", "/"],
    ["http://host/%2e%2e/a%2Fb", "/%2e%2e/a%2Fb"],
    ["http://host/../a", "/../a"],
  ];
  for (const [url, path] of cases) assert.equal(pathOf(url), path, url);
});

Deno.test("exact paths before patterns; a second exact path → refused", () => {
  const router = new Router<string>();
  assert.equal(router.add("/a", "exact"), true);
  assert.equal(router.add("/a", "again"), false);
  router.add("/[name]", "pattern");
  router.add("/x/[first]/y/[second]", "deep");
  assert.equal(router.match("/a")?.value, "exact");
  assert.deepEqual(router.match("/b%20c"), { value: "pattern", params: { name: "b c" } });
  assert.deepEqual(router.match("/x/1/y/2")?.params, { first: "1", second: "2" });
  for (const path of ["/", "/a/", "//", "/b/c", "/%", "/x//y/2", "/x/1/z/2"]) {
    assert.equal(router.match(path), undefined, path);
  }
});

Deno.test("fresh-partial=true anywhere in the query → partial", () => {
  const cases: [string, boolean][] = [
    ["http://host/", false],
    ["http://host/?fresh-partial=true", true],
    ["http://host/?a=b&fresh-partial=true", true],
    ["http://host/?fresh-partial=true&a=b", true],
    ["http://host/?a=?&fresh-partial=true#b", true],
    ["http://host/?fresh-partial=true#b", true],
    ["http://host/fresh-partial=true", false],
    ["http://host/?fresh-partial=false", false],
    ["http://host/?fresh-partial", false],
    ["http://host/?fresh-partial=truest", false],
    ["http://host/?not-fresh-partial=true", false],
    ["http://host/?a=?fresh-partial=true", false],
  ];
  for (const [url, asks] of cases) assert.equal(asksForPartial(url), asks, url);
});
