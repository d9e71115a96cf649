import { useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { log, type SignalKind } from "../../monitoring/browser/mod.ts";
import { ErrorBoundary, withBoundary } from "../shared/ErrorBoundary.tsx";
import { useTelemetry } from "../shared/telemetry.ts";
import * as signal from "./signal_actions.ts";

/** Makes a signal; returns a sentence for the page. The note is hidden from screen readers. */
type Control = readonly [name: string, make: () => string | Promise<string>, note?: string];

const ERRORS: readonly Control[] = [
  ["Uncaught error", signal.throwUncaught],
  ["Unhandled rejection", signal.rejectUnhandled],
  ["Handled error", signal.handleError],
];

const LOGS = signal.LEVELS.map((level): Control => [level, () => {
  log(level, `A log of level ${level}, made on the page`, { made_by: "signals" });
  return `A log of level ${level} was written.`;
}]);

const TRACES: readonly Control[] = [
  ["Slow request", signal.requestSlowly, formatDuration(signal.SLOW_MS)],
  ["Failing request", signal.requestFailure, `status ${signal.FAILING_STATUS}`],
  ["Server error", signal.requestServerError],
  ["Long task", signal.blockMainThread, formatDuration(signal.LONG_TASK_MS)],
  ["Span with a fetch", signal.createManualSpan],
];

/** Controls that make one signal each: an error, a log or a span. */
export const Signals = withBoundary("The list of signals", SignalControls);

function SignalControls() {
  const { phase, consent } = useTelemetry();
  const [example, setExample] = useState<ExampleState>("intact");
  const [result, setResult] = useState("");

  const run = (kind: SignalKind, make: Control[1]) => async () => {
    const sentence = make();
    if (typeof sentence !== "string") setResult("Waiting for the response.");
    const isWithdrawn = consent?.[kind] === Infinity;
    setResult(await sentence + (isWithdrawn ? ` Not sent: ${kind} are withdrawn.` : ""));
  };
  const buttons = (kind: SignalKind, controls: readonly Control[]) =>
    controls.map(([name, make, note]) => (
      <button key={name} type="button" onClick={run(kind, make)}>
        {name} {note && <small aria-hidden="true">{note}</small>}
      </button>
    ));
  // Errors and logs are buffered until telemetry runs; spans cannot be recorded afterwards.
  const canTrace = phase !== "waiting" && phase !== "loading";

  return (
    <div className="signals line">
      <fieldset className="line">
        <legend>Errors</legend>
        {buttons("errors", ERRORS)}
        <ErrorBoundary
          what="The example component"
          takesFocus
          onRetry={() => setExample("repaired")}
        >
          <ExampleComponent state={example} onBreak={() => setExample("broken")} />
        </ErrorBoundary>
      </fieldset>
      <fieldset className="line">
        <legend>Logs</legend>
        {buttons("logs", LOGS)}
      </fieldset>
      <fieldset className="line" disabled={!canTrace}>
        <legend>Traces</legend>
        {buttons("traces", TRACES)}
      </fieldset>
      <p role="status" className="done">{result}</p>
    </div>
  );
}

type ExampleState = "intact" | "broken" | "repaired";

/** A component that throws while it renders, once its button was pressed. */
function ExampleComponent({ state, onBreak }: { state: ExampleState; onBreak: () => void }) {
  if (state === "broken") throw new Error("Component error, made on the page");
  return (
    // It replaces the boundary's button, which had the focus.
    <button type="button" autoFocus={state === "repaired"} onClick={onBreak}>
      Component error
    </button>
  );
}
