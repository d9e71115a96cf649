import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { SIGNALS } from "./find_signals.ts";
import { type Cause, CAUSES } from "./proof_causes.ts";
import type { Circumstances, SignalEvidence } from "./proof_evidence.ts";
import { evaluateProof, type Step, STEPS } from "./proof_model.ts";
import { INBOX, RELAY, STORED } from "./testdata/evidence.ts";

const DIRECT: Circumstances = { ...RELAY, route: "direct to the ingest" };

const PASSED: SignalEvidence = {
  id: "e",
  createdMs: 2,
  receipt: STORED,
  found: { ms: 7, envelope: 3 },
};
const withReceipt = (change: Partial<Receipt>, more: SignalEvidence = {}): SignalEvidence => ({
  createdMs: 2,
  receipt: { ...STORED, ...change },
  ...more,
});
const delivered = withReceipt({ outcome: "delivered" });
const withStatus = (status: number, outcome?: string) => withReceipt({ status, outcome });
const unanswered = (change: Partial<Receipt> = {}) =>
  withReceipt({ status: undefined, outcome: undefined, ...change });
const withoutConnection = unanswered({ error: "no connection" });
const notYetSent = unanswered({ attempts: 0 });
const refusedByRelay = (code: string) => ({ refusal: { isOfRelay: true, code } });

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
  assert.equal(evaluate(withReceipt({ outcome: "duplicate" }), RELAY).verdict, "warning");
  assert.equal(evaluate(withReceipt({ outcome: undefined }), DIRECT).verdict, "passed");
});

/** What is known of the error, and which step it breaks for which cause. */
const BROKEN: readonly (readonly [
  name: string,
  evidence: SignalEvidence,
  circumstances: Partial<Circumstances>,
  step: Step,
  cause: Cause,
])[] = [
  ["telemetry failed", {}, { phase: "failed", reason: "blocked" }, "created", "telemetry_failed"],
  ["telemetry waits", {}, { phase: "loading", isOver: true }, "created", "telemetry_late"],
  ["no envelope", {}, { isOver: true }, "created", "no_envelope"],
  ["not sampled", { isSampled: false }, {}, "sampled", "not_sampled"],
  ["not granted", { off: "no consent" }, {}, "sampled", "not_granted"],
  [
    "IndexedDB refused",
    withReceipt({ storedMs: undefined }, { found: PASSED.found }),
    { storage: { problem: "refused", detail: "SecurityError" } },
    "stored",
    "storage_refused",
  ],
  [
    "disk full",
    withReceipt({ storedMs: undefined }, { found: PASSED.found }),
    { storage: { problem: "full" } },
    "stored",
    "storage_full",
  ],
  ["offline", withoutConnection, { isOnline: false }, "sent", "offline"],
  ["offline, behind another", notYetSent, { isOnline: false, isOver: true }, "sent", "offline"],
  ["blocked", withoutConnection, { isReachable: true }, "sent", "request_blocked"],
  [
    "blocked, sent directly",
    withoutConnection,
    { ...DIRECT, isReachable: true },
    "sent",
    "request_blocked",
  ],
  [
    "behind a blocked one",
    notYetSent,
    { isReachable: true, isOver: true },
    "sent",
    "request_blocked",
  ],
  ["server down", withoutConnection, { isReachable: false }, "sent", "server_unreachable"],
  [
    "ingest down, sent directly",
    withoutConnection,
    { ...DIRECT, isReachable: false },
    "sent",
    "ingest_unreachable",
  ],
  ["behind others", notYetSent, { isOver: true }, "sent", "not_sent"],
  [
    "behind one that a content blocker blocks",
    notYetSent,
    { ahead: withoutConnection.receipt, isReachable: true, isOver: true },
    "sent",
    "request_blocked",
  ],
  [
    "behind one that nothing could store",
    notYetSent,
    { ahead: withStatus(503).receipt, ...refusedByRelay("spool_full"), isOver: true },
    "sent",
    "relay_cannot_store",
  ],
  ["no receipt", { createdMs: 2 }, { isOver: true }, "sent", "not_sent"],
  [
    "dropped by the browser",
    unanswered({ outcome: "dropped", error: "dropped: too old" }),
    {},
    "sent",
    "dropped",
  ],
  [
    "withdrawn meanwhile",
    unanswered({ outcome: "withdrawn", attempts: 0 }),
    {},
    "sent",
    "not_granted",
  ],
  ["under a limit, no envelope", { isLimited: true }, RELAY, "sent", "rate_limited"],
  ["limited, sent again later", withStatus(429), RELAY, "answered", "rate_limited"],
  ["limited", withStatus(429, "rate_limited"), RELAY, "answered", "rate_limited"],
  ["no answer", unanswered(), { isOver: true }, "answered", "no_answer"],
  ["another tab", withReceipt({ outcome: "handed_over" }), {}, "answered", "other_tab"],
  [
    "another tab before this one has sent it",
    unanswered({ outcome: "handed_over", attempts: 0 }),
    {},
    "answered",
    "other_tab",
  ],
  ...["dsn_not_allowed", "dsn_missing"].map((code) =>
    [
      code,
      withStatus(403, "rejected"),
      { ...RELAY, ...refusedByRelay(code) },
      "answered",
      "dsn_not_allowed",
    ] as const
  ),
  [
    "origin not allowed",
    withStatus(403, "rejected"),
    refusedByRelay("origin_not_allowed"),
    "answered",
    "origin_not_allowed",
  ],
  [
    "too large",
    withStatus(413, "rejected"),
    refusedByRelay("envelope_too_large"),
    "answered",
    "refused_by_relay",
  ],
  [
    "the ingest refuses",
    withStatus(403, "rejected"),
    { ...RELAY, refusal: { isOfRelay: true } },
    "answered",
    "ingest_refused",
  ],
  ["the ingest refuses, sent directly", withStatus(403), DIRECT, "answered", "ingest_refused"],
  ["the ingest fails, sent directly", withStatus(503), DIRECT, "answered", "direct_ingest_down"],
  [
    "nothing can be stored",
    withStatus(503),
    refusedByRelay("spool_unavailable"),
    "answered",
    "relay_cannot_store",
  ],
  [
    "a proxy fails",
    withStatus(502),
    { refusal: { isOfRelay: false } },
    "answered",
    "not_sightglass",
  ],
  ["a proxy accepts", withStatus(200), {}, "answered", "not_sightglass"],
  ["a duplicate", withReceipt({ outcome: "duplicate" }), RELAY, "outcome", "perhaps_spooled"],
  ["spooled", withStatus(202, "spooled"), RELAY, "outcome", "ingest_down"],
  [
    "inbox forbidden",
    withReceipt({}),
    { isOver: true, inboxProblem: "It needs a token." },
    "found",
    "inbox_unreadable",
  ],
  ["not in the inbox", withReceipt({}), { isOver: true }, "found", "not_in_inbox"],
];

