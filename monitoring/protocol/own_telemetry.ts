/**
 * Added to the header of every envelope of this page and this server. Their DSN and their SDKs do not
 * identify them: applications may use the same ones.
 */
export const OWN_TELEMETRY = { sightglass: 1 } as const;

/** Whether an envelope was made by Sightglass itself. */
export function isOwnTelemetry(header: Readonly<Record<string, unknown>>): boolean {
  return header.sightglass === OWN_TELEMETRY.sightglass;
}
