import assert from "node:assert/strict";
import { receiptOf } from "../testdata/rows.ts";
import { addEvidence, type MadeEnvelope, NO_EVIDENCE } from "./evidence.ts";
import { type MadeSignals, mapSignals } from "./signals.ts";

const made: MadeSignals = { ids: { error: "e", span: "s", log: "l" }, traceId: "t", at: 100 };
const envelope = (at: number, ids: Partial<MadeEnvelope["ids"]>): MadeEnvelope => (
  { at, ids: { ...mapSignals(() => []), ...ids } }
);
const running = { receipts: [], replayId: "r", recording: "buffering" } as const;

Deno.test("envelope with the id → created, and followed by its receipt", () => {
  const envelopes = [envelope(103, { error: ["x", "e"] })];
  const first = addEvidence(NO_EVIDENCE, made, envelopes, running);
  assert.deepEqual([first.error.createdMs, first.error.receipt], [3, undefined]);
  assert.deepEqual([first.log.id, first.log.createdMs], ["l", undefined]);
  const receipt = receiptOf({ at: 103 });
  const second = addEvidence(first, made, envelopes, { ...running, receipts: [receipt] });
  assert.equal(second.error.receipt, receipt);
  const later = addEvidence(second, made, [], running);
  assert.deepEqual(later.error, second.error, "envelope and receipt have left their lists");
});

Deno.test("recording → its first segment since, of this page's recorder", () => {
  const ids = { recording: ["other segment 0", "r segment 3", "r segment 4"] };
  const first = addEvidence(NO_EVIDENCE, made, [envelope(101, ids)], running);
  assert.equal(first.recording.id, "r segment 3");
  const later = [envelope(102, { recording: ["r segment 5"] })];
  assert.equal(addEvidence(first, made, later, running).recording.id, "r segment 3");
});

Deno.test("item dropped for a rate limit → its receipt, without an envelope", () => {
  const limited = receiptOf({ at: 101, attempts: 0, outcome: "rate_limited" });
  const receipts = [{ ...limited, items: [{ type: "log", bytes: 0 }] }];
  const { log, error } = addEvidence(NO_EVIDENCE, made, [], { ...running, receipts });
  assert.deepEqual([log.receipt, error.receipt], [receipts[0], undefined]);
});

Deno.test("consent withdrawn, no recorder → switched off", () => {
  const consent = { errors: Infinity, traces: 0, logs: 0, recordings: 0 };
  const { error, span, recording } = addEvidence(NO_EVIDENCE, made, [], {
    ...running,
    recording: "off",
    consent,
  });
  assert.deepEqual([error.off, span.off, recording.off], [
    "no consent",
    undefined,
    "no recorder runs",
  ]);
});
