import assert from "node:assert/strict";
import { statusSentence } from "./status_sentence.ts";

const at = new Date(2026, 7, 14, 14, 3, 22).getTime();
const some = { accepted: 3, refused: 0 };
const since = { ...some, spoolingSince: at };
const empty = { pending: 0, oldest_age_s: 0 };
const UNAVAILABLE = "The ingest has been unavailable since 14:03:22: the relay";

type Status = Partial<Parameters<typeof statusSentence>[0]>;
const CASES: readonly (readonly [situation: string, status: Status, sentence: string | RegExp])[] =
  [
    ["telemetry waits", { phase: "waiting" }, /^Nothing sent.*loaded and is idle/],
    ["telemetry loads", { phase: "loading" }, /Telemetry is loading/],
    ["nothing was sent", {}, "Nothing sent yet."],
    ["all was accepted", { flow: some }, "All delivered."],
    ["something was refused", { flow: { ...some, refused: 1 } }, "No envelopes waiting."],
    [
      "telemetry failed, whatever else applies",
      { flow: some, waiting: 2, phase: "failed", reason: "no code" },
      "Telemetry failed: no code. The page works without it.",
    ],
    [
      "envelopes wait in this browser",
      { waiting: 2, waitingSince: at },
      "2 envelopes waiting in this browser since 14:03:22.",
    ],
    [
      "an envelope of an earlier page waits",
      { waiting: 1 },
      "1 envelope waiting in this browser.",
    ],
    ["ingest is down", { flow: since }, `${UNAVAILABLE} stores envelopes in its spool.`],
    [
      "ingest is down, the spool is known",
      { flow: since, spool: { pending: 12, oldest_age_s: 185 } },
      `${UNAVAILABLE} has 12 envelopes of all senders in its spool, the oldest for 3 min 05 s.`,
    ],
    [
      "ingest is up again, something is spooled",
      { flow: some, spool: { pending: 1, oldest_age_s: 2 } },
      /^The ingest is available again: .* 1 envelope .* for 2 s\.$/,
    ],
    ["spool is emptied", { flow: since, spool: empty }, /the relay’s spool is empty/],
    ["spool is empty", { flow: some, spool: empty }, "All delivered."],
  ];
for (const [situation, status, expected] of CASES) {
  Deno.test(`${situation} → ${expected}`, () => {
    const nothing = { accepted: 0, refused: 0 };
    const sentence = statusSentence({ flow: nothing, waiting: 0, phase: "running", ...status })
      .replaceAll("\u00a0", " ");
    if (typeof expected === "string") assert.equal(sentence, expected);
    else assert.match(sentence, expected);
  });
}
