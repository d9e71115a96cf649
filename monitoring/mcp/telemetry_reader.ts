import type { Inbox } from "../inbox/inbox.ts";
import type { HealthReport } from "../protocol/relay_api.ts";

/** What the tools read. */
export interface TelemetryReader {
  readonly inbox: Inbox;
  /** Returns the relay's state. */
  health(): Promise<HealthReport>;
}

/** Arguments of a call. */
export type ToolInput = Readonly<Record<string, string | number | boolean | undefined>>;

/** The caller can fix it: reported to the assistant. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A time as text; null without one. */
export function isoTime(ms: number | null | undefined): string | null {
  return typeof ms === "number" ? new Date(ms).toISOString() : null;
}
