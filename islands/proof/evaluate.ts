import { formatDuration } from "../../components/format.ts";
import {
  CAUSES,
  type Circumstances,
  isUnanswered,
  type SignalEvidence,
  type Situation,
  type Step,
  STEPS,
} from "./causes.ts";
import { type Signal, SIGNALS } from "./find_signals.ts";

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
  readonly signals: readonly Signal[];
  readonly isWarning: boolean;
  readonly cause: string;
  readonly fix: string;
}

export interface Evaluation {
  readonly cells: Readonly<Record<Signal, Readonly<Record<Step, Cell>>>>;
  readonly findings: readonly Finding[];
  readonly verdict: "pending" | "passed" | "warning" | "failed";
}

/** Evaluates what is known: the state of each step, and the cause of each broken one. */
export function evaluateProof(evidence: Evidence, circumstances: Circumstances): Evaluation {
  const findings: { -readonly [Key in keyof Finding]: Finding[Key] }[] = [];
  const report = (finding: Omit<Finding, "signals">, signal: Signal) => {
    const same = findings.find(({ step, cause }) =>
      step === finding.step && cause === finding.cause
    );
    if (same) same.signals = [...same.signals, signal];
    else findings.push({ ...finding, signals: [signal] });
  };
  const cells = Object.fromEntries(SIGNALS.map((signal) => {
    const situation = { signal, ...evidence[signal], ...circumstances };
    return [signal, cellsOf(situation, (finding) => report(finding, signal))];
  })) as Evaluation["cells"];
  findings.sort((one, other) => STEPS.indexOf(one.step) - STEPS.indexOf(other.step));
  const isPending = SIGNALS.some((signal) =>
    STEPS.some((step) => cells[signal][step].state === "pending")
  );
  const verdict = isPending
    ? "pending"
    : findings.some(({ isWarning }) => !isWarning)
    ? "failed"
    : findings.length > 0
    ? "warning"
    : "passed";
  return { cells, findings, verdict };
}

/** The steps of one signal, up to the one that it did not pass. */
function cellsOf(
  situation: Situation,
  report: (finding: Omit<Finding, "signals">) => void,
): Record<Step, Cell> {
  const cells = {} as Record<Step, Cell>;
  let rest: Cell | undefined;
  for (const step of STEPS) {
    if (rest !== undefined) {
      cells[step] = rest;
      continue;
    }
    const found = CAUSES.find((cause) => cause.step === step && cause.applies(situation));
    if (found) {
      const { isWarning = false } = found;
      report({ step, isWarning, cause: found.cause(situation), fix: found.fix(situation) });
      cells[step] = { state: isWarning ? "warning" : "failed", text: textOf(step, situation) };
      if (!found.goesOn) rest = NONE;
      continue;
    }
    const passed = passedCell(step, situation);
    cells[step] = passed ?? (situation.isOver ? NONE : PENDING);
    if (passed?.state !== "passed") rest = passed ? NONE : cells[step];
  }
  return cells;
}

/** A step without a result yet. */
const PENDING: Cell = { state: "pending", text: "…" };
const NONE: Cell = { state: "none", text: "–" };

/** What is in the cell of a step that failed. */
function textOf(step: Step, { off, receipt }: Situation): string {
  if (step === "made") return off ?? "no";
  if (step !== "answered") return "no";
  return [receipt?.status, receipt?.outcome?.replaceAll("_", " ")].filter(Boolean).join(" ") ||
    "no";
}

