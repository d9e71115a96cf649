import type { IdGenerator } from "@opentelemetry/sdk-trace-web";

/**
 * Ids from the browser's cryptographic source. OpenTelemetry's own generator draws from
 * `Math.random`, which pages, extensions and tests replace: spans with one id are one span.
 */
export const idGenerator: IdGenerator = {
  generateTraceId: () => randomHex(16),
  generateSpanId: () => randomHex(8),
};

function randomHex(bytes: number): string {
  let hex = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}
