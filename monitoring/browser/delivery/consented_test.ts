import assert from "node:assert/strict";
import { createEnvelope, serializeEnvelope } from "@sentry/core/browser";
import type { SignalKind } from "../consent.ts";
import { isConsented, kindOf } from "./consented.ts";
import { describeEnvelope, sdkCategoryOf } from "./envelope.ts";

const CREATED_AT = 1_000;

function stored(...items: [type: string, payload: unknown, header?: object][]) {
  const envelope = createEnvelope(
    { event_id: "e" } as never,
    items.map(([type, payload, header]) => [{ type, ...header }, payload]) as never,
  );
  const body = serializeEnvelope(envelope);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return { meta: describeEnvelope(bytes, "local", CREATED_AT) };
}

const without = (...kinds: SignalKind[]) => (kind: SignalKind) => !kinds.includes(kind);
const report = (...categories: string[]) => ({
  discarded_events: categories.map((category) => ({ reason: "x", category, quantity: 1 })),
});

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

Deno.test("client report → covered only if the kinds of its discarded events are", () => {
  const { meta } = stored(["client_report", report("error", "span")]);
  assert.ok(isConsented(meta, without("logs")));
  assert.ok(!isConsented(meta, without("traces")));
  // Stored by an older version of the page, which did not note them.
  const items = meta.items.map(({ type, bytes }) => ({ type, bytes }));
  assert.ok(!isConsented({ ...meta, items }, without("logs")));
});
