import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { receiptOf } from "../testdata/rows.ts";
import { CAUSES, type ProofContext, type Step, STEPS } from "./causes.ts";
import { evaluateProof } from "./evaluate.ts";
import type { SignalEvidence } from "./evidence.ts";
import { type Signal, SIGNAL_LIST } from "./signals.ts";

const INBOX: ProofContext = {
  variant: "inbox",
  route: "/monitoring",
  phase: "running",
  recording: "buffering",
  isOver: false,
};
const RELAY: ProofContext = { ...INBOX, variant: "relay" };
const DIRECT: ProofContext = { ...RELAY, route: "direct to the ingest" };
const OVER = { isOver: true };

const sent = (change: Partial<Receipt> = {}): SignalEvidence => (
  { createdMs: 2, receipt: receiptOf(change) }
);
const PASSED: SignalEvidence = { ...sent(), id: "1f", foundMs: 7 };
const unanswered = (change: Partial<Receipt> = {}) =>
  sent({ status: undefined, outcome: undefined, error: "no connection", ...change });
const WAITING = unanswered({ attempts: 0, error: undefined });
const LIMITED: SignalEvidence = {
  receipt: receiptOf({ attempts: 0, status: undefined, outcome: "rate_limited" }),
};
const refused = (status: number, outcome?: string) => sent({ status, outcome, error: "Why" });

/** Evaluates a proof in which one signal differs from the others, which have passed. */
function evaluate(
  evidence: SignalEvidence,
  context: ProofContext,
  signal: Signal = "error",
) {
  const passed = context.variant === "inbox" ? PASSED : sent({ outcome: "delivered" });
  const others = { error: passed, span: passed, log: passed, recording: passed };
  return evaluateProof({ ...others, [signal]: evidence }, context);
}

Deno.test("every step taken → passed, with the time of each step alone; by the ingest, if there is no inbox", () => {
  const { verdict, findings, cells } = evaluate(PASSED, INBOX);
  assert.deepEqual([verdict, findings], ["passed", []]);
  assert.deepEqual(cells.error.map(({ text, ms }) => [text, ms]), [
    ["yes", 2],
    ["yes", 10],
    ["200 stored", 20],
    ["yes", 7],
  ]);
  assert.equal(evaluate(sent({ outcome: "delivered" }), RELAY).cells.error[3]!.text, "accepted");
  assert.equal(evaluate(sent({ outcome: undefined }), DIRECT).verdict, "passed");
});

type Broken = readonly [
  name: string,
  evidence: SignalEvidence,
  context: Partial<ProofContext>,
  cause: RegExp,
  signal?: Signal,
];

/** What is known of a signal, and the cause by which it breaks at a step. */
const BROKEN: Readonly<Record<Step, readonly Broken[]>> = {
  made: [
    ["no consent", { off: "no consent" }, {}, /consent is withdrawn/],
    ["telemetry failed", {}, { phase: "failed", reason: "x" }, /did not start\. .*“x”/],
    ["telemetry waits", {}, { phase: "loading", ...OVER }, /did not start/],
    ["withdrawn meanwhile", unanswered({ outcome: "withdrawn" }), {}, /consent is withdrawn/],
    ["recorder failed", {}, { recording: "failed" }, /recorder did not load/, "recording"],
    ["no envelope", {}, OVER, /created no envelope/],
    ["uncompressed", PASSED, { compressionProblem: "x" }, /not compressed/, "recording"],
  ],
  sent: [
    ["offline", unanswered(), { connection: "offline" }, /offline/],
    ["offline, behind another", WAITING, { connection: "offline", ...OVER }, /offline/],
    ["blocked", unanswered(), { connection: "blocked" }, /\/monitoring are blocked/],
    [
      "blocked, sent directly",
      unanswered(),
      { ...DIRECT, connection: "blocked" },
      /ingest are blocked/,
    ],
    ["server down", unanswered(), { connection: "down" }, /cannot reach the server/],
    ["ingest down", unanswered(), { ...DIRECT, connection: "down" }, /cannot reach the ingest/],
    [
      "not stored",
      { ...PASSED, ...sent({ storedMs: undefined }) },
      { storageProblem: "in memory" },
      /does not store envelopes/,
    ],
  ],
  answered: [
    ["another tab", sent({ outcome: "handed_over" }), {}, /Another tab/],
    ["no answer", unanswered({ error: undefined }), OVER, /no answer in time\./],
    ["behind others", WAITING, OVER, /no answer in time/],
    ["discarded", unanswered({ outcome: "dropped", error: "too old" }), OVER, /no answer.*too old/],
    ["under a limit, no envelope", LIMITED, RELAY, /limits the rate/],
    ["limited", refused(429, "rate_limited"), RELAY, /limits the rate.*Why/],
    ["nothing stores", refused(503), {}, /503: .*neither deliver nor store/],
    ["the ingest fails, sent directly", refused(502), DIRECT, /502: the ingest fails/],
    ["a proxy", refused(200), {}, /Something other than Sightglass answered \/monitoring/],
    ["refused", refused(403, "rejected"), RELAY, /refused with 403\. It reports: “Why”/],
    [
      "spooled",
      sent({ status: 202, outcome: "spooled" }),
      RELAY,
      /keeps the envelope in its spool/,
    ],
    ["a duplicate", sent({ outcome: "duplicate" }), RELAY, /of an earlier attempt/],
  ],
  found: [
    ["inbox forbidden", sent(), { ...OVER, inboxProblem: "No token." }, /cannot be read.*No token/],
    ["not in the inbox", sent(), OVER, /does not have it/],
  ],
};
const ALL_BROKEN = STEPS.flatMap((step) => BROKEN[step].map((row) => [step, ...row] as const));

