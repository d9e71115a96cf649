import assert from "node:assert/strict";
import type { SignalEvidence } from "./proof_evidence.ts";
import { evaluateProof } from "./proof_model.ts";
import { proofAsText } from "./proof_text.ts";
import { receiptOf } from "../testdata/rows.ts";
import { RELAY } from "./testdata/evidence.ts";

Deno.test("a proof as text → table, verdict, causes, ids", () => {
  const withReceipt = (status: number, outcome: string): SignalEvidence => (
    { id: "1f", createdMs: 2, receipt: receiptOf({ status, outcome }) }
  );
  const delivered = withReceipt(200, "delivered");
  const evidence = {
    error: delivered,
    span: withReceipt(202, "spooled"),
    log: { off: "switched off" },
    recording: delivered,
  };
  const evaluation = evaluateProof(evidence, { ...RELAY, isOver: true });
  const text = proofAsText(
    { ...evaluation, evidence, startedAt: Date.UTC(2026, 0, 2), tookMs: 5100 },
    { origin: "https://status.example.com", route: "/monitoring", variant: "relay" },
  );
  assert.deepEqual(text.split("\n"), [
    "Sightglass proof of https://status.example.com, relay mode, envelopes to /monitoring",
    "2026-01-02T00:00:00.000Z, 5.10 s",
    "",
    "Not proven: not every signal has arrived, and none is lost.",
    "",
    "                       Error       Span        Log           Recording",
    "Created                yes, 2 ms   yes, 2 ms   off           yes, 2 ms",
    "Sampled                yes         yes         switched off  yes",
    "Stored in the browser  yes, 4 ms   yes, 4 ms   –             yes, 4 ms",
    "Sent                   yes, 6 ms   yes, 6 ms   –             yes, 6 ms",
    "Answered               200, 20 ms  202, 20 ms  –             200, 20 ms",
    "Outcome                delivered   spooled     –             delivered",
    "At the ingest          accepted    –           –             accepted",
    "",
    "Warning at Outcome: span",
    "Cause: The ingest does not answer: the relay keeps the envelope in its spool. It has not arrived yet.",
    evaluation.findings.map(({ fix }) => `Fix: ${fix}`)[0],
    "",
    "Error: 1f",
    "Span: 1f",
    "Recording: 1f",
  ]);
});
