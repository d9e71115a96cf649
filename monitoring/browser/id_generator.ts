import type { IdGenerator } from "@opentelemetry/sdk-trace-web";
import { randomHex } from "./random_hex.ts";

/**
 * Ids from the browser's cryptographic source. OpenTelemetry's own generator draws from
 * `Math.random`, which pages, extensions and tests replace: spans with one id are one span.
 */
export const idGenerator: IdGenerator = {
  generateTraceId: () => randomHex(16),
  generateSpanId: () => randomHex(8),
};
