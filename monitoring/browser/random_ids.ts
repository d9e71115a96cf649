import type { IdGenerator } from "@opentelemetry/sdk-trace-web";

/**
 * Random bytes from the browser's cryptographic source, as lower-case hex. (`crypto.randomUUID` exists
 * only in secure contexts, so not on a page served over plain HTTP from another machine.)
 *
 * @param bytes number of bytes, two characters each
 */
export function randomHex(bytes: number): string {
  let hex = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) {
    hex += byte.toString(16).padStart(2, "0");
  }
  return hex;
}

/**
 * Ids of OpenTelemetry's spans. OpenTelemetry's own generator uses `Math.random`, which pages,
 * extensions and tests replace: spans would share ids.
 */
export const idGenerator: IdGenerator = {
  generateTraceId: () => randomHex(16),
  generateSpanId: () => randomHex(8),
};
