/** Whether telemetry runs. */
export interface PhaseState {
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why it failed. */
  readonly reason?: string | undefined;
}

/** What stands under the tube as long as nothing can have passed it. */
export function phaseSentence({ phase, reason }: PhaseState): string {
  switch (phase) {
    case "waiting":
      return "Still. Telemetry starts when the page has loaded and is idle.";
    case "failed":
      return `Telemetry failed: ${reason ?? "no reason given"}. The page works without it.`;
    default:
      return "Still. Telemetry is loading.";
  }
}
