import { formatNumber } from "../../components/format.ts";
import type { OutcomeKind } from "../../components/outcome.ts";
import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import type { SentCounts } from "../data/sent_counts.ts";
import type { RelayHealth } from "./relay_health.ts";

interface PipelineState extends Pick<TelemetryState, "phase" | "reason"> {
  /** Envelopes that wait in this browser. Default: none. */
  readonly waiting?: number;
  /** Undefined: nothing was sent. */
  readonly counts?: Pick<SentCounts, "accepted" | "spooled" | "left" | "refused" | "lost">;
  /** Undefined: not reported. */
  readonly health?: Omit<RelayHealth, "accepted" | "limited" | "refused"> | undefined;
}

export interface PipelineStatus {
  /** `ended`: nothing was sent; `flows`: nothing waits, and nothing was refused or lost. */
  readonly kind: OutcomeKind;
  readonly sentence: string;
}

const IN_SPOOL = "in the relay’s spool";

/** What waits, was refused or lost, and of whom; else that all was delivered, if that is known. */
export function pipelineStatus(
  { phase, reason = "no reason given", waiting = 0, counts, health }: PipelineState,
): PipelineStatus {
  const { accepted = 0, left = 0, refused = 0, lost = 0 } = counts ?? {};
  const spooled = counts?.spooled.length ?? 0;
  const givenUp = health ? health.lost - health.lostBefore : 0;
  const ofOthers = health ? health.refusedOfOthers - health.refusedBefore : 0;
  const hasFailed = phase === "failed";
  const parts = [
    hasFailed && `Telemetry of this console failed: ${reason}`,
    listText("This console", { waiting, ...!health && { [IN_SPOOL]: spooled }, refused, lost }),
    listText("Applications", { refused: ofOthers }),
    health && listText("This server", { [IN_SPOOL]: health.spool.pending, lost: givenUp }),
  ].filter(Boolean);
  if (parts.length > 0) {
    const isBad = hasFailed || refused + lost + ofOthers + givenUp > 0;
    return { kind: isBad ? "refused" : "waits", sentence: `${parts.join(". ")}.` };
  }
  if (left > 0) return { kind: "flows", sentence: "This console: nothing waits." };
  return accepted > 0
    ? { kind: "flows", sentence: "This console: all delivered." }
    : { kind: "ended", sentence: "This console: nothing sent." };
}

/** "This console: 2 waiting, 1 refused"; undefined: all are 0. */
function listText(sender: string, counts: Readonly<Record<string, number>>): string | undefined {
  const found = Object.entries(counts).filter(([, count]) => count > 0);
  if (found.length === 0) return undefined;
  return `${sender}: ${
    found.map(([state, count]) => `${formatNumber(count)} ${state}`).join(", ")
  }`;
}
