import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { SIGNALS } from "./find_signals.ts";
import { type Cause, CAUSES } from "./proof_causes.ts";
import type { Circumstances, SignalEvidence } from "./proof_evidence.ts";
import { evaluateProof, type Step, STEPS } from "./proof_model.ts";
import { receiptOf } from "../testdata/rows.ts";
import { INBOX, RELAY } from "./testdata/evidence.ts";

const DIRECT: Circumstances = { ...RELAY, route: "direct to the ingest" };

const withReceipt = (change: Partial<Receipt> = {}, more: SignalEvidence = {}): SignalEvidence => (
  { createdMs: 2, receipt: receiptOf(change), ...more }
);
const FOUND = { found: { ms: 7, envelope: 3 } };
const PASSED = withReceipt({}, { id: "e", ...FOUND });
const unstored = withReceipt({ storedMs: undefined }, FOUND);
const ended = (outcome: string | undefined) => withReceipt({ outcome });
const delivered = ended("delivered");
const withStatus = (status: number, outcome?: string) => withReceipt({ status, outcome });
const unanswered = (change: Partial<Receipt> = {}) =>
  withReceipt({ status: undefined, outcome: undefined, ...change });
const withoutConnection = unanswered({ error: "no connection" });
const notYetSent = unanswered({ attempts: 0 });
const OVER = { isOver: true };
const refusal = (code: string) => ({ refusal: { isOfRelay: true, code } });

/** Evaluates a proof in which one signal differs from the others, which have passed. */
function evaluate(
  evidence: SignalEvidence,
  circumstances: Circumstances,
  signal: (typeof SIGNALS)[number] = "error",
) {
  const passed = circumstances.variant === "inbox" ? PASSED : delivered;
  const others = { error: passed, span: passed, log: passed, recording: passed };
  return evaluateProof({ ...others, [signal]: evidence }, circumstances);
}

Deno.test("every step taken → passed, with the time of each step alone", () => {
  const { verdict, findings, cells } = evaluate(PASSED, INBOX);
  assert.deepEqual([verdict, findings], ["passed", []]);
  assert.deepEqual(STEPS.map((step) => [cells.error[step].text, cells.error[step].ms]), [
    ["yes", 2],
    ["yes", undefined],
    ["yes", 4],
    ["yes", 6],
    ["200", 20],
    ["stored", undefined],
    ["yes", 7],
  ]);
});

Deno.test("relay mode → the acceptance by the ingest is the last step", () => {
  assert.equal(evaluate(delivered, RELAY).verdict, "passed");
  assert.equal(evaluate(delivered, RELAY).cells.error.found.text, "accepted");
  // An earlier attempt may be in the spool.
  assert.equal(evaluate(ended("duplicate"), RELAY).verdict, "warning");
  assert.equal(evaluate(ended(undefined), DIRECT).verdict, "passed");
});

type Broken = readonly [
  cause: Cause,
  name: string,
  evidence: SignalEvidence,
  circumstances?: Partial<Circumstances>,
];
const REFUSED_STORAGE = { problem: "refused", detail: "SecurityError" } as const;
const HANDED_OVER = { outcome: "handed_over", attempts: 0 };
const REJECTED = withStatus(403, "rejected");
const REACHABLE = { isReachable: true };
const UNREACHABLE = { isReachable: false };
const OFFLINE = { isOnline: false };
const BEHIND_BLOCKED = { ahead: withoutConnection.receipt, ...REACHABLE, ...OVER };
const BEHIND_UNSTORED = {
  ahead: withStatus(503).receipt,
  ...refusal("spool_full"),
  ...OVER,
};

