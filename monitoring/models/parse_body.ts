import type { Format } from "../protocol/format.ts";
import { type ParsedEnvelope, parseEnvelope } from "./parsed_envelope.ts";

/**
 * Parses a stored body: everything that reads telemetry begins here. Its content is untrusted: never throws.
 *
 * @param bytes decompressed
 * @param receivedAt milliseconds since 1970
 * @returns one for each resource, which is what one application sent; of an envelope one
 */
export function parseBody(
  bytes: Uint8Array,
  format: Format,
  _receivedAt: number,
): readonly ParsedEnvelope[] {
  return format === "envelope" ? [parseEnvelope(bytes)] : [];
}
