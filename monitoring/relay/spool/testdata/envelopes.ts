import type { SpooledEnvelope } from "../spool.ts";

export const DSN = "https://key@o1.ingest.sentry.io/1";
export const OTHER_DSN = "https://key@o2.ingest.sentry.io/2";

/** For a lease request: both DSNs, without limits. */
export const BOTH_DSNS = [DSN, OTHER_DSN].map((dsn) => ({ dsn, limited: 0 }));

/** The time at which tests start. */
export const NOON = Date.UTC(2026, 7, 1, 12);

/** Bits for `categories`. */
export const [OTHER, ERROR, TRANSACTION] = [1, 2, 4] as const;

/** The key of test envelope `n`. */
export const keyOf = (n: number): string => n.toString(16).padStart(8, "0").padEnd(64, "07");

/** Test envelope `n`: its body begins with its number. */
export function envelope(
  n: number,
  { bytes = 100, ...facts }: Partial<Omit<SpooledEnvelope, "bytes">> & { bytes?: number } = {},
): SpooledEnvelope {
  const body = new Uint8Array(bytes).fill(n);
  if (bytes >= 4) new DataView(body.buffer).setUint32(0, n);
  return {
    dsn: DSN,
    bytes: body,
    contentEncoding: null,
    userAgent: null,
    receivedAt: NOON,
    key: keyOf(n),
    quantities: { error: 1 },
    categories: ERROR,
    ...facts,
  };
}

/** The number that {@linkcode envelope} wrote into the body. */
export function numberOf({ bytes }: { readonly bytes: Uint8Array }): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
}
