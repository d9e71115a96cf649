import { formatClock } from "./format/clock.ts";
import { formatCount } from "./format/count.ts";
import type { Flow } from "./flow.ts";

/** Where telemetry stands, as far as the sentence needs it. */
export interface FlowState {
  readonly flow: Pick<Flow, "accepted" | "spooled" | "lastRefused">;
  /** Envelopes kept in the browser. */
  readonly waiting: number;
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why it failed. */
  readonly reason?: string;
}

/** The one sentence under the tube: of all that is true, what matters most right now. */
export function flowSentence({ flow, waiting, phase, reason }: FlowState): string {
  if (phase === "failed") {
    return `Telemetry failed: ${reason ?? "no reason given"}. The page works without it.`;
  }
  if (waiting > 0) {
    return `${formatCount(waiting, "envelope")} kept in this browser until an answer comes.`;
  }
  const last = flow.lastRefused;
  if (last) {
    const why = last.error ?? last.outcome ?? "no reason given";
    const status = last.status === undefined ? "" : ` (status ${last.status})`;
    return `Last refused at ${formatClock(last.at)}${status}: ${why}`;
  }
  if (phase === "waiting") return "Still. Telemetry starts when the page has loaded and is idle.";
  if (phase === "loading") return "Still. Telemetry is loading.";
  if (flow.spooled > 0) {
    return `${formatCount(flow.spooled, "envelope")} left with the relay, which sends them on.`;
  }
  if (flow.accepted === 0) return "Still. Nothing has been sent yet.";
  return "Nothing waits, nothing was refused.";
}
