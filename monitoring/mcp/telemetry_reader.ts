import type { MapOrigins } from "../inbox/details/error_content.ts";
import type { Inbox } from "../inbox/inbox.ts";
import type { HealthReport } from "../protocol/relay_api.ts";

export interface TelemetryReader {
  readonly inbox: Inbox;
  readonly mapOrigins: MapOrigins;
  health(): Promise<HealthReport>;
}

export type ToolInput = Readonly<Record<string, string | number | boolean | undefined>>;

/** The caller can fix it: reported to the assistant. */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

/** A time as text, with microseconds if it has some; null without one. */
export function isoTime(ms: number | null | undefined): string | null {
  if (typeof ms !== "number") return null;
  const us = Math.round(ms % 1 * 1000);
  const text = new Date(ms).toISOString();
  return us === 0 ? text : text.replace("Z", `${String(us).padStart(3, "0")}Z`);
}
