import assert from "node:assert/strict";
import { readEnvelope } from "../../monitoring/protocol/scanner.ts";
import { categoryOf } from "../../monitoring/protocol/categories.ts";
import { ENCODERS } from "../harness/encoders.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { DSN, envelope, startRelay } from "./_start_relay.ts";

/** Every type that a browser sends. */
const TYPES = ("event transaction span log trace_metric replay_event replay_recording session" +
  " sessions client_report feedback attachment profile profile_chunk raw_security").split(" ");

/** Types without a rate-limit category in Sentry. The last is also a property of every object. */
const WITHOUT_CATEGORY = ["otel_log", "form_data", "nel", "tomorrows_type", "constructor"];

const TESTDATA = new URL("testdata/", import.meta.url);

/**
 * Recorded envelopes by the name of their file. `@sentry/browser` 10.75.2 posted them in a Chromium, from a page with an
 * invented name, except two: `sessions` is of a server's client of `@sentry/core` 10.75.2, because browsers send no
 * aggregates, and `raw_security` was written after
 * https://develop.sentry.dev/sdk/data-model/envelope-items/, because Sentry's ingest makes this item.
 */
const recorded = new Map<string, Uint8Array>();
for (const { name } of Deno.readDirSync(TESTDATA)) {
  const [, stem] = /^(\w+)\.envelope$/.exec(name) ?? [];
  if (stem !== undefined) recorded.set(stem, Deno.readFileSync(new URL(name, TESTDATA)));
}

const typesIn = (bytes: Uint8Array) => readEnvelope(bytes).items.map(({ header }) => header.type);

Deno.test("recorded envelopes → every item type that a browser sends, and no other", () => {
  const types = new Set([...recorded.values()].flatMap(typesIn));
  assert.deepEqual([...types].sort(), TYPES.sort());
});

for (const encoding of ["none", ...Object.keys(ENCODERS)]) {
  Deno.test(`recorded envelopes, encoding ${encoding} → forwarded byte for byte`, async () => {
    await using ingest = startStandInIngest();
    await using server = startRelay({ upstream: ingest.origin });
    for (const [name, bytes] of recorded) {
      const body = new Uint8Array(ENCODERS[encoding]?.(bytes) ?? bytes);
      const headers: Record<string, string> = { "content-type": "text/plain;charset=UTF-8" };
      if (encoding !== "none") headers["content-encoding"] = encoding;
      const response = await server.post(body, headers);
      assert.equal(response.headers.get("x-relay-outcome"), "delivered", name);
      assert.equal(response.status, 200, name);
      await response.body?.cancel();
      const arrived = ingest.requests.at(-1);
      assert.deepEqual(arrived?.body, body, name);
      assert.equal(
        arrived?.headers["content-encoding"],
        encoding === "none" ? undefined : encoding,
        name,
      );
    }
    assert.equal(ingest.requests.length, recorded.size);
  });
}

Deno.test("item type without a category of its own → forwarded", async () => {
  await using ingest = startStandInIngest();
  await using server = startRelay({ upstream: ingest.origin });
  for (const type of WITHOUT_CATEGORY) {
    assert.equal(categoryOf(type), undefined, type);
    const body = envelope({ dsn: DSN }, [[{ type, odd: [1, { two: null }] }, "a\nb"]]);
    const response = await server.post(body);
    assert.equal(response.headers.get("x-relay-outcome"), "delivered", type);
    await response.body?.cancel();
    assert.deepEqual(ingest.requests.at(-1)?.body, body);
  }
});
