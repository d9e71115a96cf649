import type { Receipt } from "../../monitoring/browser/mod.ts";
import { type Signal, SIGNALS } from "./find_signals.ts";
import { type Cause, CAUSES, type Explanation, type Observation } from "./proof_causes.ts";
import {
  type Circumstances,
  type Evidence,
  isRefused,
  isUnanswered,
  NO_CONSENT,
  type SignalEvidence,
} from "./proof_evidence.ts";

/** The steps that each signal takes, in order. */
export const STEPS = [
  "created",
  "sampled",
  "stored",
  "sent",
  "answered",
  "outcome",
  "found",
] as const;
export type Step = (typeof STEPS)[number];

export interface Cell {
  /** `none`: not reached after a failure, or switched off. */
  readonly state: "pending" | "passed" | "warning" | "failed" | "none";
  readonly text: string;
  /** Duration of this step alone, in milliseconds. */
  readonly ms?: number | undefined;
}

/** A broken step, with all signals that broke there for the same cause. */
export interface Finding extends Explanation {
  readonly step: Step;
  readonly signals: readonly Signal[];
  readonly code: Cause;
  /** Nothing is lost, but nothing has arrived either. */
  readonly isWarning: boolean;
}

export interface Evaluation {
  readonly cells: Readonly<Record<Signal, Readonly<Record<Step, Cell>>>>;
  readonly findings: readonly Finding[];
  readonly verdict: "pending" | "passed" | "warning" | "failed";
}

/** A step without a result yet. */
const PENDING: Cell = { state: "pending", text: "…" };
const NONE: Cell = { state: "none", text: "–" };

/** Causes by which nothing is lost: the proof did not succeed, but the pipeline is not broken. */
const WARNINGS: ReadonlySet<Cause> = new Set([
  "ingest_down",
  "not_granted",
  "not_sampled",
  "other_tab",
  "perhaps_spooled",
]);

