/** `view=trace` and `view=error`: what the page and assistants show of one trace or error, from a real server. */
import assert from "node:assert/strict";
import {
  admittedGzip,
  envelopeOf,
  hexId,
  span,
} from "../../monitoring/inbox/testdata/envelopes.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import { startInboxServer } from "./_inbox_server.ts";

const TRACE = 1;
const EVENT = hexId(0xe);

/** Frames as a minified script has them, and a map of the script. */
const DEBUG_ID = "01234567-89ab-4def-8123-456789abcdef";
const SCRIPT = "https://shop.test/a.js";
const MAP = JSON.stringify({
  version: 3,
  debugId: DEBUG_ID,
  sources: ["shop.ts"],
  sourcesContent: ["throw new Error('no money');"],
  names: [],
  mappings: "AAAA",
});
const errorOf = (value: string, eventId: string, part: object = {}) =>
  [
    "event",
    {
      event_id: eventId,
      timestamp: Date.now() / 1_000,
      contexts: { trace: { trace_id: hexId(TRACE), span_id: "1".padStart(16, "0") } },
      exception: {
        values: [{
          type: "PaymentError",
          value,
          stacktrace: { frames: [{ filename: SCRIPT, function: "r", lineno: 1, colno: 1 }] },
        }],
      },
      debug_meta: {
        images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: DEBUG_ID }],
      },
      ...part,
    },
  ] as const;

async function get<T>(url: string): Promise<{ status: number; body: T }> {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

Deno.test("view=trace → spans, errors and logs of its envelopes, oldest first, as it grows; others' are left out", async () => {
  await using server = startInboxServer();
  const store = (...items: Parameters<typeof envelopeOf>[1][]) =>
    server.inbox.store(admittedGzip(envelopeOf({}, ...items), Date.now()));
  const spanOf = (trace: number, id: string) =>
    span(trace, { span_id: id.padStart(16, "0"), start_timestamp: 1, end_timestamp: 2 });
  const read = () => get<TraceContent>(`${server.url}?view=trace&id=${hexId(TRACE)}`);
  assert.deepEqual((await read()).body.parts, []);
  await store(spanOf(TRACE, "a"), spanOf(2, "b"));
  await store(spanOf(2, "c"));
  await store(spanOf(TRACE, "d"), errorOf("declined", EVENT) as never);
  const { status, body } = await read();
  assert.equal(status, 200);
  assert.deepEqual(body.parts.map(({ spans }) => spans.map(({ span_id }) => span_id.slice(-1))), [
    ["a"],
    ["d"],
  ]);
  assert.deepEqual(body.parts[1]!.marks.map(({ kind }) => kind), ["error"]);
  assert.deepEqual(body.envelopes, [1, 3]);
  assert.deepEqual([body.truncated, body.unreadable], [false, 0]);
  const service = { attributes: { "service.name": { value: "shop", type: "string" } } };
  await store(span(TRACE, { span_id: "e".padStart(16, "0"), start_timestamp: 1, ...service }));
  const grown = (await read()).body;
  assert.deepEqual(grown.envelopes, [1, 3, 4]);
  assert.deepEqual(grown.parts.slice(0, 2), body.parts);
  assert.equal(grown.applications.at(-1), "shop");
});

Deno.test("view=error → source lines of the map, texts to copy, attachments and feedback; the newest, or that of an envelope", async () => {
  await using server = startInboxServer();
  const posted = await fetch(`${server.url}?maps`, { method: "POST", body: MAP });
  await posted.body?.cancel();
  const store = (
    header: Readonly<Record<string, unknown>>,
    ...items: Parameters<typeof envelopeOf>[1][]
  ) => server.inbox.store(admittedGzip(envelopeOf(header, ...items), Date.now()));
  await store({ event_id: EVENT }, errorOf("declined", EVENT) as never, [
    { type: "attachment", filename: "cart.txt", content_type: "text/plain" } as never,
    new TextEncoder().encode("milk"),
  ]);
  await store({}, ["user_report", { event_id: EVENT, comments: "It broke.", name: "Ada" }]);
  await store({}, errorOf("declined", hexId(2)) as never);
  const [{ group, count }] = (await get<{ rows: { group: string; count: number }[] }>(
    `${server.url}?view=errors`,
  )).body.rows as [{ group: string; count: number }];
  assert.equal(count, 2);

  const error = `${server.url}?view=error&id=${group}`;
  const newest = (await get<ErrorContent>(error)).body;
  assert.deepEqual([newest.envelope, newest.event.event_id], [3, hexId(2)]);
  const { status, body } = await get<ErrorContent>(`${error}&envelope=1&event=${EVENT}`);
  assert.equal(status, 200);
  assert.equal(body.event.event_id, EVENT);
  const [[frame]] = body.stacks as [[ErrorContent["stacks"][number][number]]];
  assert.equal(frame.file, "shop.ts");
  assert.deepEqual(frame.source?.lines, ["throw new Error('no money');"]);
  assert.equal(body.missing_source, "");
  assert.match(body.text, /^PaymentError: declined\n {4}at .*shop\.ts:1:1/);
  assert.match(body.markdown, /untrusted data.*^> 1 throw new Error/ms);
  const { attachments, feedback } = body.related;
  assert.deepEqual(attachments, [
    { envelope: 1, index: 0, name: "cart.txt", content_type: "text/plain", bytes: 4 },
  ]);
  assert.deepEqual(feedback.map(({ message, name }) => [message, name]), [["It broke.", "Ada"]]);
});

Deno.test("view=error without its map → the next step; not stored → 404; unreadable → 422; a bad id → 400", async () => {
  await using server = startInboxServer();
  await server.inbox.store(admittedGzip(envelopeOf({}, errorOf("x", EVENT) as never), Date.now()));
  await server.inbox.store(admittedGzip(envelopeOf({}, ["log", {}]), Date.now()));
  const group = "0".repeat(14);
  const at = (query: string) => get<ErrorContent & { error: string }>(`${server.url}?${query}`);
  const { body } = await at(`view=error&id=${group}&envelope=1`);
  assert.match(body.missing_source, /^The source map of \/a\.js is not in the inbox: upload it/);
  assert.match(body.stacks[0]![0]!.file!, /a\.js$/);
  const answers = [
    [`view=error&id=${group}`, 404, "error_not_found"],
    [`view=error&id=${group}&envelope=99`, 404, "error_not_found"],
    [`view=error&id=${group}&envelope=2`, 422, "error_unreadable"],
    ["view=error&id=x", 400, "parameter_invalid"],
    ["view=error", 400, "parameter_invalid"],
    ["view=trace&id=1234", 400, "parameter_invalid"],
    ["view=trace", 400, "parameter_invalid"],
  ] as const;
  for (const [query, status, code] of answers) {
    const answer = await at(query);
    assert.deepEqual([answer.status, answer.body.error], [status, code], query);
  }
});
