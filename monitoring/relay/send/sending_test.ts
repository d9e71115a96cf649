import assert from "node:assert/strict";
import { parseDsn } from "../../protocol/dsn.ts";
import { AllowList } from "../admit/allow_list.ts";
import { Duplicates } from "../admit/duplicates.ts";
import type { AdmittedEnvelope } from "../admit/incoming_envelope.ts";
import { RelayMetrics } from "../metrics.ts";
import { RelaySpool } from "../spool/relay_spool.ts";
import type { Spool } from "../spool/spool.ts";
import { Sending } from "./sending.ts";

const dsn = parseDsn("https://key@o1.ingest.sentry.io/1")!;

const envelope: AdmittedEnvelope = {
  bytes: new TextEncoder().encode("{}"),
  contentEncoding: null,
  header: {},
  items: [{ type: "event", bytes: 2, count: 1 }],
  dsn,
  key: "01".repeat(32),
  receivedAt: Date.now(),
  isOwn: false,
  dsnKey: null,
  decoded: () => Promise.reject(new Error("Not needed.")),
};

Deno.test("copy delivered from the spool while it is searched → duplicate, not sent again", async () => {
  const duplicates = new Duplicates();
  const spool = {
    stats: () => Promise.resolve({ pending: 1, bytes: 2, maxBytes: 9, oldestAt: 0, byDsn: {} }),
    has(key: string) {
      // The drain remembers what it has delivered, then deletes it.
      duplicates.remember(key, 0);
      return Promise.resolve(false);
    },
    hasSequence: () => Promise.resolve(false),
  } as unknown as Spool;
  const sending = new Sending({
    allowList: new AllowList([dsn], {}),
    duplicates,
    spool: new RelaySpool(spool, () => {}, () => 0),
    metrics: new RelayMetrics(),
    // Nothing listens there: an attempt would fail.
    upstream: "http://127.0.0.1:1",
    relayTimeoutMs: 1_000,
    now: Date.now,
    uptime: () => 0,
    report() {},
  });
  const { outcome } = await sending.deliver(envelope, { userAgent: null });
  sending.abort();
  assert.equal(outcome, "duplicate");
});
