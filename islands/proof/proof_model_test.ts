import assert from "node:assert/strict";
import type { Receipt } from "../../monitoring/browser/mod.ts";
import { SIGNALS } from "./find_signals.ts";
import { type Cause, CAUSES } from "./proof_causes.ts";
import type { Circumstances, SignalEvidence } from "./proof_evidence.ts";
import { evaluateProof, type Step, STEPS } from "./proof_model.ts";

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

const STORED: Receipt = {
  id: "e",
  at: 1,
  items: [{ type: "event", bytes: 10 }],
  bytes: 20,
  sentBytes: 20,
  attempts: 1,
  tookMs: 30,
  storedMs: 4,
  sentMs: 10,
  status: 200,
  outcome: "stored",
};
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
  // Of an earlier attempt, which may be in the spool.
  assert.equal(evaluate(withReceipt({ outcome: "duplicate" }), RELAY).verdict, "warning");
  assert.equal(evaluate(withReceipt({ outcome: undefined }), DIRECT).verdict, "passed");
});

/** What is known of the error, and which step it breaks for which cause. */
const BROKEN: readonly (readonly [
  name: string,
  evidence: SignalEvidence,
  circumstances: Partial<Circumstances> & { readonly in?: Circumstances },
  step: Step,
  cause: Cause,
])[] = [
  ["telemetry failed", {}, { phase: "failed", reason: "blocked" }, "created", "telemetry_failed"],
  ["telemetry waits", {}, { phase: "loading", isOver: true }, "created", "telemetry_late"],
  ["no envelope", {}, { isOver: true }, "created", "no_envelope"],
  ["not sampled", { isSampled: false }, {}, "sampled", "not_sampled"],
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
  [
    "offline",
    withReceipt({ status: undefined, outcome: undefined, error: "no connection" }),
    { isOnline: false },
    "sent",
    "offline",
  ],
  [
    "offline, behind another",
    withReceipt({ status: undefined, outcome: undefined, attempts: 0 }),
    { isOnline: false, isOver: true },
    "sent",
    "offline",
  ],
  [
    "blocked",
    withReceipt({ status: undefined, outcome: undefined, error: "no connection" }),
    { isReachable: true },
    "sent",
    "request_blocked",
  ],
  [
    "blocked, sent directly",
    withReceipt({ status: undefined, outcome: undefined, error: "no connection" }),
    { in: DIRECT, isReachable: true },
    "sent",
    "request_blocked",
  ],
  [
    "behind a blocked one",
    withReceipt({ status: undefined, outcome: undefined, attempts: 0 }),
    { isReachable: true, isOver: true },
    "sent",
    "request_blocked",
  ],
  [
    "server down",
    withReceipt({ status: undefined, outcome: undefined, error: "no connection" }),
    { isReachable: false },
    "sent",
    "server_unreachable",
  ],
  [
    "ingest down, sent directly",
    withReceipt({ status: undefined, outcome: undefined, error: "no connection" }),
    { in: DIRECT, isReachable: false },
    "sent",
    "ingest_unreachable",
  ],
  [
    "behind others",
    withReceipt({ status: undefined, outcome: undefined, attempts: 0 }),
    { isOver: true },
    "sent",
    "not_sent",
  ],
  [
    "behind one that a content blocker blocks",
    withReceipt({ status: undefined, outcome: undefined, attempts: 0 }),
    {
      ahead: { ...STORED, status: undefined, outcome: undefined, error: "no connection" },
      isReachable: true,
      isOver: true,
    },
    "sent",
    "request_blocked",
  ],
  [
    "behind one that nothing could store",
    withReceipt({ status: undefined, outcome: undefined, attempts: 0 }),
    {
      ahead: { ...STORED, status: 503, outcome: undefined },
      refusal: { isOfRelay: true, code: "spool_full" },
      isOver: true,
    },
    "sent",
    "relay_cannot_store",
  ],
  ["no receipt", { createdMs: 2 }, { isOver: true }, "sent", "not_sent"],
  [
    "dropped by the browser",
    withReceipt({ status: undefined, outcome: "dropped", error: "dropped: too old" }),
    {},
    "sent",
    "dropped",
  ],
  ["under a limit, no envelope", { isLimited: true }, { in: RELAY }, "sent", "rate_limited"],
  [
    "limited, sent again later",
    withReceipt({ status: 429, outcome: undefined }),
    { in: RELAY },
    "answered",
    "rate_limited",
  ],
  [
    "limited",
    withReceipt({ status: 429, outcome: "rate_limited" }),
    { in: RELAY },
    "answered",
    "rate_limited",
  ],
  [
    "no answer",
    withReceipt({ status: undefined, outcome: undefined }),
    { isOver: true },
    "answered",
    "no_answer",
  ],
  ["another tab", withReceipt({ outcome: "handed_over" }), {}, "answered", "other_tab"],
  [
    "another tab before this one has sent it",
    withReceipt({ outcome: "handed_over", attempts: 0, status: undefined }),
    {},
    "answered",
    "other_tab",
  ],
  [
    "withdrawn meanwhile",
    withReceipt({ outcome: "withdrawn", attempts: 0, status: undefined }),
    {},
    "sent",
    "not_granted",
  ],
  ["not granted", { off: "no consent" }, {}, "sampled", "not_granted"],
  [
    "a duplicate",
    withReceipt({ outcome: "duplicate" }),
    { in: RELAY },
    "outcome",
    "perhaps_spooled",
  ],
  [
    "DSN not allowed",
    withReceipt({ status: 403, outcome: "rejected" }),
    { in: RELAY, refusal: { isOfRelay: true, code: "dsn_not_allowed" } },
    "answered",
    "dsn_not_allowed",
  ],
  [
    "DSN missing",
    withReceipt({ status: 403, outcome: "rejected" }),
    { in: RELAY, refusal: { isOfRelay: true, code: "dsn_missing" } },
    "answered",
    "dsn_not_allowed",
  ],
  [
    "origin not allowed",
    withReceipt({ status: 403, outcome: "rejected" }),
    { refusal: { isOfRelay: true, code: "origin_not_allowed" } },
    "answered",
    "origin_not_allowed",
  ],
  [
    "too large",
    withReceipt({ status: 413, outcome: "rejected" }),
    { refusal: { isOfRelay: true, code: "envelope_too_large" } },
    "answered",
    "refused_by_relay",
  ],
  [
    "the ingest refuses",
    withReceipt({ status: 403, outcome: "rejected" }),
    { in: RELAY, refusal: { isOfRelay: true } },
    "answered",
    "ingest_refused",
  ],
  [
    "the ingest refuses, sent directly",
    withReceipt({ status: 403, outcome: undefined }),
    { in: DIRECT },
    "answered",
    "ingest_refused",
  ],
  [
    "the ingest fails, sent directly",
    withReceipt({ status: 503, outcome: undefined }),
    { in: DIRECT },
    "answered",
    "direct_ingest_down",
  ],
  [
    "nothing can be stored",
    withReceipt({ status: 503, outcome: undefined }),
    { refusal: { isOfRelay: true, code: "spool_unavailable" } },
    "answered",
    "relay_cannot_store",
  ],
  [
    "a proxy fails",
    withReceipt({ status: 502, outcome: undefined }),
    { refusal: { isOfRelay: false } },
    "answered",
    "not_sightglass",
  ],
  [
    "a proxy accepts",
    withReceipt({ status: 200, outcome: undefined }),
    {},
    "answered",
    "not_sightglass",
  ],
  [
    "spooled",
    withReceipt({ status: 202, outcome: "spooled" }),
    { in: RELAY },
    "outcome",
    "ingest_down",
  ],
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

for (const [name, evidence, { in: base = INBOX, ...more }, step, cause] of BROKEN) {
  Deno.test(`${name} → ${step}, ${cause}`, () => {
    const { verdict, findings, cells } = evaluate(evidence, { ...base, ...more });
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
  const stopped = { ...failed, refusedSegment: { status: 403, error: "the key is disabled" } };
  for (
    const [circumstances, code] of [[failed, "recorder_failed"], [
      stopped,
      "recorder_stopped",
    ]] as const
  ) {
    const { findings } = evaluate({}, circumstances, "recording");
    assert.deepEqual(findings.map(({ code }) => code), [code]);
  }
  for (
    const [worker, code] of [["csp", "worker_refused_by_csp"], ["other", "worker_failed"]] as const
  ) {
    const { findings, cells, verdict } = evaluate(PASSED, { ...INBOX, worker }, "recording");
    assert.deepEqual(findings.map(({ step, code, signals }) => [step, code, signals]), [
      ["created", code, ["recording"]],
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
  const blocked = withReceipt({ status: undefined, outcome: undefined, error: "no connection" });
  const { findings } = evaluateProof(
    { error: blocked, span: blocked, log: {}, recording: PASSED },
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
  const unanswered = { status: undefined, outcome: undefined };
  const pending: readonly (readonly [SignalEvidence, Partial<Circumstances>])[] = [
    [{}, {}],
    [{}, { phase: "waiting" }],
    [withReceipt({ ...unanswered, attempts: 0, storedMs: undefined }), {}],
    [withReceipt(unanswered), {}],
    // Not yet diagnosed.
    [withReceipt({ ...unanswered, error: "no connection" }), {}],
    [withReceipt({ status: 403, outcome: "rejected" }), {}],
    [withReceipt({ ...unanswered, attempts: 0 }), {
      ahead: { ...STORED, ...unanswered, error: "no connection" },
    }],
    [withReceipt({ ...unanswered, attempts: 0 }), {
      ahead: { ...STORED, status: 502, outcome: undefined },
    }],
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
    for (const [, evidence, { in: base = INBOX, ...more }] of BROKEN) {
      const { verdict, cells } = evaluate(evidence, { ...base, ...more, isOver: true }, signal);
      assert.notEqual(verdict, "pending");
      const { found } = cells[signal];
      assert.ok(verdict !== "passed" || found.state === "passed", found.text);
    }
  }
});
