import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { receiptOf } from "../testdata/rows.ts";
import { CAUSES, type Circumstances, type SignalEvidence, type Step, STEPS } from "./causes.ts";
import { evaluateProof, proofAsText } from "./evaluate.ts";
import { type Signal, SIGNALS } from "./find_signals.ts";

const INBOX: Circumstances = {
  variant: "inbox",
  route: "/monitoring",
  phase: "running",
  recorder: "buffering",
  isOnline: true,
  isOver: false,
};
const RELAY: Circumstances = { ...INBOX, variant: "relay" };
const DIRECT: Circumstances = { ...RELAY, route: "direct to the ingest" };
const OVER = { isOver: true };

const sent = (change: Partial<Receipt> = {}): SignalEvidence => (
  { createdMs: 2, receipt: receiptOf(change) }
);
const PASSED: SignalEvidence = { ...sent(), id: "1f", found: { ms: 7, envelope: 3 } };
const unanswered = (change: Partial<Receipt> = {}) =>
  sent({ status: undefined, outcome: undefined, error: "no connection", ...change });
const WAITING = unanswered({ attempts: 0, error: undefined });
const refused = (status: number, outcome?: string) => sent({ status, outcome, error: "Why" });

/** Evaluates a proof in which one signal differs from the others, which have passed. */
function evaluate(
  evidence: SignalEvidence,
  circumstances: Circumstances,
  signal: Signal = "error",
) {
  const passed = circumstances.variant === "inbox" ? PASSED : sent({ outcome: "delivered" });
  const others = { error: passed, span: passed, log: passed, recording: passed };
  return evaluateProof({ ...others, [signal]: evidence }, circumstances);
}

Deno.test("every step taken → passed, with the time of each step alone; by the ingest, if there is no inbox", () => {
  const { verdict, findings, cells } = evaluate(PASSED, INBOX);
  assert.deepEqual([verdict, findings], ["passed", []]);
  assert.deepEqual(STEPS.map((step) => [cells.error[step].text, cells.error[step].ms]), [
    ["yes", 2],
    ["yes", 10],
    ["200 stored", 20],
    ["yes", 7],
  ]);
  assert.equal(evaluate(sent({ outcome: "delivered" }), RELAY).cells.error.found.text, "accepted");
  assert.equal(evaluate(sent({ outcome: undefined }), DIRECT).verdict, "passed");
});

type Broken = readonly [
  name: string,
  evidence: SignalEvidence,
  circumstances: Partial<Circumstances>,
  cause: RegExp,
  signal?: Signal,
];

/** What is known of a signal, and the cause by which it breaks at a step. */
const BROKEN: Readonly<Record<Step, readonly Broken[]>> = {
  made: [
    ["no consent", { off: "no consent" }, {}, /consent is withdrawn/],
    ["telemetry failed", {}, { phase: "failed", reason: "x" }, /did not start\. .*“x”/],
    ["telemetry waits", {}, { phase: "loading", ...OVER }, /has not started/],
    ["not sampled", { isSampled: false }, {}, /not sampled/],
    ["recorder failed", {}, { recorder: "failed" }, /recorder did not load/, "recording"],
    ["no envelope", {}, OVER, /created no envelope/],
    ["uncompressed", PASSED, { isUncompressed: true }, /not compressed/, "recording"],
  ],
  sent: [
    ["under a limit, no envelope", { isLimited: true }, RELAY, /limits the rate/],
    ["withdrawn meanwhile", unanswered({ outcome: "withdrawn" }), {}, /consent is withdrawn/],
    ["offline", unanswered(), { isOnline: false }, /offline/],
    ["offline, behind another", WAITING, { isOnline: false, ...OVER }, /offline/],
    ["blocked", unanswered(), { isReachable: true }, /\/monitoring are blocked/],
    [
      "blocked, sent directly",
      unanswered(),
      { ...DIRECT, isReachable: true },
      /ingest are blocked/,
    ],
    ["server down", unanswered(), { isReachable: false }, /does not answer/],
    ["ingest down", unanswered(), { ...DIRECT, isReachable: false }, /cannot reach the ingest/],
    ["behind others", WAITING, { ahead: refused(503).receipt, ...OVER }, /with 503\. .*“Why”/],
    ["discarded", unanswered({ outcome: "dropped", error: "too old" }), {}, /discarded .*too old/],
    [
      "not stored",
      { ...PASSED, ...sent({ storedMs: undefined }) },
      { storageProblem: "refuses IndexedDB (E)" },
      /refuses IndexedDB \(E\)/,
    ],
  ],
  answered: [
    ["another tab", sent({ outcome: "handed_over" }), {}, /Another tab/],
    ["no answer", unanswered({ error: undefined }), { ...OVER, isReachable: true }, /No answer/],
    ["limited", refused(429, "rate_limited"), RELAY, /limits the rate.*Why/],
    ["nothing stores", refused(503), {}, /neither deliver nor store.*503/],
    ["the ingest fails, sent directly", refused(502), DIRECT, /The ingest answers 502/],
    ["a proxy", refused(200), {}, /Something other than Sightglass answered \/monitoring/],
    ["refused", refused(403, "rejected"), RELAY, /refused with 403\. It reports: “Why”/],
    [
      "spooled",
      sent({ status: 202, outcome: "spooled" }),
      RELAY,
      /keeps the envelope in its spool/,
    ],
    ["a duplicate", sent({ outcome: "duplicate" }), RELAY, /answer was lost/],
  ],
  found: [
    ["inbox forbidden", sent(), { ...OVER, inboxProblem: "No token." }, /cannot be read.*No token/],
    ["not in the inbox", sent(), OVER, /does not have it/],
  ],
};
const ALL_BROKEN = STEPS.flatMap((step) => BROKEN[step].map((row) => [step, ...row] as const));

