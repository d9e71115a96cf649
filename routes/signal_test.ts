import assert from "node:assert/strict";
import type { Log } from "../monitoring/runtime/mod.ts";
import type { Context } from "../server/mod.ts";
import { handlers } from "./signal.ts";

async function get(query: string, log: Log = () => {}): Promise<Response> {
  const req = new Request(`http://localhost/signal${query}`);
  const ctx: Context<{ log: Log }> = {
    req,
    url: new URL(req.url),
    params: {},
    state: { log },
    peer: undefined,
    next: () => Promise.resolve(new Response(null, { status: 404 })),
  };
  assert.ok(handlers.GET);
  return await handlers.GET(ctx);
}

Deno.test("the answer has the status that was asked for and is never cached", async () => {
  const response = await get("?status=503");
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("Cache-Control"), "no-store");
  assert.deepEqual(await response.json(), { delay_ms: 0, status: 503 });
  assert.equal((await get("")).status, 200);
});

Deno.test("the answer comes after the delay", async () => {
  const start = performance.now();
  const response = await get("?delay_ms=30");
  // A timer may fire a millisecond early by another clock.
  assert.ok(performance.now() - start >= 29);
  assert.equal((await response.json()).delay_ms, 30);
});

Deno.test("what is out of bounds or no whole number is refused with the bounds", async () => {
  for (const query of ["?delay_ms=5001", "?delay_ms=-1", "?delay_ms=1e3", "?delay_ms="]) {
    const response = await get(query);
    assert.equal(response.status, 400, query);
    assert.match((await response.json()).detail, /from 0 to 5000/);
  }
  for (const query of ["?status=199", "?status=600", "?status=ok"]) {
    const response = await get(query);
    assert.equal(response.status, 400, query);
    assert.match((await response.json()).detail, /from 200 to 599/);
  }
});

Deno.test("a status without a body has none", async () => {
  const response = await get("?status=204");
  assert.equal(response.status, 204);
  assert.equal(response.body, null);
});

Deno.test("a failure that was asked for is said in the server's log, a success is not", async () => {
  const said: Parameters<Log>[] = [];
  const log: Log = (...record) => void said.push(record);
  await get("?status=499", log);
  assert.deepEqual(said, []);
  await get("?status=500", log);
  assert.deepEqual(said, [
    ["error", "A signal was answered with a failure", { "http.response.status_code": 500 }],
  ]);
});

Deno.test("an error that was asked for is thrown", async () => {
  await assert.rejects(get("?throw=true"), /made on purpose/);
});
