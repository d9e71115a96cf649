import assert from "node:assert/strict";
import type { Context } from "../server/endpoint.ts";
import { createSignals } from "./signal.ts";

type Options = Parameters<typeof createSignals>[0];

/** Signals that may make events and log nothing, by default. */
const create = (options: Partial<Options> = {}) =>
  createSignals({ log: () => {}, makesEvents: true, ...options });

async function get(query: string, signals = create(), headers = {}): Promise<Response> {
  const req = new Request(`http://localhost/signal${query}`, { headers });
  const context: Context = { req, url: new URL(req.url), params: {}, peer: undefined };
  return await signals.answer(context);
}

/** Expects 429 with a text and a header that state when to try again. */
async function expectLimited(response: Response, detail: RegExp): Promise<void> {
  assert.equal(response.status, 429);
  const body = await response.json();
  assert.equal(body.error, "signal_limited");
  assert.match(body.detail, detail);
  assert.match(response.headers.get("Retry-After") ?? "", /^[1-9]\d?$/);
}

Deno.test("status in the query → answered with it, never cached", async () => {
  const response = await get("?status=503");
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("Cache-Control"), "no-store");
  assert.deepEqual(await response.json(), { delay_ms: 0, status: 503 });
  assert.equal((await get("")).status, 200);
});

Deno.test("request of another page → 403, nothing thrown or logged", async () => {
  for (const site of ["cross-site", "same-site"]) {
    const signals = create({ log: () => assert.fail("logged") });
    assert.equal((await get("?throw=true", signals, { "sec-fetch-site": site })).status, 403);
  }
  assert.equal((await get("", create(), { "sec-fetch-site": "same-origin" })).status, 200);
});

Deno.test("delay in the query → answered after it", async () => {
  const start = performance.now();
  const response = await get("?delay_ms=30");
  // A timer may fire a millisecond early by another clock.
  assert.ok(performance.now() - start >= 29);
  assert.equal((await response.json()).delay_ms, 30);
});

Deno.test("value out of bounds or not a whole number → 400 with the bounds", async () => {
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

Deno.test("status that allows no body → no body", async () => {
  const response = await get("?status=204");
  assert.equal(response.status, 204);
  assert.equal(response.body, null);
});

Deno.test("more than 60 signals in a minute → 429, and 60 more a minute later", async () => {
  let now = 0;
  const signals = create({ now: () => now });
  for (const minute of [0, 1]) {
    now = minute * 60_000;
    for (let n = 0; n < 60; n++) assert.equal((await get("", signals)).status, 200);
    await expectLimited(await get("", signals), /60 signals a minute/);
  }
});

Deno.test("one of 20 processes → its part of the limits, at least one of each", async () => {
  let now = 0;
  const signals = create({ makesEvents: false, processes: 20, now: () => now });
  assert.equal((await get("?status=500", signals)).status, 500);
  await expectLimited(await get("?status=500", signals), /10 times a minute/);
  assert.equal((await get("", signals)).status, 200);
  await expectLimited(await get("", signals), /60 signals a minute/);
  now = 20_000;
  assert.equal((await get("?delay_ms=1", signals)).status, 200);
});

Deno.test("more than 10 failures in a minute → 429, while others are answered", async () => {
  let logged = 0;
  const signals = create({ now: () => 0, log: () => void logged++ });
  for (let n = 0; n < 5; n++) {
    await assert.rejects(get("?throw=true", signals), /made on purpose/);
    assert.equal((await get("?status=503", signals)).status, 503);
  }
  for (const query of ["?throw=true", "?status=500", "?throw=true&status=200"]) {
    await expectLimited(await get(query, signals), /10 times a minute/);
  }
  assert.equal(logged, 5);
  assert.equal((await get("?status=404", signals)).status, 404);
});

Deno.test("four delayed answers → a fifth gets 429 at once, others are answered", async () => {
  const signals = create();
  const delayed = Array.from({ length: 4 }, () => get("?delay_ms=5000", signals));
  await expectLimited(await get("?delay_ms=1", signals), /4 answers are being delayed/);
  assert.equal((await get("", signals)).status, 200);
  signals.shedLoad();
  for (const response of await Promise.all(delayed)) assert.equal(response.status, 200);
  assert.equal((await get("?delay_ms=1", signals)).status, 200);
});