/** Evaluates what is known: the state of each step, and the cause of each broken one. */
export function evaluateProof(evidence: Evidence, circumstances: Circumstances): Evaluation {
  const followed = SIGNALS.map((signal) => ({
    signal,
    ...followSignal(signal, evidence[signal], circumstances),
  }));
  const findings = new Map<string, Finding>();
  for (const { signal, problems } of followed) {
    for (const { step, code, observation } of problems) {
      const explanation = CAUSES[code]({ route: circumstances.route, ...observation });
      const key = `${step} ${explanation.cause}`;
      const signals = [...findings.get(key)?.signals ?? [], signal];
      const isWarning = WARNINGS.has(code);
      findings.set(key, { step, signals, code, isWarning, ...explanation });
    }
  }
  const inOrder = [...findings.values()]
    .sort((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  const isPending = followed.some(({ cells }) =>
    STEPS.some((step) => cells[step].state === "pending")
  );
  const verdict = isPending
    ? "pending"
    : inOrder.some(({ isWarning }) => !isWarning)
    ? "failed"
    : inOrder.length > 0
    ? "warning"
    : "passed";
  return {
    cells: Object.fromEntries(
      followed.map(({ signal, cells }) => [signal, cells]),
    ) as Evaluation["cells"],
    findings: inOrder,
    verdict,
  };
}

interface Problem {
  readonly step: Step;
  readonly code: Cause;
  readonly observation?: Omit<Observation, "route"> | undefined;
}

/** Evaluates the steps of one signal up to the one that it did not pass. */
function followSignal(
  signal: Signal,
  evidence: SignalEvidence,
  circumstances: Circumstances,
): { readonly cells: Record<Step, Cell>; readonly problems: readonly Problem[] } {
  const { off, receipt } = evidence;
  const cells: Record<Step, Cell> = Object.fromEntries(
    STEPS.map((step) => [step, circumstances.isOver ? NONE : PENDING]),
  ) as Record<Step, Cell>;
  const problems: Problem[] = [];
  const pass = (step: Step, text: string, ms?: number) =>
    cells[step] = { state: "passed", text, ms };
  const fail = (step: Step, text: string, code: Cause, observation?: Problem["observation"]) => {
    cells[step] = { state: WARNINGS.has(code) ? "warning" : "failed", text };
    problems.push({ step, code, observation });
  };
  /** The signal goes no further: later steps are not reached. */
  const end = () => {
    for (const step of STEPS) if (cells[step].state === "pending") cells[step] = NONE;
    return { cells, problems };
  };

  if (off !== undefined) {
    cells.created = { state: "none", text: "off" };
    cells.sampled = { state: "none", text: off };
    // A recorder that does not run is a setting; without consent nothing is proven.
    if (off === NO_CONSENT) fail("sampled", off, "not_granted");
    return end();
  }

  if (evidence.createdMs === undefined && !evidence.isLimited) {
    if (evidence.isSampled === false) {
      pass("created", "yes");
      fail("sampled", "no", "not_sampled");
      return end();
    }
    const code = notCreated(signal, circumstances);
    const { reason, refusedSegment: { status, error } = {} } = circumstances;
    if (code !== undefined) fail("created", "no", code, { status, detail: error ?? reason });
    return code === undefined ? { cells, problems } : end();
  }
  pass("created", "yes", evidence.createdMs);
  pass("sampled", "yes");
  if (signal === "recording" && circumstances.worker !== undefined) {
    const isCsp = circumstances.worker === "csp";
    fail("created", "not compressed", isCsp ? "worker_refused_by_csp" : "worker_failed");
  }

  if (evidence.isLimited) {
    fail("sent", "not sent", "rate_limited");
    return end();
  }
  if (receipt === undefined) {
    if (circumstances.isOver) fail("sent", "no", "not_sent");
    return { cells, problems };
  }
  if (receipt.storedMs !== undefined) pass("stored", "yes", receipt.storedMs);
  else if (receipt.attempts > 0 && circumstances.storage !== undefined) {
    const { problem, detail } = circumstances.storage;
    fail("stored", "no", problem === "refused" ? "storage_refused" : "storage_full", { detail });
  }

  const isWaiting = receipt.attempts === 0 && receipt.outcome === undefined;
  // Not before the end: the next attempt of the envelope ahead may succeed.
  const decisive = isWaiting && circumstances.isOver && circumstances.ahead || receipt;
  if (needsDiagnosis(decisive, circumstances)) return { cells, problems };
  const sent = sendProblem(decisive, circumstances) ??
    (decisive === receipt ? undefined : answerProblem(decisive, circumstances));
  if (sent !== undefined) {
    const { status, error: detail } = decisive;
    fail("sent", isWaiting ? "waits" : "no", sent, { status, detail });
    return end();
  }
  if (receipt.outcome === "withdrawn") {
    fail("sent", "withdrawn", "not_granted");
    return end();
  }
  if (isWaiting) return { cells, problems };
  const { status, outcome, error: detail, tookMs, sentMs = 0, storedMs = 0, attempts } = receipt;
  if (attempts > 0) {
    pass("sent", attempts === 1 ? "yes" : `${attempts} times`, Math.max(0, sentMs - storedMs));
  }
  if (outcome === "handed_over") {
    fail("answered", "other tab", "other_tab");
    return end();
  }
  if (status === undefined) {
    if (!circumstances.isOver) return { cells, problems };
    fail("answered", "no", "no_answer");
    return end();
  }
  const refused = answerProblem(receipt, circumstances);
  if (refused !== undefined) {
    fail("answered", String(status), refused, { status, detail });
    if (outcome !== undefined) cells.outcome = { state: "failed", text: outcomeText(outcome) };
    return end();
  }
  pass("answered", String(status), tookMs - sentMs);

  if (outcome === "spooled") {
    fail("outcome", "spooled", "ingest_down");
    return end();
  }
  if (outcome === "duplicate" && circumstances.variant === "relay") {
    fail("outcome", "duplicate", "perhaps_spooled");
    return end();
  }
  pass("outcome", outcomeText(outcome ?? "accepted"));
  if (circumstances.variant === "relay") pass("found", "accepted");
  else if (evidence.found) pass("found", "yes", evidence.found.ms);
  else if (circumstances.isOver) {
    const { inboxProblem } = circumstances;
    fail("found", "no", inboxProblem === undefined ? "not_in_inbox" : "inbox_unreadable", {
      detail: inboxProblem,
    });
  }
  return { cells, problems };
}

/** Why there is no envelope of a signal; undefined: there may be one later. */
function notCreated(signal: Signal, circumstances: Circumstances): Cause | undefined {
  const { phase, recorder, refusedSegment, isOver } = circumstances;
  if (phase === "failed") return "telemetry_failed";
  if (signal === "recording" && recorder === "failed") {
    return refusedSegment ? "recorder_stopped" : "recorder_failed";
  }
  if (!isOver) return undefined;
  if (phase !== "running") return "telemetry_late";
  return signal === "recording" && recorder === "waiting" ? "recorder_failed" : "no_envelope";
}

/** Whether the page has yet to find out why an envelope failed. */
function needsDiagnosis(
  receipt: Receipt,
  { route, isOnline, isReachable, refusal, isOver }: Circumstances,
): boolean {
  if (isOver) return false;
  return isUnanswered(receipt) && isOnline && isReachable === undefined ||
    isRefused(receipt, route) && refusal === undefined;
}

/** Why an envelope was not sent, or got no answer; undefined: nothing is known against it. */
function sendProblem(
  receipt: Receipt,
  { isOnline, isReachable, isOver, route }: Circumstances,
): Cause | undefined {
  const { attempts, status, outcome } = receipt;
  if (outcome === "dropped" && status === undefined) return "dropped";
  if (outcome !== undefined || status !== undefined) return undefined;
  if (!isUnanswered(receipt) && !(isOver && attempts === 0)) return undefined;
  if (!isOnline) return "offline";
  if (isReachable === undefined) return isOver ? "not_sent" : undefined;
  if (isReachable) return "request_blocked";
  return route.startsWith("/") ? "server_unreachable" : "ingest_unreachable";
}

/** Why an answer is not the acceptance of an envelope; undefined: it is. */
function answerProblem(
  { status = 0, outcome }: Receipt,
  { route, refusal }: Circumstances,
): Cause | undefined {
  const isDirect = !route.startsWith("/");
  if (status === 429) return "rate_limited";
  // The receipt of an envelope that is sent again has no outcome.
  if (!isDirect && outcome === undefined && !refusal?.isOfRelay) return "not_sightglass";
  if (status >= 200 && status < 300) return undefined;
  if (status >= 500) return isDirect ? "direct_ingest_down" : "relay_cannot_store";
  switch (refusal?.code) {
    case undefined:
      return "ingest_refused";
    case "dsn_missing":
    case "dsn_not_allowed":
      return "dsn_not_allowed";
    case "origin_not_allowed":
      return "origin_not_allowed";
    default:
      return "refused_by_relay";
  }
}

const outcomeText = (outcome: string) => outcome.replaceAll("_", " ");
