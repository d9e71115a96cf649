import { useSyncExternalStore } from "react";
import { snapshot, subscribe, type TelemetryState } from "../../monitoring/browser/mod.ts";

/** What the build renders, and the browser until it has hydrated: nothing has happened yet. */
const before: TelemetryState = {
  phase: "waiting",
  recording: "waiting",
  receipts: [],
  waiting: 0,
};

/** This page's telemetry; the component is rendered again when it changes. */
export function useTelemetry(): TelemetryState {
  return useSyncExternalStore(subscribe, snapshot, () => before);
}

const never = () => () => {};

/** False in the build's HTML and while hydrating, true from then on: gates what needs JavaScript. */
export function useMounted(): boolean {
  return useSyncExternalStore(never, () => true, () => false);
}
