import assert from "node:assert/strict";
import type { Place } from "./observe.ts";
import { Fixture } from "./testdata/fixture.ts";

Deno.test("pages and handlers are observed by their routes, assets and static files are not", async () => {
  await using fixture = await Fixture.build();
  const places: Place[] = [];
  const seen: string[] = [];
  const app = await fixture.app({
    observe(place) {
      places.push(place);
      if (place.path === "/about") return undefined;
      return (_request, answer) => {
        seen.push(place.path);
        return answer();
      };
    },
  });
  const get = async (path: string) => (await app.handler(new Request(`http://h${path}`))).text();
  for (const path of ["/", "/about", "/api/echo", "/items/7", "/icon.svg", "/nowhere"]) {
    await get(path);
  }
  for (const name of Object.keys(fixture.report.manifest.assets)) await get(`/assets/${name}`);

  assert.deepEqual(seen, ["/", "/api/echo", "/items/[id]"]);
  assert.ok(places.some(({ path, kind }) => path === "/about" && kind === "page"));
  assert.ok(places.some(({ path, kind }) => path === "/items/[id]" && kind === "handler"));
});

Deno.test("page data is a place of its own, watched by GET and HEAD apart from its page", async () => {
  await using fixture = await Fixture.build();
  const seen: string[] = [];
  const app = await fixture.app({
    aliases: { "/here": "/about" },
    observe: ({ path, kind }) =>
      kind === "handler" ? undefined : (request, answer) => {
        seen.push(`${request.method} ${path} ${kind}`);
        return answer();
      },
  });
  const ask = async (path: string, method = "GET") =>
    await (await app.handler(new Request(`http://h${path}`, { method }))).text();
  await ask("/about");
  await ask("/about?fresh-partial=true");
  await ask("/here?a=b&fresh-partial=true", "HEAD");
  await ask("/nowhere?fresh-partial=true");
  assert.deepEqual(seen, [
    "GET /about page",
    "GET /about page data",
    "HEAD /about page data",
  ]);
});

Deno.test("an observer may add a header to every answer of a page, and sees what a handler throws", async () => {
  await using fixture = await Fixture.build();
  const thrown: unknown[] = [];
  const app = await fixture.app({
    onError: () => {},
    observe: () => (_request, answer, append) => {
      try {
        const given = answer();
        if (!(given instanceof Response)) {
          return given.catch((error) => {
            thrown.push(error);
            throw error;
          });
        }
        append(given, "Server-Timing", "seen");
        append(given, "Server-Timing", "\x01");
        return given;
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    },
  });
  for (let round = 0; round < 2; round++) {
    const page = await app.handler(new Request("http://h/about"));
    // Once: a prepared answer does not gather what earlier ones were given.
    assert.equal(page.headers.get("server-timing"), "seen");
  }
  const failed = await app.handler(new Request("http://h/api/fail"));
  assert.equal(failed.status, 500);
  assert.equal(thrown.length, 1);
});
