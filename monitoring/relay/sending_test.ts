import assert from "node:assert/strict";
import { Duplicates } from "./admit/duplicates.ts";
import { RelayMetrics } from "./metrics.ts";
import { RelaySpool } from "./spool/relay_spool.ts";
import type { Spool } from "./spool/spool.ts";
import { admittedEnvelope } from "./spool/testdata/admitted_envelope.ts";
import { SYSTEM_CLOCK } from "./send/clock.ts";
import { createIngestClient } from "./send/ingest_client.ts";
import { RateLimits } from "./send/rate_limits.ts";
import { createSending } from "./sending.ts";

const envelope = admittedEnvelope();

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
  const limits = new RateLimits();
  const clock = { ...SYSTEM_CLOCK, uptime: () => 0 };
  const client = createIngestClient({
    clock,
    limits,
    metrics: new RelayMetrics(),
    // Nothing listens there: an attempt would fail.
    upstream: "http://127.0.0.1:1",
    relayTimeoutMs: 1_000,
  });
  const relaySpool = new RelaySpool(spool, () => {}, () => 0);
  const sending = createSending({ clock, client, limits, duplicates, spool: relaySpool });
  const { outcome } = await sending.deliver(envelope, { userAgent: null });
  client.abort();
  assert.equal(outcome, "duplicate");
});
