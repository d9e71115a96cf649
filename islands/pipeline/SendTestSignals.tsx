import { useState } from "react";
import { askForOwnRows } from "../data/own_rows.ts";
import { useTelemetry } from "../data/telemetry.ts";
import { makeTestSignals } from "./test_signals.ts";
import { messageOf } from "../../components/format.ts";

/** One button that makes a signal of each kind, to see how they arrive. */
export function SendTestSignals() {
  const { consent } = useTelemetry();
  const [result, setResult] = useState("");
  const send = async () => {
    askForOwnRows();
    try {
      await makeTestSignals();
      const withdrawn = (["errors", "logs", "traces"] as const)
        .filter((kind) => consent?.[kind] === Infinity);
      setResult(
        "An error, a log and a span were made." +
          (withdrawn.length > 0 ? ` Not sent: ${withdrawn.join(", ")} are withdrawn.` : ""),
      );
    } catch (error) {
      setResult(`An error and a log were made, but no span: ${messageOf(error)}`);
    }
  };
  return (
    <div className="line">
      <button type="button" onClick={send}>Send test signals</button>
      <span className="quiet" role="status">
        {result || "An error, a log and a span of this console, as the application Sightglass."}
      </span>
    </div>
  );
}
