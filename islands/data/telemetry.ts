import { useSyncExternalStore } from "react";
import {
  INITIAL_STATE,
  snapshot,
  subscribe,
  type TelemetryState,
} from "../../monitoring/browser/mod.ts";

/** State of this page's telemetry; renders the component again when it changes. */
export function useTelemetry(): TelemetryState {
  return useSyncExternalStore(subscribe, snapshot, () => INITIAL_STATE);
}
