import { useSyncExternalStore } from "react";
import { snapshot, subscribe, type TelemetryState } from "../../monitoring/browser/mod.ts";

/** The state in the prerendered HTML and during hydration. */
const INITIAL: TelemetryState = {
  phase: "waiting",
  recording: "waiting",
  receipts: [],
  waiting: 0,
};

/** State of this page's telemetry; renders the component again when it changes. */
export function useTelemetry(): TelemetryState {
  return useSyncExternalStore(subscribe, snapshot, () => INITIAL);
}