for (const [step, name, evidence, context, cause, signal = "error"] of ALL_BROKEN) {
  Deno.test(`${name} → broken at ${step}, with its cause and what to do`, () => {
    const { verdict, findings, cells } = evaluate(evidence, { ...INBOX, ...context }, signal);
    const [finding, ...others] = findings;
    assert.deepEqual([finding?.step, finding?.signals, others], [step, [signal], []]);
    assert.match(finding!.cause, cause);
    for (const text of [finding!.cause, finding!.fix]) {
      assert.match(text, /^[A-Z].*[.”]$/);
      assert.doesNotMatch(text, /undefined|\.\./);
    }
    assert.equal(verdict, finding!.isWarning ? "warning" : "failed");
    assert.equal(cells[signal][STEPS.indexOf(step)]!.state, verdict);
    assert.equal(cells.span[STEPS.indexOf(step)]!.state, "passed");
  });
}

Deno.test("every cause → named by one of the tests above", () => {
  const named = ALL_BROKEN.map(([step, , evidence, more, , signal = "error"]) => {
    const state = { signal, ...evidence, ...INBOX, ...more };
    return CAUSES.findIndex((cause) => cause.step === step && cause.applies(state));
  });
  assert.deepEqual(CAUSES.keys().filter((n) => !named.includes(n)).toArray(), []);
});

Deno.test("same step and cause → one finding with all signals, the first step first", () => {
  const { findings } = evaluateProof(
    { error: unanswered(), span: unanswered(), log: {}, recording: PASSED },
    { ...INBOX, isOver: true, connection: "blocked" },
  );
  assert.deepEqual(findings.map(({ step, signals }) => [step, signals]), [
    ["made", ["log"]],
    ["sent", ["error", "span"]],
  ]);
});

Deno.test("no recorder → shown as off, and the others decide", () => {
  const { cells, verdict } = evaluate({ off: "no recorder runs" }, INBOX, "recording");
  assert.equal(cells.recording[0]!.text, "no recorder runs");
  assert.equal(verdict, "passed");
});

Deno.test("evidence is missing, time is left → pending, no cause; over → none is pending or has passed unseen", () => {
  const pending: readonly (readonly [SignalEvidence, Partial<ProofContext>?])[] = [
    [{}],
    [{}, { phase: "waiting" }],
    // Not yet diagnosed.
    [unanswered()],
    [WAITING, { connection: "down" }],
    [sent(), { inboxProblem: "The inbox does not answer." }],
  ];
  for (const [evidence, context] of pending) {
    const { verdict, findings } = evaluate(evidence, { ...INBOX, ...context });
    assert.deepEqual([verdict, findings], ["pending", []], JSON.stringify(evidence));
  }
  for (const signal of SIGNAL_LIST) {
    for (const [, , evidence, more] of ALL_BROKEN) {
      const { verdict, cells } = evaluate(evidence, { ...INBOX, ...more, ...OVER }, signal);
      assert.notEqual(verdict, "pending");
      assert.ok(verdict !== "passed" || cells[signal].at(-1)!.state === "passed");
    }
  }
});
