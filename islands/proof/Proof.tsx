import "../background_code.ts";
import { useRef, useState } from "react";
import { formatDuration, messageOf } from "../../components/format.ts";
import { Marked, OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { OutcomeKind } from "../../components/outcome.ts";
import { CopyButton } from "../kit/CopyButton.tsx";
import { type Step, STEPS } from "./causes.ts";
import type { Cell, Evaluation } from "./evaluate.ts";
import type { ProofOptions, ProofState } from "./run_proof.ts";
import { SIGNAL_LIST, SIGNALS } from "./signals.ts";

const KIND_OF: Readonly<Record<Evaluation["verdict"], OutcomeKind>> = {
  pending: "waits",
  passed: "flows",
  warning: "waits",
  failed: "refused",
};

/** The proof: makes one signal of each kind and follows each to where it ends. */
export function Proof(options: ProofOptions) {
  const [isRunning, setIsRunning] = useState(false);
  const [state, setState] = useState<ProofState>();
  const [problem, setProblem] = useState("");
  const result = useRef<HTMLDivElement>(null);

  const run = async () => {
    if (isRunning) return;
    setIsRunning(true);
    setState(undefined);
    setProblem("");
    try {
      const { runProof } = await import("./run_proof.ts");
      await runProof(options, setState);
    } catch (error) {
      setProblem(`The proof did not run: ${messageOf(error)}`);
    } finally {
      setIsRunning(false);
    }
  };
  const verdict = problem ? "failed" : state?.verdict;
  return (
    <div className="proof spaced" data-verdict={verdict}>
      <p>
        Sends one error, one span, one log and a segment of a recording, and follows each by its id
        {" "}
        {options.variant === "inbox"
          ? "until the inbox returns it."
          : "until the ingest accepts it."}{" "}
        The segment may take five seconds: its recording, as after any error, goes on until you
        leave the page.
      </p>
      <p>
        <button type="button" aria-disabled={isRunning} onClick={run}>
          Run the proof
        </button>{" "}
        {verdict && !isRunning && (
          <CopyButton text={() => result.current?.innerText ?? ""}>Copy as text</CopyButton>
        )}
      </p>
      {/* `deno task prove` prints its text. */}
      <div className="result" ref={result}>
        <p role="status" className="verdict">
          {verdict && <OutcomeMark kind={KIND_OF[verdict]} />}
          {problem || state && verdictText(state, options.variant)}
        </p>
        {state && <ProofTable state={state} {...options} />}
        {state?.findings.map(({ step, signals, isWarning, cause, fix }) => (
          <div key={step + cause} className="pad">
            <Marked as="p" kind={isWarning ? "waits" : "refused"}>
              {isWarning ? "Warning" : "Broken"} at {stepName(step, options.variant)}:{" "}
              {signals.join(", ")}
            </Marked>
            <p>{cause}</p>
            <p>
              <b>Fix:</b> {fix}
            </p>
          </div>
        ))}
      </div>
    </div>
  );
}

function ProofTable({ state, variant, route }: { state: ProofState } & ProofOptions) {
  const { cells, evidence, startedAt, tookMs } = state;
  return (
    <table>
      <caption>
        {location.origin}, {variant} mode, envelopes {route.startsWith("/") ? `to ${route}` : route}
        , {new Date(startedAt).toISOString()}, {formatDuration(tookMs)}
      </caption>
      <thead>
        <tr>
          <td />
          {SIGNAL_LIST.map((signal) => <th key={signal} scope="col">{SIGNALS[signal].name}</th>)}
        </tr>
      </thead>
      <tbody>
        {STEPS.map((step, n) => (
          <tr key={step}>
            <th scope="row">{stepName(step, variant)}</th>
            {SIGNAL_LIST.map((signal) => <StepCell key={signal} {...cells[signal][n]!} />)}
          </tr>
        ))}
        <tr>
          <th scope="row">Id</th>
          {SIGNAL_LIST.map((signal) => (
            <td key={signal}>
              <code>{evidence[signal].id ?? "–"}</code>
            </td>
          ))}
        </tr>
      </tbody>
    </table>
  );
}

function StepCell({ state, text, ms }: Cell) {
  const kind = state === "none" || state === "pending" ? undefined : KIND_OF[state];
  return (
    <td className={kind ?? "none"}>
      {kind && <OutcomeMark kind={kind} />}
      {text} {ms !== undefined && <small>{formatDuration(ms)}</small>}
    </td>
  );
}

const STEP_NAMES: Readonly<Record<Step, string>> = {
  made: "Made",
  sent: "Sent",
  answered: "Answered",
  found: "Found in the inbox",
};

/** @param variant `inbox` or `relay`, which has no access to signals at the ingest */
function stepName(step: Step, variant: string): string {
  return step === "found" && variant === "relay" ? "At the ingest" : STEP_NAMES[step];
}

function verdictText({ verdict, findings }: Evaluation, variant: string): string {
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