/** What is known of the error, and for which cause it breaks at a step. */
const BROKEN: Readonly<Record<Step, readonly Broken[]>> = {
  created: [
    ["telemetry_failed", "telemetry failed", {}, { phase: "failed", reason: "blocked" }],
    ["telemetry_late", "telemetry waits", {}, { phase: "loading", ...OVER }],
    ["no_envelope", "no envelope", {}, OVER],
  ],
  sampled: [
    ["not_sampled", "not sampled", { isSampled: false }],
    ["not_granted", "not granted", { off: "no consent" }],
  ],
  stored: [
    ["storage_refused", "IndexedDB refused", unstored, { storage: REFUSED_STORAGE }],
    ["storage_full", "disk full", unstored, { storage: { problem: "full" } }],
  ],
  sent: [
    ["offline", "offline", withoutConnection, OFFLINE],
    ["offline", "offline, behind another", notYetSent, { ...OFFLINE, ...OVER }],
    ["request_blocked", "blocked", withoutConnection, REACHABLE],
    ["request_blocked", "blocked, sent directly", withoutConnection, { ...DIRECT, ...REACHABLE }],
    ["request_blocked", "behind a blocked one", notYetSent, { ...REACHABLE, ...OVER }],
    ["server_unreachable", "server down", withoutConnection, UNREACHABLE],
    ["ingest_unreachable", "ingest down", withoutConnection, { ...DIRECT, ...UNREACHABLE }],
    ["not_sent", "behind others", notYetSent, OVER],
    ["request_blocked", "behind one that a blocker blocks", notYetSent, BEHIND_BLOCKED],
    ["relay_cannot_store", "behind one that nothing stores", notYetSent, BEHIND_UNSTORED],
    ["not_sent", "no receipt", { createdMs: 2 }, OVER],
    ["dropped", "dropped by the browser", unanswered({ outcome: "dropped", error: "too old" })],
    ["not_granted", "withdrawn meanwhile", unanswered({ outcome: "withdrawn", attempts: 0 })],
    ["rate_limited", "under a limit, no envelope", { isLimited: true }, RELAY],
  ],
  answered: [
    ["rate_limited", "limited, sent again later", withStatus(429), RELAY],
    ["rate_limited", "limited", withStatus(429, "rate_limited"), RELAY],
    ["no_answer", "no answer", unanswered(), OVER],
    ["other_tab", "another tab", ended("handed_over")],
    ["other_tab", "another tab, not sent by this one", unanswered(HANDED_OVER)],
    ["dsn_not_allowed", "DSN not allowed", REJECTED, { ...RELAY, ...refusal("dsn_not_allowed") }],
    ["dsn_not_allowed", "DSN missing", REJECTED, { ...RELAY, ...refusal("dsn_missing") }],
    ["origin_not_allowed", "another origin", REJECTED, refusal("origin_not_allowed")],
    ["refused_by_relay", "too large", withStatus(413, "rejected"), refusal("envelope_too_large")],
    ["ingest_refused", "the ingest refuses", REJECTED, { ...RELAY, refusal: { isOfRelay: true } }],
    ["ingest_refused", "the ingest refuses, sent directly", withStatus(403), DIRECT],
    ["direct_ingest_down", "the ingest fails, sent directly", withStatus(503), DIRECT],
    ["relay_cannot_store", "nothing stores", withStatus(503), refusal("spool_unavailable")],
    ["not_sightglass", "a proxy fails", withStatus(502), { refusal: { isOfRelay: false } }],
    ["not_sightglass", "a proxy accepts", withStatus(200)],
  ],
  outcome: [
    ["perhaps_spooled", "a duplicate", ended("duplicate"), RELAY],
    ["ingest_down", "spooled", withStatus(202, "spooled"), RELAY],
  ],
  found: [
    ["inbox_unreadable", "inbox forbidden", withReceipt(), { ...OVER, inboxProblem: "No token." }],
    ["not_in_inbox", "not in the inbox", withReceipt(), OVER],
  ],
};
const ALL_BROKEN = STEPS.flatMap((step) => BROKEN[step].map((row) => [step, ...row] as const));

const WARNINGS = ["ingest_down", "not_granted", "not_sampled", "other_tab", "perhaps_spooled"];

for (const [step, cause, name, evidence, circumstances] of ALL_BROKEN) {
  Deno.test(`${name} → ${step}, ${cause}`, () => {
    const { verdict, findings, cells } = evaluate(evidence, { ...INBOX, ...circumstances });
    assert.deepEqual(findings.map(({ step, code, signals }) => ({ step, code, signals })), [
      { step, code: cause, signals: ["error"] },
    ]);
    const isWarning = WARNINGS.includes(cause);
    assert.equal(verdict, isWarning ? "warning" : "failed");
    assert.equal(cells.error[step].state, verdict);
    assert.equal(cells.span[step].state, "passed");
  });
}

