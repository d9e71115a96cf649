import { formatDuration } from "../../components/format.ts";
import { type Signal, SIGNALS } from "./find_signals.ts";
import type { Evidence } from "./proof_evidence.ts";
import { type Cell, type Evaluation, type Finding, type Step, STEPS } from "./proof_model.ts";

/* The texts of a proof, on the page and in the copied text. */

export const SIGNAL_NAMES: Readonly<Record<Signal, string>> = {
  error: "Error",
  span: "Span",
  log: "Log",
  recording: "Recording",
};

const STEP_NAMES: Readonly<Record<Step, string>> = {
  created: "Created",
  sampled: "Sampled",
  stored: "Stored in the browser",
  sent: "Sent",
  answered: "Answered",
  outcome: "Outcome",
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
      const steps = new Set(
        findings.filter(({ isWarning }) => !isWarning)
          .map(({ step }) => `“${stepName(step, variant)}”`),
      );
      return `The pipeline is broken at ${[...steps].join(", ")}.`;
    }
  }
}

/** The broken step and its signals: `Sent: error, span`. */
export function findingTitle({ step, signals }: Finding, variant: string): string {
  return `${stepName(step, variant)}: ${signals.join(", ")}`;
}

/** A cell in one line: `yes, 12 ms`. */
function cellText({ text, ms }: Cell): string {
  return ms === undefined ? text : `${text}, ${formatDuration(ms)}`;
}

/**
 * The whole proof as text, for a message or an issue.
 *
 * @param page.origin of the page
 * @param page.route where the browser sends envelopes: a path, or "direct to the ingest"
 * @param page.variant `inbox` or `relay`
 */
export function proofAsText(
  state: Evaluation & {
    readonly evidence: Evidence;
    readonly startedAt: number;
    readonly tookMs: number;
  },
  { origin, route, variant }: {
    readonly origin: string;
    readonly route: string;
    readonly variant: string;
  },
): string {
  const { cells, evidence, findings } = state;
  const rows = [
    ["", ...SIGNALS.map((signal) => SIGNAL_NAMES[signal])],
    ...STEPS.map((
      step,
    ) => [stepName(step, variant), ...SIGNALS.map((signal) => cellText(cells[signal][step]))]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) =>
    row.map((text, column) => text.padEnd(widths[column]!)).join("  ").trimEnd();
  const ids = SIGNALS.flatMap((signal) =>
    evidence[signal].id === undefined ? [] : [
      `${SIGNAL_NAMES[signal]}: ${evidence[signal].id}`,
    ]
  );
  return [
    `Sightglass proof of ${origin}, ${variant} mode, envelopes ${
      route.startsWith("/") ? `to ${route}` : route
    }`,
    `${new Date(state.startedAt).toISOString()}, ${formatDuration(state.tookMs)}`,
    "",
    verdictText(state, variant),
    "",
    ...rows.map(line),
    ...findings.flatMap((finding) => [
      "",
      `${finding.isWarning ? "Warning" : "Broken"} at ${findingTitle(finding, variant)}`,
      `Cause: ${finding.cause}`,
      `Fix: ${finding.fix}`,
    ]),
    "",
    ...ids,
  ].join("\n").replaceAll("\u00a0", " ");
}
