import assert from "node:assert/strict";
import { statusSentence } from "./status_sentence.ts";

const at = new Date(2026, 7, 14, 14, 3, 22).getTime();
const nothing = { accepted: 0, refused: 0 };
const running = { flow: nothing, waiting: 0, phase: "running" } as const;
const some = { accepted: 3, refused: 0 };

Deno.test("nothing was sent → why not; something was sent → how it ended", () => {
  assert.match(
    statusSentence({ ...running, phase: "waiting" }),
    /^Nothing sent.*loaded and is idle/,
  );
  assert.match(statusSentence({ ...running, phase: "loading" }), /Telemetry is loading/);
  assert.equal(statusSentence(running), "Nothing sent yet.");
  assert.equal(statusSentence({ ...running, flow: some }), "All delivered.");
  const refused = { ...some, refused: 1 };
  assert.equal(statusSentence({ ...running, flow: refused }), "No envelopes waiting.");
});

Deno.test("telemetry failed → its reason, whatever else applies", () => {
  assert.equal(
    statusSentence({ flow: some, waiting: 2, phase: "failed", reason: "no code" }),
    "Telemetry failed: no code. The page works without it.",
  );
});

Deno.test("envelopes wait in this browser → their number and since when", () => {
  assert.equal(
    statusSentence({ ...running, waiting: 2, waitingSince: at }),
    "2\u00a0envelopes waiting in this browser since 14:03:22.",
  );
  // Left by an earlier page and not sent by this one yet.
  assert.equal(
    statusSentence({ ...running, waiting: 1 }),
    "1\u00a0envelope waiting in this browser.",
  );
});

Deno.test("ingest is down → since when, how much is spooled and how old it is", () => {
  const flow = { ...some, spoolingSince: at };
  assert.equal(
    statusSentence({ ...running, flow }),
    "The ingest has been unavailable since 14:03:22: the relay stores envelopes in its spool.",
  );
  assert.equal(
    statusSentence({ ...running, flow, spool: { pending: 12, oldest_age_s: 185 } }),
    "The ingest has been unavailable since 14:03:22: the relay has 12\u00a0envelopes of all " +
      "senders in its spool, the oldest for 3\u00a0min\u00a005\u00a0s.",
  );
});

Deno.test("ingest is up again → what is spooled, until the spool is empty", () => {
  const spool = { pending: 1, oldest_age_s: 2 };
  assert.match(
    statusSentence({ ...running, flow: some, spool }),
    /^The ingest is available again: .* 1\senvelope .* for 2\ss\.$/,
  );
  const empty = { pending: 0, oldest_age_s: 0 };
  assert.match(
    statusSentence({ ...running, flow: { ...some, spoolingSince: at }, spool: empty }),
    /the relay’s spool is empty/,
  );
  assert.equal(statusSentence({ ...running, flow: some, spool: empty }), "All delivered.");
});
