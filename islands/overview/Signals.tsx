import { useState } from "react";
import { formatDuration } from "../../components/format.ts";
import { SignalButton } from "./SignalButton.tsx";
import { log } from "../../monitoring/browser/mod.ts";
import { ErrorBoundary } from "../shared/ErrorBoundary.tsx";
import * as signal from "./signals.ts";
import { useMounted, useTelemetry } from "../shared/telemetry.ts";

/** Controls that make one signal each, so that it can be seen on its way. */
export default function Signals() {
  return (
    <ErrorBoundary what="The list of signals">
      <SignalControls />
    </ErrorBoundary>
  );
}

function SignalControls() {
  const mounted = useMounted();
  const { phase } = useTelemetry();
  const [specimen, setSpecimen] = useState<"whole" | "broken" | "mended">("whole");
  const [done, setDone] = useState("");

  const make = (act: () => string | Promise<string>) => async () => {
    const told = act();
    if (typeof told !== "string") setDone("Waiting for the answer.");
    setDone(await told);
  };
  // Errors and logs are kept until telemetry runs; what a tracer did not see cannot be told later.
  const traced = mounted && phase !== "waiting" && phase !== "loading";

  return (
    <div className="signals">
      <fieldset disabled={!mounted}>
        <legend>Errors</legend>
        <SignalButton name="Uncaught error" onClick={make(signal.throwUncaught)} />
        <SignalButton name="Unhandled rejection" onClick={make(signal.rejectUnhandled)} />
        <ErrorBoundary
          what="The specimen component"
          takesFocus
          onRetry={() => setSpecimen("mended")}
        >
          <Specimen state={specimen} onBreak={() => setSpecimen("broken")} />
        </ErrorBoundary>
        <SignalButton name="Handled error" onClick={make(signal.handleError)} />
      </fieldset>
      <fieldset disabled={!mounted}>
        <legend>Logs</legend>
        <div className="levels">
          {signal.levels.map((level) => (
            <SignalButton
              key={level}
              name={level}
              onClick={make(() => {
                log(level, `A log of level ${level}, made on the page`, { made_by: "signals" });
                return `A log of level ${level} was written.`;
              })}
            />
          ))}
        </div>
      </fieldset>
      <fieldset disabled={!traced}>
        <legend>Traces</legend>
        <SignalButton
          name="Slow request"
          note={formatDuration(signal.SLOW_MS)}
          onClick={make(signal.requestSlowly)}
        />
        <SignalButton
          name="Failing request"
          note={`status ${signal.FAILING_STATUS}`}
          onClick={make(signal.requestInVain)}
        />
        <SignalButton name="Server error" onClick={make(signal.requestError)} />
        <SignalButton
          name="Long task"
          note={formatDuration(signal.LONG_TASK_MS)}
          onClick={make(signal.blockMainThread)}
        />
        <SignalButton name="Span with a fetch" onClick={make(signal.measureByHand)} />
      </fieldset>
      <p role="status" className="done">{done}</p>
    </div>
  );
}

/** A component that breaks on demand, while it renders. */
function Specimen({ state, onBreak }: {
  state: "whole" | "broken" | "mended";
  onBreak: () => void;
}) {
  if (state === "broken") throw new Error("Component error, made on the page");
  return (
    <SignalButton
      name="Component error"
      autoFocus={state === "mended"}
      onClick={onBreak}
    />
  );
}
