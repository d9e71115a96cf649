import assert from "node:assert/strict";
import { admitted, envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { statusOf } from "../harness/status_of.ts";
import { until } from "../harness/until.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { EventReader } from "./_event_reader.ts";

Deno.test("rows stored while the stream opens → each sent once", async () => {
  await using server = startInboxServer();
  const count = 400;
  await server.store(...Array.from({ length: 150 }, (_, n) => n));
  const storing = server.store(...Array.from({ length: count - 150 }, (_, n) => n));
  await using early = await EventReader.open(server.url);
  await using late = await EventReader.open(`${server.url}?since=120`);
  const expected = Array.from({ length: count }, (_, n) => n + 1);
  assert.deepEqual(await early.ids(count), expected);
  assert.deepEqual(await late.ids(count - 120), expected.slice(120));
  await storing;
});

Deno.test("Last-Event-ID → stream continues there, since is ignored; invalid → 400", async () => {
  await using server = startInboxServer();
  await server.store(1, 2, 3);
  await using reader = await EventReader.open(`${server.url}?since=0`, { "Last-Event-ID": "2" });
  await server.store(4);
  assert.deepEqual(await reader.ids(2), [3, 4]);
  const headers = { Accept: "text/event-stream", "Last-Event-ID": "two" };
  const response = await fetch(server.url, { headers });
  assert.equal(response.status, 400);
  assert.match((await response.json()).detail, /^Last-Event-ID/);
});

Deno.test("live row of the asked type → id is the cursor, event is envelope, data the row", async () => {
  await using server = startInboxServer();
  await using reader = await EventReader.open(`${server.url}?type=log`);
  for (const type of ["log", "event", "log"]) {
    await server.inbox.store(admitted(envelopeOf({}, [type, {}])));
  }
  const { envelopes } = await (await fetch(server.url)).json();
  for (const id of [1, 3]) {
    const { data = "", ...event } = await reader.next() ?? {};
    assert.deepEqual(event, { id: String(id), event: "envelope" });
    assert.deepEqual(JSON.parse(data), envelopes[id - 1]);
  }
});

Deno.test("inbox cleared → one cleared event with the next cursor", async () => {
  await using server = startInboxServer();
  await server.store(1, 2);
  await using reader = await EventReader.open(server.url);
  await using fresh = await EventReader.open(`${server.url}?since=2`);
  assert.deepEqual(await reader.ids(2), [1, 2]);
  const response = await fetch(server.url, { method: "DELETE" });
  assert.equal(response.status, 204);
  for (const live of [reader, fresh]) {
    assert.deepEqual(await live.next(), { id: "3", event: "cleared", data: "{}" });
  }
  await server.store(3);
  assert.deepEqual(await reader.ids(1), [4]);
  assert.deepEqual(await fresh.ids(1), [4]);
});

Deno.test("inbox cleared while disconnected → cleared event; new reader → none", async () => {
  await using server = startInboxServer();
  await server.store(1, 2);
  server.inbox.clear();
  await server.store(3);
  await using disconnected = await EventReader.open(server.url, { "Last-Event-ID": "2" });
  assert.equal((await disconnected.next())?.event, "cleared");
  assert.deepEqual(await disconnected.ids(1), [4]);
  await using upToDate = await EventReader.open(server.url, { "Last-Event-ID": "3" });
  assert.deepEqual(await upToDate.ids(1), [4]);
  await using newReader = await EventReader.open(server.url);
  assert.deepEqual(await newReader.ids(1), [4]);
});

Deno.test("cursor of a deleted file → cleared event, then all rows", async () => {
  await using server = startInboxServer();
  await server.store(1);
  await using reader = await EventReader.open(`${server.url}?since=900`);
  assert.deepEqual(await reader.next(), { id: "0", event: "cleared", data: "{}" });
  assert.deepEqual(await reader.ids(1), [1]);
});

Deno.test("too many streams → 503, until one closes", async () => {
  await using server = startInboxServer();
  const readers = await Promise.all(
    Array.from({ length: 128 }, () => EventReader.open(server.url)),
  );
  const headers = { Accept: "text/event-stream" };
  const response = await fetch(server.url, { headers });
  assert.equal(response.status, 503);
  assert.equal((await response.json()).error, "inbox_busy");
  await Promise.all(readers.map((reader) => reader[Symbol.asyncDispose]()));
  await until(
    "a stream is let in",
    async () => await statusOf(fetch(server.url, { headers })) === 200,
  );
});
