import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import {
  admitted,
  admittedGzip,
  envelopeOf,
  eventEnvelope,
  hexId,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { sendRaw, type WireAnswer } from "../harness/send_raw.ts";

const PATH = "/monitoring/inbox";

/** Checks an error response. Returns its message. */
function expectError(answer: WireAnswer, status: number, error: string): string {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.headers.get("content-type"), "application/json");
  const body = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(body), ["error", "detail"]);
  assert.equal(body.error, error);
  assert.match(body.detail, /\.$/);
  return body.detail;
}

Deno.test("GET /monitoring/inbox → cursor and rows, oldest first", async () => {
  await using server = startInboxServer();
  const bytes = envelopeOf(
    { event_id: hexId(1), trace: { trace_id: hexId(2), replay_id: hexId(3) } },
    ["event", { message: "m" }],
    ["attachment", new Uint8Array(10)],
  );
  await server.inbox.store(admitted(bytes, 1_790_000_000_000));
  await server.store(4);
  const response = await fetch(server.url);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(response.headers.get("cache-control"), "no-store");
  assert.equal(response.headers.get("x-content-type-options"), "nosniff");
  const body = await response.json();
  assert.deepEqual(Object.keys(body), ["cursor", "envelopes"]);
  assert.equal(body.cursor, 2);
  assert.equal(body.envelopes[1].event_id, hexId(4));
  assert.deepEqual(body.envelopes[0], {
    id: 1,
    received_at: 1_790_000_000_000,
    event_id: hexId(1),
    trace_ids: [hexId(2)],
    replay_id: hexId(3),
    bytes: bytes.byteLength,
    items: [{ type: "event", bytes: 15 }, { type: "attachment", bytes: 10 }],
    content_encoding: null,
    application: server.inbox.applications({}).rows[0]!.key,
  });
});

Deno.test("GET /monitoring/inbox?since=CURSOR&type=TYPE&limit=N → filtered rows", async () => {
  await using server = startInboxServer();
  for (const type of ["event", "log", "event", "log", "event"]) {
    await server.inbox.store(admitted(envelopeOf({}, [type, {}])));
  }
  const get = async (query: string) => {
    const { cursor, envelopes } = await (await fetch(server.url + query)).json();
    return [cursor, ...envelopes.map((row: { id: number }) => row.id)];
  };
  assert.deepEqual(await get("?since=3"), [5, 4, 5]);
  assert.deepEqual(await get("?limit=2"), [2, 1, 2]);
  assert.deepEqual(await get("?since=1&limit=2"), [3, 2, 3]);
  assert.deepEqual(await get("?type=log"), [5, 2, 4]);
  assert.deepEqual(await get("?type=log&limit=1&since=2"), [4, 4]);
  assert.deepEqual(await get("?type=span"), [5]);
  assert.deepEqual(await get("?since=5"), [5]);
});

Deno.test("GET /monitoring/inbox?id=ID → bytes as received, with their Content-Encoding", async () => {
  await using server = startInboxServer();
  const plain = eventEnvelope(1);
  const zipped = admittedGzip(eventEnvelope(2));
  await server.inbox.store(admitted(plain));
  await server.inbox.store(zipped);

  const first = await sendRaw(server.port, "GET", `${PATH}?id=1`);
  assert.equal(first.status, 200);
  assert.deepEqual(first.body, new Uint8Array(plain));
  assert.equal(first.headers.get("content-encoding"), null);
  assert.equal(first.headers.get("content-type"), "application/x-sentry-envelope");
  assert.match(first.headers.get("content-disposition") ?? "", /^attachment/);
  assert.equal(first.headers.get("x-content-type-options"), "nosniff");
  assert.equal(first.headers.get("cache-control"), "no-store");

  const second = await sendRaw(server.port, "GET", `${PATH}?id=2`);
  assert.equal(second.headers.get("content-encoding"), "gzip");
  assert.deepEqual(second.body, zipped.bytes);
  assert.deepEqual(new Uint8Array(gunzipSync(second.body)), eventEnvelope(2));
  // As a browser's fetch decodes it.
  const decoded = await (await fetch(`${server.url}?id=2`)).bytes();
  assert.deepEqual(decoded, eventEnvelope(2));

  expectError(await sendRaw(server.port, "GET", `${PATH}?id=3`), 404, "envelope_not_found");
});