/** The cell of a step that was passed, or is not taken; undefined: not yet. */
function passedCell(step: Step, situation: Situation): Cell | undefined {
  const { off, createdMs, isLimited, receipt, found, variant } = situation;
  const passed = (text: string, ms?: number): Cell => ({ state: "passed", text, ms });
  switch (step) {
    case "made":
      if (off !== undefined) return { state: "none", text: off };
      return createdMs === undefined && !isLimited ? undefined : passed("yes", createdMs);
    case "sent": {
      if (receipt === undefined || isUnanswered(receipt)) return undefined;
      const { attempts, outcome, sentMs } = receipt;
      if (attempts === 0 && outcome === undefined) return undefined;
      return passed(attempts > 1 ? `${attempts} times` : "yes", sentMs);
    }
    case "answered":
      if (receipt?.status === undefined) return undefined;
      return passed(textOf(step, situation), receipt.tookMs - (receipt.sentMs ?? 0));
    case "found":
      if (variant === "relay") return passed("accepted");
      return found && passed("yes", found.ms);
  }
}

export const SIGNAL_NAMES: Readonly<Record<Signal, string>> = {
  error: "Error",
  span: "Span",
  log: "Log",
  recording: "Recording",
};

const STEP_NAMES: Readonly<Record<Step, string>> = {
  made: "Made",
  sent: "Sent",
  answered: "Answered",
  found: "Found in the inbox",
};

/** @param variant `inbox` or `relay`, which has no access to signals at the ingest */
export function stepName(step: Step, variant: string): string {
  return step === "found" && variant === "relay" ? "At the ingest" : STEP_NAMES[step];
}

/** The result in one sentence. */
export function verdictText({ verdict, findings }: Evaluation, variant: string): string {
  switch (verdict) {
    case "pending":
      return "Following the signals.";
    case "passed":
      return variant === "relay"
        ? "The pipeline works: the ingest has accepted every signal. What it does with them is not visible here."
        : "The pipeline works: every signal was found again in the inbox.";
    case "warning":
      return "Not proven: not every signal has arrived, and none is lost.";
    case "failed": {
      const broken = findings.filter(({ isWarning }) => !isWarning)
        .map(({ step }) => `“${stepName(step, variant)}”`);
      return `The pipeline is broken at ${[...new Set(broken)].join(", ")}.`;
    }
  }
}

/** The broken step and its signals: `Sent: error, span`. */
export function findingTitle({ step, signals }: Finding, variant: string): string {
  return `${stepName(step, variant)}: ${signals.join(", ")}`;
}

/**
 * The whole proof as text, for a message or an issue.
 *
 * @param page where it ran: its origin, where its browser sends envelopes, `inbox` or `relay`
 */
export function proofAsText(
  state: Evaluation & {
    readonly evidence: Evidence;
    readonly startedAt: number;
    readonly tookMs: number;
  },
  { origin, route, variant }: Readonly<Record<"origin" | "route" | "variant", string>>,
): string {
  const { cells, evidence, findings } = state;
  const cellText = ({ text, ms }: Cell) =>
    ms === undefined ? text : `${text}, ${formatDuration(ms)}`;
  const rows = [
    ["", ...SIGNALS.map((signal) => SIGNAL_NAMES[signal])],
    ...STEPS.map((step) => [
      stepName(step, variant),
      ...SIGNALS.map((signal) => cellText(cells[signal][step])),
    ]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const to = route.startsWith("/") ? `to ${route}` : route;
  return [
    `Sightglass proof of ${origin}, ${variant} mode, envelopes ${to}`,
    `${new Date(state.startedAt).toISOString()}, ${formatDuration(state.tookMs)}`,
    "",
    verdictText(state, variant),
    "",
    ...rows.map((row) =>
      row.map((text, column) => text.padEnd(widths[column]!)).join("  ").trimEnd()
    ),
    ...findings.flatMap((finding) => [
      "",
      `${finding.isWarning ? "Warning" : "Broken"} at ${findingTitle(finding, variant)}`,
      `Cause: ${finding.cause}`,
      `Fix: ${finding.fix}`,
    ]),
    "",
    ...SIGNALS.filter((signal) => evidence[signal].id !== undefined)
      .map((signal) => `${SIGNAL_NAMES[signal]}: ${evidence[signal].id}`),
  ].join("\n").replaceAll("\u00a0", " ");
}