for (const [step, name, evidence, circumstances, cause, signal = "error"] of ALL_BROKEN) {
  Deno.test(`${name} → broken at ${step}, with its cause and what to do`, () => {
    const { verdict, findings, cells } = evaluate(evidence, { ...INBOX, ...circumstances }, signal);
    const [finding, ...others] = findings;
    assert.deepEqual([finding?.step, finding?.signals, others], [step, [signal], []]);
    assert.match(finding!.cause, cause);
    for (const text of [finding!.cause, finding!.fix]) {
      assert.match(text, /^[A-Z].*[.”]$/);
      assert.doesNotMatch(text, /undefined|\.\./);
    }
    assert.equal(verdict, finding!.isWarning ? "warning" : "failed");
    assert.equal(cells[signal][step].state, verdict);
    assert.equal(cells.span[step].state, "passed");
  });
}

Deno.test("every cause → named by one of the tests above", () => {
  const named = ALL_BROKEN.map(([step, , evidence, more, , signal = "error"]) => {
    const situation = { signal, ...evidence, ...INBOX, ...more };
    return CAUSES.findIndex((cause) => cause.step === step && cause.applies(situation));
  });
  assert.deepEqual(CAUSES.keys().filter((n) => !named.includes(n)).toArray(), []);
});

Deno.test("same step and cause → one finding with all signals, the first step first", () => {
  const { findings } = evaluateProof(
    { error: unanswered(), span: unanswered(), log: {}, recording: PASSED },
    { ...INBOX, isOver: true, isReachable: true },
  );
  assert.deepEqual(findings.map(({ step, signals }) => [step, signals]), [
    ["made", ["log"]],
    ["sent", ["error", "span"]],
  ]);
});

Deno.test("no recorder → shown as off, and the others decide", () => {
  const { cells, verdict } = evaluate({ off: "no recorder runs" }, INBOX, "recording");
  assert.equal(cells.recording.made.text, "no recorder runs");
  assert.equal(verdict, "passed");
});

Deno.test("evidence is missing, time is left → pending, no cause; over → none is pending or has passed unseen", () => {
  const pending: readonly (readonly [SignalEvidence, Partial<Circumstances>?])[] = [
    [{}],
    [{}, { phase: "waiting" }],
    // Not yet diagnosed.
    [unanswered()],
    [WAITING, { ahead: unanswered().receipt }],
    [WAITING, { ahead: refused(502).receipt }],
    [sent(), { inboxProblem: "The inbox does not answer." }],
  ];
  for (const [evidence, circumstances] of pending) {
    const { verdict, findings } = evaluate(evidence, { ...INBOX, ...circumstances });
    assert.deepEqual([verdict, findings], ["pending", []], JSON.stringify(evidence));
  }
  for (const signal of SIGNALS) {
    for (const [, , evidence, more] of ALL_BROKEN) {
      const { verdict, cells } = evaluate(evidence, { ...INBOX, ...more, ...OVER }, signal);
      assert.notEqual(verdict, "pending");
      assert.ok(verdict !== "passed" || cells[signal].found.state === "passed");
    }
  }
});

Deno.test("a proof as text → table, verdict, causes, ids", () => {
  const delivered = { ...sent({ outcome: "delivered" }), id: "1f" };
  const evidence = {
    error: delivered,
    span: { ...sent({ status: 202, outcome: "spooled" }), id: "1f" },
    log: { off: "no recorder runs" } as const,
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
    "               Error                 Span         Log               Recording",
    "Made           yes, 2 ms             yes, 2 ms    no recorder runs  yes, 2 ms",
    "Sent           yes, 10 ms            yes, 10 ms   –                 yes, 10 ms",
    "Answered       200 delivered, 20 ms  202 spooled  –                 200 delivered, 20 ms",
    "At the ingest  accepted              –            –                 accepted",
    "",
    "Warning at Answered: span",
    `Cause: ${evaluation.findings[0]!.cause}`,
    `Fix: ${evaluation.findings[0]!.fix}`,
    "",
    "Error: 1f",
    "Span: 1f",
    "Recording: 1f",
  ]);
});
