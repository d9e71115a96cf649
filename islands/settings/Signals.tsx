import { useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { log, type SignalKind } from "../../monitoring/browser/mod.ts";
import { ErrorBoundary, withBoundary } from "../shared/ErrorBoundary.tsx";
import { useMounted, useTelemetry } from "../shared/telemetry.ts";
import * as signal from "./signal_actions.ts";

/** Controls that make one signal each: an error, a log or a span. */
export const Signals = withBoundary("The list of signals", SignalControls);

function SignalControls() {
  const mounted = useMounted();
  const { phase, consent } = useTelemetry();
  const [example, setExample] = useState<ExampleState>("intact");
  const [result, setResult] = useState("");

  const run = (kind: SignalKind, action: () => string | Promise<string>) => async () => {
    const sentence = action();
    if (typeof sentence !== "string") setResult("Waiting for the response.");
    const isWithdrawn = consent?.[kind] === Infinity;
    setResult(await sentence + (isWithdrawn ? ` Not sent: ${kind} are withdrawn.` : ""));
  };
  // Errors and logs are buffered until telemetry runs; spans cannot be recorded afterwards.
  const canTrace = mounted && phase !== "waiting" && phase !== "loading";

  return (
    <div className="signals">
      <fieldset disabled={!mounted}>
        <legend>Errors</legend>
        <SignalButton name="Uncaught error" onClick={run("errors", signal.throwUncaught)} />
        <SignalButton name="Unhandled rejection" onClick={run("errors", signal.rejectUnhandled)} />
        <ErrorBoundary
          what="The example component"
          takesFocus
          onRetry={() => setExample("repaired")}
        >
          <ExampleComponent state={example} onBreak={() => setExample("broken")} />
        </ErrorBoundary>
        <SignalButton name="Handled error" onClick={run("errors", signal.handleError)} />
      </fieldset>
      <fieldset disabled={!mounted}>
        <legend>Logs</legend>
        <div className="levels">
          {signal.LEVELS.map((level) => (
            <SignalButton
              key={level}
              name={level}
              onClick={run("logs", () => {
                log(level, `A log of level ${level}, made on the page`, { made_by: "signals" });
                return `A log of level ${level} was written.`;
              })}
            />
          ))}
        </div>
      </fieldset>
      <fieldset disabled={!canTrace}>
        <legend>Traces</legend>
        <SignalButton
          name="Slow request"
          note={formatDuration(signal.SLOW_MS)}
          onClick={run("traces", signal.requestSlowly)}
        />
        <SignalButton
          name="Failing request"
          note={`status ${signal.FAILING_STATUS}`}
          onClick={run("traces", signal.requestFailure)}
        />
        <SignalButton name="Server error" onClick={run("traces", signal.requestServerError)} />
        <SignalButton
          name="Long task"
          note={formatDuration(signal.LONG_TASK_MS)}
          onClick={run("traces", signal.blockMainThread)}
        />
        <SignalButton name="Span with a fetch" onClick={run("traces", signal.createManualSpan)} />
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
    <SignalButton
      name="Component error"
      autoFocus={state === "repaired"}
      onClick={onBreak}
    />
  );
}

/**
 * @param props.note a detail, hidden from screen readers
 * @param props.autoFocus when it replaces an element that had the focus
 */
function SignalButton({ name, note, autoFocus, onClick }: {
  name: string;
  note?: string;
  autoFocus?: boolean;
  onClick: () => void;
}) {
  return (
    <button type="button" autoFocus={autoFocus} onClick={onClick}>
      {name}
      {note && <small aria-hidden="true">{note}</small>}
    </button>
  );
}
