import assert from "node:assert/strict";
import { flowSentence } from "./flow_sentence.ts";

const at = new Date(2026, 7, 14, 14, 3, 22).getTime();
const nothing = { accepted: 0, refused: 0 };
const running = { flow: nothing, waiting: 0, phase: "running" } as const;
const some = { accepted: 3, refused: 0 };

Deno.test("the glass is still until something was sent, and says what it waits for", () => {
  assert.match(flowSentence({ ...running, phase: "waiting" }), /^Still\. .*loaded and is idle/);
  assert.match(flowSentence({ ...running, phase: "loading" }), /^Still\. Telemetry is loading/);
  assert.equal(flowSentence(running), "Still. Nothing has been sent yet.");
  assert.match(flowSentence({ ...running, flow: some }), /^All delivered\./);
  assert.equal(flowSentence({ ...running, flow: { ...some, refused: 1 } }), "Nothing waits.");
});

Deno.test("failed telemetry comes before all else, with its reason", () => {
  assert.equal(
    flowSentence({ flow: some, waiting: 2, phase: "failed", reason: "no code" }),
    "Telemetry failed: no code. The page works without it.",
  );
});

Deno.test("what waits in this browser comes first, and since when", () => {
  assert.equal(
    flowSentence({ ...running, waiting: 2, waitingSince: at }),
    "2\u00a0envelopes kept in this browser until an answer comes, since 14:03:22.",
  );
  // Left by an earlier page and not yet sent by this one.
  assert.match(flowSentence({ ...running, waiting: 1 }), /until an answer comes\.$/);
});

Deno.test("while the relay keeps what its ingest does not take, it is said since when, how much and how old", () => {
  const flow = { ...some, spoolingSince: at };
  assert.equal(
    flowSentence({ ...running, flow }),
    "The ingest has not answered since 14:03:22: the relay keeps what comes, on its disk.",
  );
  assert.equal(
    flowSentence({ ...running, flow, spool: { pending: 12, oldestAgeS: 185 } }),
    "The ingest has not answered since 14:03:22: the relay keeps 12\u00a0envelopes of all senders " +
      "on its disk, the oldest for 3\u00a0min\u00a005\u00a0s.",
  );
});

Deno.test("once the ingest answers again, what the spool still holds is said until it is empty", () => {
  const spool = { pending: 1, oldestAgeS: 2 };
  assert.match(
    flowSentence({ ...running, flow: some, spool }),
    /^The ingest answers again: .* 1\senvelope .* for 2\ss\.$/,
  );
  const empty = { pending: 0, oldestAgeS: 0 };
  assert.match(
    flowSentence({ ...running, flow: { ...some, spoolingSince: at }, spool: empty }),
    /nothing waits in the relay’s spool/,
  );
  assert.match(flowSentence({ ...running, flow: some, spool: empty }), /^All delivered\./);
});
