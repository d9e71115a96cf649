import assert from "node:assert/strict";
import {
  admitted,
  envelopeOf,
  error,
  hexId,
  log,
  span,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { sendRaw } from "./_send_raw.ts";

Deno.test("GET /monitoring/inbox?view=NAME → rows newest first, next page", async () => {
  await using server = startInboxServer();
  for (let n = 1; n <= 3; n++) {
    const items = [span(n), error(`order ${n}`, n), log(`log ${n}`, { trace_id: hexId(n) })];
    await server.inbox.store(admitted(envelopeOf({}, ...items), 1_790_000_000_000 + n));
  }
  const list = async (query: string) => {
    const response = await fetch(`${server.url}?${query}`);
    assert.equal(response.status, 200, query);
    assert.equal(response.headers.get("content-type"), "application/json");
    assert.equal(response.headers.get("cache-control"), "no-store");
    return await response.json();
  };
  const traces = await list("view=traces&limit=2");
  assert.deepEqual(Object.keys(traces), ["rows", "next"]);
  assert.deepEqual(
    traces.rows.map((row: { trace_id: string }) => row.trace_id),
    [hexId(3), hexId(2)],
  );
  const rest = await list(`view=traces&limit=2&before=${traces.next}`);
  assert.equal(rest.rows[0].trace_id, hexId(1));
  assert.equal(rest.next, null);

  const [group] = (await list("view=errors")).rows;
  assert.equal(group.count, 3);
  assert.equal((await list(`view=occurrences&group=${group.group}`)).rows.length, 3);
  assert.equal((await list("view=logs&q=LOG%202")).rows[0].body, "log 2");
  assert.equal((await list("view=logs&level=error")).rows.length, 0);
  const envelopes = await list(`view=envelopes&type=span&trace=${hexId(2)}`);
  assert.deepEqual(envelopes.rows.map((row: { id: number }) => row.id), [2]);
  const { envelopes: rows } = await (await fetch(server.url)).json();
  const { summary, ...row } = envelopes.rows[0];
  assert.deepEqual(row, rows[1], "the same row as in the list with a cursor");
  assert.deepEqual(summary, { title: "TypeError: order 2", spans: 1, logs: 1 });
});

Deno.test("GET /monitoring/inbox?view=NAME with an invalid parameter → 400 with its name", async () => {
  await using server = startInboxServer();
  for (const query of ["view=nothing", "view=logs&level=loud", "view=traces&before=1"]) {
    const response = await fetch(`${server.url}?${query}`);
    assert.equal(response.status, 400, query);
    const { error, detail } = await response.json();
    assert.equal(error, "parameter_invalid");
    assert.match(detail, /^(view|level|before) must be .+\.$/);
  }
});

Deno.test("GET /monitoring/inbox?view=NAME, not allowed to read → 403", async () => {
  await using server = startInboxServer();
  const answer = await sendRaw(server.port, "GET", "/monitoring/inbox?view=traces", {
    Host: "evil.test",
  });
  assert.equal(answer.status, 403);
});
