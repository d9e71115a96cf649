import { CAUSES, type ProofContext, type SignalState, type Step, STEPS } from "./causes.ts";
import { type Evidence, isUnanswered } from "./evidence.ts";
import { mapSignals, type Signal, SIGNAL_LIST, type SignalRecord } from "./signals.ts";

export interface Cell {
  /** `none`: not reached after a failure, or switched off. */
  readonly state: "pending" | "passed" | "warning" | "failed" | "none";
  readonly text: string;
  /** Duration of this step alone, in milliseconds. */
  readonly ms?: number | undefined;
}

/** A broken step, with all signals that broke there for the same cause. */
export interface Finding {
  readonly step: Step;
  readonly signals: Signal[];
  readonly isWarning: boolean;
  readonly cause: string;
  readonly fix: string;
}

export interface Evaluation {
  readonly cells: SignalRecord<readonly Cell[]>;
  readonly findings: readonly Finding[];
  readonly verdict: "pending" | "passed" | "warning" | "failed";
}

const PENDING: Cell = { state: "pending", text: "…" };
const NONE: Cell = { state: "none", text: "–" };

/** Evaluates what is known: the state of each signal's steps, and the cause of each broken one. */
export function evaluateProof(evidence: Evidence, context: ProofContext): Evaluation {
  const findings: Finding[] = [];
  const cellsOf = (signal: Signal): readonly Cell[] => {
    const state = { signal, ...evidence[signal], ...context };
    if (state.off === "no recorder runs") {
      return STEPS.map((step) => step === "made" ? { ...NONE, text: state.off! } : NONE);
    }
    const causes = CAUSES.filter(({ applies }) => applies(state));
    const last = causes.find(({ continues }) => !continues);
    const end = last ? STEPS.indexOf(last.step) : STEPS.length;
    return STEPS.map((step, n) => {
      if (n > end) return NONE;
      const broken = causes.find((cause) => cause.step === step);
      if (!broken) {
        return passedCell(step, state) ?? (last || context.isOver ? NONE : PENDING);
      }
      const { isWarning = false } = broken;
      const cause = broken.cause(state);
      const same = findings.find((finding) => finding.step === step && finding.cause === cause);
      if (same) same.signals.push(signal);
      else findings.push({ step, signals: [signal], isWarning, cause, fix: broken.fix });
      return { state: isWarning ? "warning" : "failed", text: failedText(step, state) };
    });
  };
  const cells = mapSignals(cellsOf);
  findings.sort((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  const isPending = SIGNAL_LIST.some((signal) => cells[signal].includes(PENDING));
  const broken = findings.some(({ isWarning }) => !isWarning) ? "failed" : "warning";
  const verdict = isPending ? "pending" : findings.length > 0 ? broken : "passed";
  return { cells, findings, verdict };
}

function failedText(step: Step, { off, receipt }: SignalState): string {
  if (step === "made") return off ?? "no";
  return step === "answered" && answerText(receipt) || "no";
}

/** "202 spooled" */
const answerText = (receipt: SignalState["receipt"]): string =>
  [receipt?.status, receipt?.outcome?.replaceAll("_", " ")].filter(Boolean).join(" ");

/** The cell of a step that was passed; undefined: not yet. */
function passedCell(step: Step, state: SignalState): Cell | undefined {
  const { createdMs, receipt, foundMs, variant } = state;
  const passed = (text: string, ms?: number): Cell => ({ state: "passed", text, ms });
  switch (step) {
    case "made":
      return createdMs !== undefined || receipt ? passed("yes", createdMs) : undefined;
    case "sent":
      if (!receipt?.attempts || isUnanswered(receipt)) return undefined;
      return passed(receipt.attempts > 1 ? `${receipt.attempts} times` : "yes", receipt.sentMs);
    case "answered":
      if (receipt?.status === undefined) return undefined;
      return passed(answerText(receipt), receipt.tookMs - (receipt.sentMs ?? 0));
    case "found":
      if (variant === "relay") {
        return receipt?.status === undefined ? undefined : passed("accepted");
      }
      return foundMs === undefined ? undefined : passed("yes", foundMs);
  }
}
