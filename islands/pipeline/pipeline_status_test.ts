import assert from "node:assert/strict";
import { pipelineStatus } from "./pipeline_status.ts";

type State = Parameters<typeof pipelineStatus>[0];

const counts = { accepted: 3, spooled: [] as string[], left: 0, refused: 0, lost: 0 };
const spool = { pending: 0, bytes: 0, oldest_age_s: 0 };
const health = { spool, refusedOfOthers: 4, refusedBefore: 4, lost: 1, lostBefore: 1 };

const STATES: readonly (readonly [string, Partial<State>, kind: string, sentence: string])[] = [
  ["nothing sent", {}, "ended", "This console: nothing sent."],
  ["all accepted", { counts, health }, "flows", "This console: all delivered."],
  [
    "delivered by another process",
    { counts: { ...counts, left: 2 }, health },
    "flows",
    "This console: nothing waits.",
  ],
  ["one waits", { counts, waiting: 1 }, "waits", "This console: 1 waiting."],
  [
    "refused, lost and waiting",
    { counts: { ...counts, refused: 2, lost: 1 }, waiting: 5 },
    "refused",
    "This console: 5 waiting, 2 refused, 1 lost.",
  ],
  [
    "another sender is refused",
    { counts: { ...counts, refused: 2 }, health: { ...health, refusedOfOthers: 7 } },
    "refused",
    "This console: 2 refused. Applications: 3 refused.",
  ],
  [
    "given up by the relay",
    { counts, health: { ...health, lost: 3 } },
    "refused",
    "This server: 2 lost.",
  ],
  [
    "spooled, not reported",
    { counts: { ...counts, spooled: ["a", "b"] } },
    "waits",
    "This console: 2 in the relay’s spool.",
  ],
  [
    "spooled by any sender",
    { counts, health: { ...health, spool: { ...spool, pending: 7 } } },
    "waits",
    "This server: 7 in the relay’s spool.",
  ],
  [
    "telemetry failed",
    { phase: "failed", reason: "blocked", waiting: 1 },
    "refused",
    "Telemetry of this console failed: blocked. This console: 1 waiting.",
  ],
];
for (const [title, state, kind, sentence] of STATES) {
  Deno.test(`${title} → one mark and one sentence`, () => {
    assert.deepEqual(pipelineStatus({ phase: "running", ...state }), { kind, sentence });
  });
}