Deno.test("recorder failed, or its worker → only the recording has broken", () => {
  const failed: Circumstances = { ...INBOX, recorder: "failed" };
  const codesOf = (circumstances: Circumstances) =>
    evaluate({}, circumstances, "recording").findings.map(({ code }) => code);
  assert.deepEqual(codesOf(failed), ["recorder_failed"]);
  const refusedSegment = { status: 403, error: "the key is disabled" };
  assert.deepEqual(codesOf({ ...failed, refusedSegment }), ["recorder_stopped"]);
  const ofWorker = { csp: "worker_refused_by_csp", other: "worker_failed" } as const;
  for (const worker of ["csp", "other"] as const) {
    const { findings, cells, verdict } = evaluate(PASSED, { ...INBOX, worker }, "recording");
    assert.deepEqual(findings.map(({ step, code, signals }) => [step, code, signals]), [
      ["created", ofWorker[worker], ["recording"]],
    ]);
    // It arrives uncompressed.
    assert.equal(cells.recording.found.state, "passed");
    assert.equal(verdict, "failed");
  }
});

Deno.test("every cause → named by one of the tests above", () => {
  const named = new Set<string>(ALL_BROKEN.map(([, cause]) => cause));
  const ofRecorder = [
    "recorder_failed",
    "recorder_stopped",
    "worker_refused_by_csp",
    "worker_failed",
  ];
  assert.deepEqual(Object.keys(CAUSES).filter((cause) => !named.has(cause)), ofRecorder);
});

Deno.test("every cause → sentences that name what to do", () => {
  for (const explain of Object.values(CAUSES)) {
    const { cause, fix } = explain({ route: "/monitoring", status: 403, detail: "Why." });
    for (const text of [cause, fix]) {
      assert.match(text, /^(docs|[A-Z“]).*[.”]$/);
      assert.doesNotMatch(text, /undefined|\.\.|: *\./);
    }
  }
});

Deno.test("same step and cause → one finding with all signals, the first step first", () => {
  const { findings } = evaluateProof(
    { error: withoutConnection, span: withoutConnection, log: {}, recording: PASSED },
    { ...INBOX, isOver: true, isReachable: true },
  );
  assert.deepEqual(findings.map(({ step, signals }) => [step, signals]), [
    ["created", ["log"]],
    ["sent", ["error", "span"]],
  ]);
});

Deno.test("no recorder → shown as off, and the others decide; no consent → not proven", () => {
  const { cells, verdict } = evaluate({ off: "no recorder runs" }, INBOX, "recording");
  assert.equal(cells.recording.created.text, "off");
  assert.equal(cells.recording.sampled.text, "no recorder runs");
  assert.equal(verdict, "passed");
  const off = { off: "no consent" };
  assert.equal(
    evaluateProof({ error: off, span: off, log: off, recording: off }, INBOX).verdict,
    "warning",
  );
});

Deno.test("evidence is missing, time is left → pending, no cause", () => {
  const pending: readonly (readonly [SignalEvidence, Partial<Circumstances>?])[] = [
    [{}],
    [{}, { phase: "waiting" }],
    [unanswered({ attempts: 0, storedMs: undefined })],
    [unanswered()],
    // Not yet diagnosed.
    [withoutConnection],
    [REJECTED],
    [notYetSent, { ahead: withoutConnection.receipt }],
    [notYetSent, { ahead: withStatus(502).receipt }],
    [unstored],
    // Stored, and the inbox was not asked yet, or did not answer.
    [withReceipt()],
    [withReceipt(), { inboxProblem: "The inbox does not answer." }],
  ];
  for (const [evidence, circumstances] of pending) {
    const { verdict, findings } = evaluate(evidence, { ...INBOX, ...circumstances });
    assert.deepEqual([verdict, findings], ["pending", []], JSON.stringify(evidence));
  }
});

Deno.test("any evidence when the time is over → no step is pending, none unseen has passed", () => {
  for (const signal of SIGNALS) {
    for (const [, , , evidence, more] of ALL_BROKEN) {
      const { verdict, cells } = evaluate(evidence, { ...INBOX, ...more, isOver: true }, signal);
      assert.notEqual(verdict, "pending");
      const { found } = cells[signal];
      assert.ok(verdict !== "passed" || found.state === "passed", found.text);
    }
  }
});
