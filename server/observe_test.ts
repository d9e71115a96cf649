import assert from "node:assert/strict";
import type { ObservedRoute } from "./endpoint.ts";
import { Fixture } from "./testdata/fixture.ts";

const fixture = await Fixture.build();

Deno.test.afterAll(() => fixture[Symbol.asyncDispose]());

Deno.test("pages and handlers → observed by route; assets and static files → not", async () => {
  const routes: ObservedRoute[] = [];
  const seen: string[] = [];
  const app = await fixture.app({
    observe(route) {
      routes.push(route);
      if (route.path === "/about") return undefined;
      return (_request, respond) => {
        seen.push(route.path);
        return respond();
      };
    },
  });
  const get = async (path: string) => (await app.handler(new Request(`http://h${path}`))).text();
  for (const path of ["/", "/about", "/api/echo", "/items/7", "/icon.svg", "/nowhere"]) {
    await get(path);
  }
  for (const name of Object.keys(fixture.report.manifest.assets)) await get(`/assets/${name}`);

  assert.deepEqual(seen, ["/", "/api/echo", "/items/[id]"]);
  assert.ok(routes.some(({ path, kind }) => path === "/about" && kind === "page"));
  assert.ok(routes.some(({ path, kind }) => path === "/items/[id]" && kind === "handler"));
});

Deno.test("partial → observed separately from its page, GET and HEAD", async () => {
  const seen: string[] = [];
  const app = await fixture.app({
    observe: ({ path, kind }) =>
      kind === "handler" ? undefined : (request, respond) => {
        seen.push(`${request.method} ${path} ${kind}`);
        return respond();
      },
  });
  const ask = async (path: string, method = "GET") =>
    await (await app.handler(new Request(`http://h${path}`, { method }))).text();
  await ask("/about");
  await ask("/about?fresh-partial=true");
  await ask("/about?a=b&fresh-partial=true", "HEAD");
  await ask("/nowhere?fresh-partial=true");
  assert.deepEqual(seen, [
    "GET /about page",
    "GET /about partial",
    "HEAD /about partial",
  ]);
});

Deno.test("observer → may add headers, receives the errors of handlers", async () => {
  const thrown: unknown[] = [];
  const app = await fixture.app({
    onError: () => {},
    observe: () => (_request, respond, append) => {
      try {
        const response = respond();
        if (!(response instanceof Response)) {
          return response.catch((error) => {
            thrown.push(error);
            throw error;
          });
        }
        append(response, "Server-Timing", "seen");
        append(response, "Server-Timing", "\x01");
        return response;
      } catch (error) {
        thrown.push(error);
        throw error;
      }
    },
  });
  for (let round = 0; round < 2; round++) {
    const page = await app.handler(new Request("http://h/about"));
    // Only once: headers are not added to the prepared response itself.
    assert.equal(page.headers.get("server-timing"), "seen");
  }
  const failed = await app.handler(new Request("http://h/api/fail"));
  assert.equal(failed.status, 500);
  assert.equal(thrown.length, 1);
});
