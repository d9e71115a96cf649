import { type Format, signalOf } from "../protocol/format.ts";
import { decodeOtlp, OtlpError } from "./otlp/decode.ts";
import { readOtlp } from "./otlp/otlp_telemetry.ts";
import { type ParsedEnvelope, parseEnvelope } from "./parsed_envelope.ts";

/**
 * Parses a stored body: everything that reads telemetry begins here. Its content is untrusted: never throws.
 *
 * @param bytes decompressed
 * @returns one for each resource, which is what one application sent; of an envelope one
 */
export function parseBody(
  bytes: Uint8Array,
  format: Format,
): readonly ParsedEnvelope[] {
  if (format === "envelope") return [parseEnvelope(bytes)];
  try {
    return readOtlp(decodeOtlp(bytes, format), signalOf(format)).resources;
  } catch (error) {
    // Decoded before it was taken, but an imported one may be anything.
    if (!(error instanceof OtlpError)) throw error;
    return [];
  }
}
