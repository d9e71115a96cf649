/** In the header of every envelope of this page and server. Applications may use their DSN and SDKs, too. */
export const OWN_TELEMETRY = { sightglass: 1 } as const;

/** Whether an envelope is marked as Sightglass's own. Any sender can write that, so the relay also checks who it is. */
export function isOwnTelemetry(header: Readonly<Record<string, unknown>>): boolean {
  return header.sightglass === OWN_TELEMETRY.sightglass;
}
