import { parseDsn } from "../../../protocol/dsn.ts";
import type { AdmittedEnvelope } from "../../../protocol/admitted_envelope.ts";

/** An envelope as the relay admits it, of one event that has just arrived. */
export const admittedEnvelope = (): AdmittedEnvelope => ({
  bytes: new TextEncoder().encode("{}"),
  contentEncoding: null,
  header: {},
  items: [{ type: "event", bytes: 2, count: 1 }],
  dsn: parseDsn("https://key@o1.ingest.sentry.io/1")!,
  key: "01".repeat(32),
  receivedAt: Date.now(),
  isOwn: false,
  dsnKey: null,
});
