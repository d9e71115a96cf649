import type { OWN_TELEMETRY } from "../../protocol/own_telemetry.ts";

/**
 * A copy, which its type compares with the original: with a shared module, the code of views would be in the
 * file of the telemetry, and not load without it.
 */
export const OWN_HEADER: typeof OWN_TELEMETRY = { sightglass: 1 };
