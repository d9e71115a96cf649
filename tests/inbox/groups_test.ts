/** Groups of errors over HTTP: states, deletion, the live stream, the webhook. */
import assert from "node:assert/strict";
import { admitted, envelopeOf, error } from "../../monitoring/inbox/testdata/envelopes.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import { startServer } from "../harness/server_process.ts";
import { until } from "../harness/until.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { EventReader } from "./_event_reader.ts";
import { sendRaw } from "../harness/send_raw.ts";

const PATH = "/monitoring/inbox";
const UNKNOWN = "0".repeat(14);

const rowsOf = async (url: string, query = ""): Promise<ErrorGroupRow[]> =>
  (await (await fetch(`${url}?view=errors${query}`)).json()).rows;

/** An inbox server with the groups `a` and `b`. */
async function startGroups() {
  const server = startInboxServer();
  for (const message of ["a", "b"]) {
    await server.inbox.store(admitted(envelopeOf({}, error(message))));
  }
  const [b, a] = server.inbox.page("errors", {}).rows as [ErrorGroupRow, ErrorGroupRow];
  return { server, a: a.group, b: b.group };
}

Deno.test("invalid change of a group → 400 that says what is right; unknown group → 404; other pages → 403", async () => {
  const { server, a } = await startGroups();
  await using _ = server;
  const good = '{"state":"resolved"}';
  const cases: readonly [query: string, body: string, detail: RegExp][] = [
    [`group=${a}`, "", /^The body must be JSON/],
    [`group=${a}`, "resolved", /^The body must be JSON/],
    [`group=${a}`, "null", /^The body's state must be one of open, resolved, muted\.$/],
    [`group=${a}`, '{"state":"closed"}', /^The body's state must be one of/],
    [`group=${a}`, `"${"x".repeat(2_000)}"`, /^The body must be at most 1024 bytes long/],
    ["group=x", good, /^group must be the key of a group/],
    [`group=${a}&group=${a}`, good, /^group must be given once/],
    [`group=${a}&id=1`, good, /^The query must be `group` alone/],
  ];
  for (const method of ["PATCH", "DELETE"]) {
    const answer = await sendRaw(server.port, method, `${PATH}?group=${UNKNOWN}`, {}, {
      body: good,
    });
    assert.equal(answer.status, 404, method);
    assert.equal(JSON.parse(answer.text).error, "group_not_found");
  }
  for (const [query, body, detail] of cases) {
    const answer = await sendRaw(server.port, "PATCH", `${PATH}?${query}`, {}, { body });
    assert.equal(answer.status, 400, answer.text);
    assert.match(JSON.parse(answer.text).detail, detail);
  }
  const foreign: Record<string, string>[] = [
    { Origin: "https://evil.example" },
    { "Sec-Fetch-Site": "same-site" },
  ];
  for (const headers of foreign) {
    for (const method of ["PATCH", "DELETE"]) {
      const answer = await sendRaw(server.port, method, `${PATH}?group=${a}`, headers, {
        body: good,
      });
      assert.equal(answer.status, 403, method);
    }
  }
  assert.equal((await rowsOf(server.url, "&state=open")).length, 2);
  const put = await sendRaw(server.port, "PUT", `${PATH}?group=${a}`, {}, { body: good });
  assert.deepEqual([put.status, put.headers.get("allow")], [405, "GET, HEAD, DELETE, PATCH"]);
});

Deno.test("new and regressed groups, changed states → alerts, webhook and stream report them", async () => {
  const bodies: { text: string; alert: Record<string, unknown> }[] = [];
  await using receiver = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (post) => {
      bodies.push(await post.json());
      // Acknowledgements do not depend on it.
      return new Response(null, { status: 400 });
    },
  );
  const { port } = receiver.addr;
  // With the permissions that `deno task start` would give.
  await using server = await startServer({
    env: {
      ALERT_WEBHOOK_URL: `http://127.0.0.1:${port}/hook`,
      PUBLIC_ORIGIN: "https://sight.example",
    },
  });
  const inbox = server.origin + PATH;
  await using events = await EventReader.open(inbox);
  const alertEvents: unknown[] = [];
  let groupEvents = 0;
  const reading = (async () => {
    for (let event; (event = await events.next()) !== undefined;) {
      if (event.event === "alert") alertEvents.push(JSON.parse(event.data!));
      if (event.event === "groups") groupEvents++;
    }
  })();
  const post = async (release: string) => {
    const header = { sdk: { name: "sentry.python" } };
    const event_id = crypto.randomUUID().replaceAll("-", "");
    const response = await fetch(`${server.origin}/monitoring`, {
      method: "POST",
      body: envelopeOf(
        header,
        error("no stock", undefined, { event_id, environment: "test", release }),
      ),
    });
    assert.deepEqual([response.status, response.headers.get("x-relay-outcome")], [200, "stored"]);
    await response.body?.cancel();
  };
  await post("shop@1");
  await until("the webhook", () => bodies.length === 1);
  const [row] = await rowsOf(inbox, "&application=apps");
  const alert = {
    kind: "new",
    group: row!.group,
    type: "TypeError",
    message: "no stock",
    release: "shop@1",
    environment: "test",
    application: "shop",
  };
  const link = `https://sight.example/#/errors/${row!.group}`;
  assert.deepEqual(bodies.map((body) => body.alert), [{ ...alert, link }]);
  const changed = await fetch(`${inbox}?group=${row!.group}`, {
    method: "PATCH",
    body: '{"state":"resolved"}',
  });
  assert.equal(changed.status, 204);
  await until("the stream reports the change", () => groupEvents === 1);
  await post("shop@2");
  await until("the stream reports the regression", () => alertEvents.length === 2);
  assert.deepEqual(alertEvents, [alert, { ...alert, kind: "regression", release: "shop@2" }]);
  const [back] = await rowsOf(inbox, "&application=apps");
  assert.partialDeepStrictEqual(back!.regression, { release: "shop@2", resolved_in: "shop@1" });
  // Within a minute of the first.
  assert.equal(bodies.length, 1);
  const output = server.output();
  assert.equal(output.match(/Cannot post an alert/g)?.length ?? 0, 1, output);
  assert.ok(!output.includes(`:${port}`), "the URL may be a secret");
  await server.stop();
  await reading.catch(() => {});
});
