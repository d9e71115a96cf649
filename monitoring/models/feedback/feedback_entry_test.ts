import assert from "node:assert/strict";
import { captureFeedback, createTransport, Scope } from "@sentry/core";
import { BrowserClient, defaultStackParser } from "@sentry/browser";
import fc from "fast-check";
import { envelopeOf, recorded } from "../../inbox/testdata/envelopes.ts";
import { indexBody } from "../index/index_entries.ts";
import { parseEnvelope } from "../parsed_envelope.ts";
import { feedbackWords } from "../query/searched.ts";
import type { FeedbackEntry } from "./feedback_entry.ts";

const NOW = 1_795_262_400_000;
const index = (bytes: Uint8Array) => indexBody([parseEnvelope(bytes)], NOW);
const entries = (bytes: Uint8Array): readonly FeedbackEntry[] =>
  index(bytes).resources[0]!.feedback;

/** The envelope that the browser's SDK makes of feedback. */
async function sentBySdk(...[params, hint]: Parameters<typeof captureFeedback>) {
  const sent: Uint8Array[] = [];
  const client = new BrowserClient({
    dsn: "https://key@o1.ingest.sentry.io/1",
    integrations: [],
    stackParser: defaultStackParser,
    transport: () =>
      createTransport({ recordDroppedEvent() {} }, ({ body }) => {
        sent.push(typeof body === "string" ? new TextEncoder().encode(body) : body);
        return Promise.resolve({});
      }),
  });
  const scope = new Scope();
  scope.setClient(client);
  scope.setUser({ id: "u-7" });
  captureFeedback(params, hint, scope);
  await client.flush(1_000);
  return sent[0]!;
}

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1]);

Deno.test("feedback of the SDK's form → what it contains, with its screenshot", async () => {
  const about = "e".repeat(32);
  const bytes = await sentBySdk({
    message: "Gift wrap does nothing,\nand paying took ages.",
    name: "Maja",
    email: "maja@shop.test",
    url: "https://shop.test/cart",
    source: "widget",
    associatedEventId: about,
  }, {
    attachments: [
      { filename: "screenshot.png", data: PNG, contentType: "image/jpeg" },
      { filename: "page.svg", data: "<svg/>", contentType: "image/svg+xml" },
    ],
  });
  const [{ group, event_id, trace_id, at, ...entry }] = entries(bytes) as [FeedbackEntry];
  assert.match(group, /^f[\da-f]{14}$/);
  assert.match(feedbackWords(entries(bytes)[0]!), /screenshot png/);
  assert.match(`${event_id} ${trace_id}`, /^[\da-f]{32} [\da-f]{32}$/);
  assert.equal(typeof at, "number");
  assert.deepEqual(entry, {
    about,
    message: "Gift wrap does nothing,\nand paying took ages.",
    name: "Maja",
    email: "maja@shop.test",
    url: "https://shop.test/cart",
    user: "u-7",
    browser: null,
    attributes: { "source": "widget", "user.id": "u-7" },
    replay_id: null,
    attachments: [
      { item: 1, name: "screenshot.png", type: "image/png", bytes: 10 },
      { item: 2, name: "page.svg", type: "application/octet-stream", bytes: 6 },
    ],
  });
});

Deno.test("feedback of a recorded page without a form's address → that of the page, its recording", () => {
  const [entry] = entries(recorded("feedback"));
  assert.equal(entry?.message, "The button does nothing.\nIt did yesterday.");
  assert.deepEqual([entry?.url, entry?.browser], ["http://page.localhost/#static", "Chrome 156"]);
  assert.equal(entry?.replay_id, "5eb3598873784e9388474ced40850656");
  assert.equal(entry?.at, 1_795_233_255_184);
});

Deno.test("user_report → about its event, when it was received", () => {
  const sent = { event_id: "e".repeat(32), name: "Ada", email: "a@shop.test", comments: "Twice" };
  const [entry, another] = entries(envelopeOf({}, ["user_report", sent], ["user_report", sent]));
  assert.equal(another, undefined, "sent twice");
  const { about, event_id, at, message, name, email } = entry!;
  assert.deepEqual({ event_id: about, name, email, comments: message }, sent);
  assert.deepEqual([event_id, at], [null, NOW]);
});

Deno.test("more attachments than are listed → the rest is counted", () => {
  const attachments = Array(12).fill(["attachment", PNG] as const);
  const { resources, unlisted } = index(envelopeOf({}, ["feedback", {}], ...attachments));
  assert.equal(resources[0]?.feedback[0]?.attachments.length, 10);
  assert.equal(unlisted, 2);
  assert.equal(index(envelopeOf({}, ...attachments)).unlisted, 0, "nothing lists them");
});

Deno.test("version 2 of attachments → typed by what is after its JSON", () => {
  const meta = new TextEncoder().encode("{}");
  const content_type = "application/vnd.sentry.attachment.v2";
  const typeOf = (meta_length: unknown) => {
    const header = { type: "attachment", content_type, meta_length };
    const items = [["feedback", {}], [header, new Uint8Array([...meta, ...PNG])]] as const;
    return entries(envelopeOf({}, ...items))[0]?.attachments[0]?.type;
  };
  assert.equal(typeOf(2), "image/png");
  for (const wrong of [0, 99, "x"]) assert.equal(typeOf(wrong), "application/octet-stream");
});

Deno.test("any JSON as feedback → bounded, never throws", () => {
  const parts = fc.dictionary(
    fc.constantFrom("message", "comments", "name", "email", "url", "event_id", "timestamp"),
    fc.anything(),
  );
  const sent = fc.oneof(
    fc.jsonValue(),
    parts,
    parts.map((feedback) => ({ ...feedback, contexts: { feedback }, user: feedback })),
  );
  fc.assert(fc.property(sent, fc.constantFrom("feedback", "user_report"), (json, type) => {
    const text = JSON.stringify(
      json,
      (_, value) =>
        typeof value === "bigint" ? `${value}` : value === "" ? "x".repeat(9_000) : value,
    );
    const bytes = envelopeOf({}, [type, new TextEncoder().encode(text)]);
    for (const { group, at, ...entry } of entries(bytes)) {
      assert.match(group, /^f[\da-f]{14}$/);
      assert.ok(at > 0 && at <= NOW + 86_400_000);
      assert.ok(JSON.stringify(entry).length < 60_000);
      assert.equal(entry.message, entry.message.toWellFormed());
    }
  }));
});