const WARNINGS = ["ingest_down", "not_granted", "not_sampled", "other_tab", "perhaps_spooled"];

for (const [name, evidence, circumstances, step, cause] of BROKEN) {
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
  const named = new Set<string>(BROKEN.map(([, , , , cause]) => cause));
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
  const pending: readonly (readonly [SignalEvidence, Partial<Circumstances>])[] = [
    [{}, {}],
    [{}, { phase: "waiting" }],
    [unanswered({ attempts: 0, storedMs: undefined }), {}],
    [unanswered(), {}],
    // Not yet diagnosed.
    [withoutConnection, {}],
    [withStatus(403, "rejected"), {}],
    [notYetSent, { ahead: withoutConnection.receipt }],
    [notYetSent, { ahead: withStatus(502).receipt }],
    [withReceipt({ storedMs: undefined }, { found: PASSED.found }), {}],
    // Stored, and the inbox was not asked yet, or did not answer.
    [withReceipt({}), {}],
    [withReceipt({}), { inboxProblem: "The inbox does not answer." }],
  ];
  for (const [evidence, circumstances] of pending) {
    const { verdict, findings } = evaluate(evidence, { ...INBOX, ...circumstances });
    assert.deepEqual([verdict, findings], ["pending", []], JSON.stringify(evidence));
  }
});

Deno.test("any evidence when the time is over → no step is pending, none unseen has passed", () => {
  for (const signal of SIGNALS) {
    for (const [, evidence, more] of BROKEN) {
      const { verdict, cells } = evaluate(evidence, { ...INBOX, ...more, isOver: true }, signal);
      assert.notEqual(verdict, "pending");
      const { found } = cells[signal];
      assert.ok(verdict !== "passed" || found.state === "passed", found.text);
    }
  }
});
