import assert from "node:assert/strict";
import type { Passing } from "./flow.ts";
import { flowSentence } from "./flow_sentence.ts";

const lastRefused: Passing = {
  id: "a",
  at: new Date(2026, 7, 14, 14, 3, 22).getTime(),
  bytes: 1,
  status: 403,
  error: "dsn_not_allowed",
};
const running = { flow: { accepted: 0, spooled: 0 }, waiting: 0, phase: "running" } as const;

Deno.test("the glass is still until something was sent, and says what it waits for", () => {
  assert.match(flowSentence({ ...running, phase: "waiting" }), /^Still\. .*loaded and is idle/);
  assert.match(flowSentence({ ...running, phase: "loading" }), /^Still\. Telemetry is loading/);
  assert.equal(flowSentence(running), "Still. Nothing has been sent yet.");
  assert.match(flowSentence({ ...running, flow: { accepted: 3, spooled: 0 } }), /Nothing waits/);
});

Deno.test("failed telemetry comes before all else, with its reason", () => {
  assert.equal(
    flowSentence({
      flow: { accepted: 1, spooled: 0, lastRefused },
      waiting: 2,
      phase: "failed",
      reason: "no code",
    }),
    "Telemetry failed: no code. The page works without it.",
  );
});

Deno.test("what waits comes before what was refused", () => {
  const state = { ...running, flow: { accepted: 1, spooled: 0, lastRefused } };
  assert.equal(
    flowSentence({ ...state, waiting: 2 }),
    "2\u00a0envelopes kept in this browser until an answer comes.",
  );
  assert.equal(flowSentence(state), "Last refused at 14:03:22 (status 403): dsn_not_allowed");
});

Deno.test("what the relay keeps is not said to have arrived", () => {
  assert.match(
    flowSentence({ ...running, flow: { accepted: 1, spooled: 2 } }),
    /^2\senvelopes left with the relay, which sends them on\.$/,
  );
});
