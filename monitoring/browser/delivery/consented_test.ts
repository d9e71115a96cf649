import assert from "node:assert/strict";
import { createEnvelope, serializeEnvelope } from "@sentry/core/browser";
import type { SignalKind } from "../consent.ts";
import { consentedPart, isConsented, kindOf } from "./consented.ts";
import { describeEnvelope, sdkCategoryOf } from "./envelope.ts";

const CREATED_AT = 1_000;

function stored(...items: [type: string, payload: unknown, header?: object][]) {
  const envelope = createEnvelope(
    { event_id: "e" } as never,
    items.map(([type, payload, header]) => [{ type, ...header }, payload]) as never,
  );
  const body = serializeEnvelope(envelope);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { bytes, meta: { ...describeEnvelope(bytes, "local", CREATED_AT), attempts: 3 } };
}

const without = (...kinds: SignalKind[]) => (kind: SignalKind) => !kinds.includes(kind);
const report = (...categories: string[]) => ({
  discarded_events: categories.map((category) => ({ reason: "x", category, quantity: 1 })),
});
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

Deno.test("item types → kinds; whatever is of no other kind counts as errors", () => {
  const types = {
    errors: ["event", "attachment", "session", "feedback"],
    traces: ["span", "transaction"],
    logs: ["log"],
    recordings: ["replay_event"],
  };
  for (const [kind, all] of Object.entries(types)) {
    for (const type of all) assert.equal(kindOf(sdkCategoryOf(type)), kind, type);
  }
});

Deno.test("envelope of several kinds → only the items of the withdrawn kind are removed", () => {
  const recording = new Uint8Array([123, 125, 10, 0, 255]);
  const envelope = stored(
    ["event", { message: "漢" }],
    ["replay_recording", recording, { length: recording.length }],
    ["log", { items: [{ body: "secret" }] }, { item_count: 1 }],
  );
  const rest = consentedPart(envelope, without("logs"))!;
  assert.deepEqual(rest.meta.items.map(({ type, bytes }) => [type, bytes]), [
    ["event", 17],
    ["replay_recording", 5],
  ]);
  const { id, createdAt, attempts } = rest.meta;
  assert.deepEqual([id, createdAt, attempts], ["local", CREATED_AT, 3]);
  assert.deepEqual(rest.bytes.slice(-5), recording);
  assert.ok(!text(rest.bytes).includes("secret"));
  assert.ok(isConsented(rest.meta, without("logs")));
  assert.equal(consentedPart(envelope, without("errors", "recordings", "logs")), undefined);
  assert.equal(consentedPart(envelope, without("traces")), envelope);
});

Deno.test("client report → without the rows of the withdrawn kind; none left → deleted", () => {
  const envelope = stored(["client_report", report("error", "span", "log_item")]);
  const rest = consentedPart(envelope, without("errors", "logs"))!;
  assert.deepEqual(JSON.parse(text(rest.bytes).split("\n")[2]!), report("span"));
  assert.ok(isConsented(rest.meta, without("errors", "logs")));
  assert.equal(consentedPart(envelope, without("errors", "traces", "logs")), undefined);
});

Deno.test("client report stored by an older version → checked for every kind", () => {
  const { bytes, meta } = stored(["client_report", report("span")]);
  const items = meta.items.map(({ type, bytes }) => ({ type, bytes }));
  const rest = consentedPart({ bytes, meta: { ...meta, items } }, without("logs"))!;
  assert.deepEqual(rest.meta.items[0]!.reported, ["span"]);
});

Deno.test("collected before a new grant → removed; after it → kept", () => {
  const envelope = stored(["event", {}]);
  const since = (granted: number) => (_kind: SignalKind, at = Infinity) => at >= granted;
  assert.equal(consentedPart(envelope, since(CREATED_AT)), envelope);
  assert.equal(consentedPart(envelope, since(CREATED_AT + 1)), undefined);
});