Deno.test("HEAD /monitoring/inbox → headers of GET, no body", async () => {
  await using server = startInboxServer();
  await server.store(1);
  for (const target of [PATH, `${PATH}?id=1`]) {
    const head = await sendRaw(server.port, "HEAD", target);
    const get = await sendRaw(server.port, "GET", target);
    assert.equal(head.status, 200);
    assert.equal(head.body.byteLength, 0);
    for (const name of ["content-type", "content-length", "content-disposition"]) {
      assert.equal(head.headers.get(name), get.headers.get(name), name);
    }
  }
  const stream = await sendRaw(server.port, "HEAD", PATH, { Accept: "text/event-stream" });
  assert.equal(stream.headers.get("content-type"), "text/event-stream");
});

Deno.test("DELETE /monitoring/inbox → empty, 204; with a query → 400; of another page → 403", async () => {
  await using server = startInboxServer();
  await server.store(1, 2);
  expectError(await sendRaw(server.port, "DELETE", `${PATH}?id=1`), 400, "parameter_invalid");
  const foreign = await sendRaw(server.port, "DELETE", PATH, { Origin: "https://evil.example" });
  expectError(foreign, 403, "origin_not_allowed");
  assert.equal(server.inbox.extent().envelopes, 2);
  const answer = await sendRaw(server.port, "DELETE", PATH);
  assert.equal(answer.status, 204);
  assert.equal(answer.body.byteLength, 0);
  const { cursor, envelopes } = await (await fetch(server.url)).json();
  assert.deepEqual(envelopes, []);
  await server.store(3);
  const after = await (await fetch(`${server.url}?since=${cursor}`)).json();
  assert.equal(after.envelopes.length, 1, "the cursor continues");
});

Deno.test("wrong method → 405 with Allow", async () => {
  await using server = startInboxServer();
  for (const method of ["POST", "PUT", "PATCH", "OPTIONS"]) {
    const answer = await sendRaw(server.port, method, PATH, { "Content-Length": "0" });
    expectError(answer, 405, "method_not_allowed");
    assert.equal(answer.headers.get("allow"), "GET, HEAD, DELETE");
  }
  for (const method of ["GET", "DELETE"]) {
    const answer = await sendRaw(server.port, method, `${PATH}?import`);
    expectError(answer, 405, "method_not_allowed");
    assert.equal(answer.headers.get("allow"), "POST");
  }
});

Deno.test("GET /monitoring/inbox?view=applications → applications and counts with its filters", async () => {
  await using server = startInboxServer();
  const sdk = { name: "sentry.python", version: "2.0.0" };
  const app = { app_start_time: "2026-09-21T14:13:10.500Z" };
  const event = ["event", {
    message: "m",
    environment: "test",
    release: "shop@1",
    contexts: { app },
  }] as const;
  const discarded_events = [{ category: "log_item", reason: "queue_overflow", quantity: 2 }];
  const started = "2026-09-21T14:13:20.000Z";
  const counted = [
    ["client_report", { discarded_events }],
    ["sessions", { aggregates: [{ started, exited: 3, crashed: 1 }] }],
  ] as const;
  await server.inbox.store(admitted(envelopeOf({ sdk }, event, ...counted), 1_790_000_000_000));
  await server.inbox.store(admitted(envelopeOf({ sightglass: 1 }, ["event", { message: "n" }])));
  const get = async (query: string) => await (await fetch(`${server.url}?${query}`)).json();
  const { rows, counts, unassigned } = await get(
    "view=applications&application=apps&since=1789999999999",
  );
  const { key, ...shop } = rows[1];
  assert.deepEqual(shop, {
    name: "shop",
    environment: "test",
    side: "server",
    releases: ["shop@1"],
    releases_since: [1_790_000_000_000],
    starts: [1_789_999_990_500],
    envelopes: 1,
    last_seen: 1_790_000_000_000,
    clock_ms: null,
    discarded: discarded_events,
    sessions: [{
      release: "shop@1",
      sessions: 4,
      errored: 0,
      unhandled: 0,
      abnormal: 0,
      crashed: 1,
    }],
  });
  assert.deepEqual(unassigned, { discarded: [], sessions: [] });
  assert.deepEqual([rows[0].key, rows[0].name], ["sightglass", "Sightglass"]);
  assert.deepEqual(counts, {
    traces: 0,
    errors: 1,
    logs: 0,
    recordings: 0,
    feedback: 0,
    profiles: 0,
    envelopes: 1,
  });
  const errors = await get(`view=errors&application=${key}`);
  assert.deepEqual(errors.rows.map((row: { application: string }) => row.application), [key]);
  const answer = await sendRaw(server.port, "GET", `${PATH}?view=errors&application=other`);
  assert.match(
    expectError(answer, 400, "parameter_invalid"),
    /^application must be apps, sightglass/,
  );
});
