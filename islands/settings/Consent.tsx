import { useReducer } from "react";
import { formatCount } from "../../components/format.ts";
import { KeyValueList } from "../../components/KeyValueList.tsx";
import { grant, type SignalKind, withdraw } from "../../monitoring/browser/mod.ts";
import { useTelemetry } from "../data/telemetry.ts";

/** What is collected and sent while a kind is granted. */
const COLLECTED: Readonly<Record<SignalKind, string>> = {
  errors: "error events with the steps before them",
  traces: "spans of page loads, navigations and requests; web vitals",
  recordings: "what the page shows and what is done on it, masked",
  logs: "log lines that the page writes",
};

/** A switch for each kind of signal that this browser may collect and send. */
export function Consent() {
  // Undefined until telemetry was started: the switches need JavaScript.
  const { consent, isConsentStored, withdrawn, phase } = useTelemetry();
  // Listeners are called up to a frame later: until then React would show the switch as before.
  const [, renderNow] = useReducer((count: number) => count + 1, 0);
  const isGranted = (kind: SignalKind) => consent !== undefined && consent[kind] < Infinity;
  const toggle = (kind: SignalKind) => {
    if (isGranted(kind)) withdraw(kind);
    else grant(kind);
    renderNow();
  };
  const noteOf = (kind: SignalKind): string => {
    if (!consent || isGranted(kind)) return COLLECTED[kind];
    const deleted = withdrawn?.[kind];
    if (deleted) return `not collected; ${formatCount(deleted, "unsent item")} deleted`;
    return phase === "running"
      ? "not collected; nothing unsent is stored"
      : "not collected; what is stored is not sent, and deleted when telemetry starts";
  };
  return (
    <div className="spaced">
      <p>
        What this browser may collect and send, in all tabs and after reloads. Withdrawing deletes
        what has not been sent yet. What was sent before is not deleted.
      </p>
      <KeyValueList
        entries={(Object.keys(COLLECTED) as SignalKind[]).map((kind) => ({
          name: (
            <label className="beside">
              <input
                type="checkbox"
                role="switch"
                disabled={!consent}
                checked={isGranted(kind)}
                onChange={() => toggle(kind)}
              />
              {kind[0]!.toUpperCase() + kind.slice(1)}
            </label>
          ),
          value: (
            <>
              <b>{isGranted(kind) ? "granted" : consent ? "withdrawn" : "not running"}</b>
              <small aria-live="polite">{noteOf(kind)}</small>
            </>
          ),
        }))}
      />
      {isConsentStored === false && (
        <p role="status">This browser stores nothing for this page: the choice ends with it.</p>
      )}
    </div>
  );
}
