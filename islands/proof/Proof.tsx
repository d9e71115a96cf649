import "../shared/background_code.ts";
import { useRef, useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { OutcomeMark } from "../../components/OutcomeMark.tsx";
import type { OutcomeKind } from "../../components/outcome.ts";
import { CopyButton } from "../shared/CopyButton.tsx";
import { withBoundary } from "../shared/ErrorBoundary.tsx";
import { fragmentTo } from "../shared/fragment.ts";
import { useMounted } from "../shared/telemetry.ts";
import { SIGNALS } from "./find_signals.ts";
import { STEPS } from "./causes.ts";
import {
  type Cell,
  type Finding,
  findingTitle,
  proofAsText,
  SIGNAL_NAMES,
  stepName,
  verdictText,
} from "./evaluate.ts";
import type { ProofOptions, ProofState } from "./run_proof.ts";
import { messageOf } from "../shared/text.ts";

/** The proof: makes one signal of each kind and follows each to where it ends. */
export const Proof = withBoundary("The proof", ProofPanel);

function ProofPanel(props: ProofOptions) {
  const { variant, route } = props;
  const mounted = useMounted();
  const [state, setState] = useState<ProofState>();
  const [problem, setProblem] = useState("");
  const isRunning = useRef(false);

  const run = async () => {
    if (isRunning.current) return;
    isRunning.current = true;
    setProblem("");
    try {
      const { runProof } = await import("./run_proof.ts");
      setState(await runProof(props, setState));
    } catch (error) {
      setProblem(`The proof did not run: ${messageOf(error)}`);
    } finally {
      isRunning.current = false;
    }
  };
  const isPending = state?.verdict === "pending";
  const text = () => state ? proofAsText(state, { origin: location.origin, route, variant }) : "";

  return (
    <div className="proof" data-verdict={state?.verdict}>
      <p>
        Sends one error, one span, one log and a segment of a recording, and follows each by its id
        {" "}
        {variant === "inbox" ? "until the inbox returns it." : "until the ingest accepts it."}{" "}
        The recorder sends its first segment after five seconds.
      </p>
      <p>
        <button type="button" disabled={!mounted} aria-disabled={isPending} onClick={run}>
          Run the proof
        </button>{" "}
        {state && !isPending && <CopyButton text={text}>Copy as text</CopyButton>}
      </p>
      <p role="status" className="verdict">
        {problem}
        {state && (
          <>
            <OutcomeMark kind={KIND_OF[state.verdict]} />
            {verdictText(state, variant)}
          </>
        )}
      </p>
      {state && <ProofTable state={state} variant={variant} />}
      {state?.findings.map((finding) => (
        <FindingText
          key={findingTitle(finding, variant) + finding.cause}
          finding={finding}
          variant={variant}
        />
      ))}
      {state && !isPending && (
        <details>
          <summary>As text</summary>
          <pre tabIndex={0}>{text()}</pre>
        </details>
      )}
    </div>
  );
}

const KIND_OF: Readonly<Record<"pending" | "passed" | "warning" | "failed", OutcomeKind>> = {
  pending: "waits",
  passed: "flows",
  warning: "waits",
  failed: "refused",
};

function ProofTable({ state, variant }: { state: ProofState; variant: string }) {
  const { cells, evidence } = state;
  return (
    <table>
      <caption className="vh">Each signal’s steps</caption>
      <thead>
        <tr>
          <td />
          {SIGNALS.map((signal) => <th key={signal} scope="col">{SIGNAL_NAMES[signal]}</th>)}
        </tr>
      </thead>
      <tbody>
        {STEPS.map((step) => (
          <tr key={step}>
            <th scope="row">{stepName(step, variant)}</th>
            {SIGNALS.map((signal) => (
              <StepCell
                key={signal}
                cell={cells[signal][step]}
                envelope={step === "found" ? evidence[signal].found?.envelope : undefined}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** @param props.envelope its id in the inbox */
function StepCell({ cell, envelope }: { cell: Cell; envelope: number | undefined }) {
  const { state, text, ms } = cell;
  const kind = state === "none" || state === "pending" ? undefined : KIND_OF[state];
  return (
    <td className={kind ?? "none"}>
      {kind && <OutcomeMark kind={kind} />}
      {envelope === undefined
        ? text
        : <a href={fragmentTo("envelopes", [String(envelope)])}>{text}</a>}
      {ms !== undefined && <small>{formatDuration(ms)}</small>}
    </td>
  );
}

function FindingText({ finding, variant }: { finding: Finding; variant: string }) {
  const kind = finding.isWarning ? "waits" : "refused";
  return (
    <div className="finding">
      <p className={kind}>
        <OutcomeMark kind={kind} />
        {findingTitle(finding, variant)}
      </p>
      <p>{finding.cause}</p>
      <p>
        <b>Fix:</b> {finding.fix}
      </p>
    </div>
  );
}
