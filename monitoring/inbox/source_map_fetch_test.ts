/** Fetching source maps must reach nothing but a named loopback origin that has posted (SSRF). */
import assert from "node:assert/strict";
import { answers, startStandInIngest } from "../../tests/harness/stand_in_ingest.ts";
import { fetchSourceMap, SourceMapOrigins } from "./source_map_fetch.ts";
import { SourceMapError } from "./source_map_upload.ts";

const ID = "01234567-89ab-4def-8123-456789abcdef";
const MAP = JSON.stringify({ version: 3, sources: ["a.ts"], mappings: "AAAA" });
const SCRIPT = "f();\n//# sourceMappingURL=a.js.map\n";

interface DevServer extends AsyncDisposable {
  readonly origin: string;
  /** Method and credentials of each request. */
  readonly requests: string[];
}

/** A development server with these answers, by path. */
function startDevServer(answers: Record<string, () => Response | Promise<Response>>): DevServer {
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { method, headers } = request;
    requests.push(`${method} ${headers.get("cookie")} ${headers.get("authorization")}`);
    return answers[new URL(request.url).pathname]?.() ?? new Response("no", { status: 404 });
  });
  return {
    origin: `http://localhost:${server.addr.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

/** Origins that are named, and have posted. */
function posted(...named: readonly string[]): SourceMapOrigins {
  const origins = new SourceMapOrigins(named);
  for (const origin of named) origins.posted(origin);
  return origins;
}

const refusedAs = (code: string, message = /./) => (error: unknown) => {
  assert.ok(error instanceof SourceMapError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};
const notFetched = (message?: RegExp) => refusedAs("source_map_not_fetched", message);

Deno.test("script and map of an origin that has posted → the map by address or debug id", async () => {
  await using dev = startDevServer({
    "/a.js": () => new Response(SCRIPT),
    "/a.js.map": () => new Response(MAP),
    "/inline.js": () =>
      new Response(`f();\n//# sourceMappingURL=data:application/json;base64,${btoa(MAP)}`),
  });
  const origins = posted(dev.origin);
  const { key, bytes } = await fetchSourceMap(`${dev.origin}/a.js?v=1#x`, undefined, origins);
  assert.equal(key, `${dev.origin}/a.js?v=1`);
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), {
    ...JSON.parse(MAP),
    x_script: SCRIPT,
  });
  assert.equal((await fetchSourceMap(`${dev.origin}/inline.js`, ID, origins)).key, ID);
  assert.deepEqual(dev.requests, Array(3).fill("GET null null"));
});

Deno.test("origin not named, never posted, or not of this machine → 403, no request", async () => {
  await using dev = startDevServer({ "/a.js": () => new Response(SCRIPT) });
  const script = `${dev.origin}/a.js`;
  const forbidden = refusedAs("source_map_origin", /SOURCE_MAP_ORIGINS/);
  await assert.rejects(fetchSourceMap(script, null, new SourceMapOrigins([dev.origin])), forbidden);
  const other = new SourceMapOrigins([]);
  other.posted(dev.origin);
  await assert.rejects(fetchSourceMap(script, null, other), forbidden);
  // The same address by another name is another origin.
  const byAddress = script.replace("localhost", "127.0.0.1");
  await assert.rejects(fetchSourceMap(byAddress, null, posted(dev.origin)), forbidden);
  const withUser = script.replace("//", "//localhost@evil.example:80/");
  for (const address of [withUser, "http://192.0.2.1/a.js", "file:///etc/passwd", "", null, 7]) {
    await assert.rejects(fetchSourceMap(address, null, posted(dev.origin)), forbidden);
  }
  await assert.rejects(
    fetchSourceMap("http://192.0.2.1/a.js", null, posted("http://192.0.2.1")),
    forbidden,
  );
  assert.deepEqual(dev.requests, []);
});

Deno.test("redirect, or a map at another origin → not followed", async () => {
  await using target = startDevServer({ "/a.js.map": () => new Response(MAP) });
  await using dev = startDevServer({
    "/moved.js": () => Response.redirect(`${target.origin}/a.js.map`),
    "/a.js": () => new Response(SCRIPT),
    "/a.js.map": () => Response.redirect(`${target.origin}/a.js.map`),
    "/other.js": () => new Response(`f();\n//# sourceMappingURL=${target.origin}/a.js.map`),
    "/file.js": () => new Response("f();\n//# sourceMappingURL=file:///etc/passwd"),
    "/text.js": () => new Response("f();\n//# sourceMappingURL=data:text/plain,x"),
    "/none.js": () => new Response("f();"),
  });
  for (const name of ["moved", "a", "other", "file", "text", "none", "missing"]) {
    await assert.rejects(
      fetchSourceMap(`${dev.origin}/${name}.js`, null, posted(dev.origin, target.origin)),
      notFetched(),
      name,
    );
  }
  assert.deepEqual(target.requests, []);
});

Deno.test("too large, slow, compressed, no map, of another build, no server → refused", async () => {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<Response>();
  const sourceRoot = "a/".repeat(50_000);
  const map = (name: string) => () => new Response(`f();\n//# sourceMappingURL=${name}`);
  await using dev = startDevServer({
    "/large.js": () => new Response(new Uint8Array(20 * 1024 * 1024 + 1)),
    "/slow.js": () => stopped,
    "/gzip.js": () => new Response(SCRIPT, { headers: { "Content-Encoding": "gzip" } }),
    "/html.js": map("page"),
    "/blob.js": () => map(`blob:${dev.origin}/x`)(),
    "/page": () => new Response("<html>"),
    "/joined.js": map("huge"),
    "/huge": () =>
      Response.json({ version: 3, sources: Array(1_000).fill(""), sourceRoot, mappings: "" }),
    "/built.js": () => new Response(`f();\n//# debugId=${ID}\n//# sourceMappingURL=a.js.map`),
  });
  const of = (name: string, id?: string) =>
    fetchSourceMap(`${dev.origin}/${name}.js`, id, posted(dev.origin));
  await assert.rejects(of("large"), refusedAs("source_map_too_large"));
  await assert.rejects(of("slow"), notFetched(/within 5 seconds/));
  stop(new Response());
  await assert.rejects(of("gzip"), notFetched(/compressed/));
  await assert.rejects(of("html"), refusedAs("source_map_malformed"));
  await assert.rejects(of("joined"), refusedAs("source_map_malformed", /sourceRoot/));
  await assert.rejects(of("blob"), notFetched(/another origin/));
  await assert.rejects(of("built", ID.replace("0", "f")), notFetched(/another build/));
  await using raw = startStandInIngest();
  raw.behave(answers(101, { headers: { connection: "upgrade", upgrade: "x" } }));
  const upgraded = fetchSourceMap(`${raw.origin}/a.js`, null, posted(raw.origin));
  await assert.rejects(upgraded, notFetched(/upgrade/));
  await assert.rejects(
    fetchSourceMap(`blob:${dev.origin}/x`, null, posted(dev.origin)),
    refusedAs("source_map_origin"),
  );
  const closed = "http://localhost:1";
  await assert.rejects(
    fetchSourceMap(`${closed}/a.js`, null, posted(closed)),
    notFetched(/does not answer/),
  );
});
