import {
  CAUSES,
  type Circumstances,
  isUnanswered,
  type SignalEvidence,
  type Situation,
  type Step,
  STEPS,
} from "./causes.ts";
import { type Signal, SIGNAL_LIST } from "./signals.ts";

export type Evidence = Readonly<Record<Signal, SignalEvidence>>;

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
  readonly cells: Readonly<Record<Signal, readonly Cell[]>>;
  readonly findings: readonly Finding[];
  readonly verdict: "pending" | "passed" | "warning" | "failed";
}

const PENDING: Cell = { state: "pending", text: "…" };
const NONE: Cell = { state: "none", text: "–" };

/** Evaluates what is known: the state of each signal's steps, and the cause of each broken one. */
export function evaluateProof(evidence: Evidence, circumstances: Circumstances): Evaluation {
  const findings: Finding[] = [];
  const cellsOf = (signal: Signal): readonly Cell[] => {
    const situation = { signal, ...evidence[signal], ...circumstances };
    if (situation.off === "no recorder runs") {
      return STEPS.map((step) => step === "made" ? { ...NONE, text: situation.off! } : NONE);
    }
    const causes = CAUSES.filter(({ applies }) => applies(situation));
    const last = causes.find(({ goesOn }) => !goesOn);
    const end = last ? STEPS.indexOf(last.step) : STEPS.length;
    return STEPS.map((step, n) => {
      if (n > end) return NONE;
      const broken = causes.find((cause) => cause.step === step);
      if (!broken) {
        return passedCell(step, situation) ?? (last || circumstances.isOver ? NONE : PENDING);
      }
      const { isWarning = false } = broken;
      const cause = broken.cause(situation);
      const same = findings.find((finding) => finding.step === step && finding.cause === cause);
      if (same) same.signals.push(signal);
      else findings.push({ step, signals: [signal], isWarning, cause, fix: broken.fix });
      return { state: isWarning ? "warning" : "failed", text: failedText(step, situation) };
    });
  };
  const cells = Object.fromEntries(
    SIGNAL_LIST.map((signal) => [signal, cellsOf(signal)]),
  ) as Evaluation["cells"];
  findings.sort((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  const isPending = SIGNAL_LIST.some((signal) => cells[signal].includes(PENDING));
  const broken = findings.some(({ isWarning }) => !isWarning) ? "failed" : "warning";
  const verdict = isPending ? "pending" : findings.length > 0 ? broken : "passed";
  return { cells, findings, verdict };
}

function failedText(step: Step, { off, receipt }: Situation): string {
  if (step === "made") return off ?? "no";
  return step === "answered" && answerText(receipt) || "no";
}

/** "202 spooled" */
const answerText = (receipt: Situation["receipt"]): string =>
  [receipt?.status, receipt?.outcome?.replaceAll("_", " ")].filter(Boolean).join(" ");

/** The cell of a step that was passed; undefined: not yet. */
function passedCell(step: Step, situation: Situation): Cell | undefined {
  const { createdMs, receipt, found, variant } = situation;
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
      return found && passed("yes", found.ms);
  }
}
