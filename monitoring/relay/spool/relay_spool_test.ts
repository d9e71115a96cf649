import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../../tests/harness/temporary_folder.ts";
import { backoffMs } from "../../browser/delivery/retry_policy.ts";
import { parseDsn } from "../../protocol/dsn.ts";
import { openSqliteSpool } from "./sqlite_spool.ts";
import type { AdmittedEnvelope } from "../admit/incoming_envelope.ts";
import { EMPTY_CACHE_MS, RelaySpool } from "./relay_spool.ts";
import type { Spool, SpoolStats } from "./spool.ts";

const EMPTY: SpoolStats = { pending: 0, bytes: 0, maxBytes: 1, oldestAt: undefined, byDsn: {} };

const envelope = (): AdmittedEnvelope => ({
  bytes: new TextEncoder().encode("{}"),
  contentEncoding: null,
  header: {},
  items: [{ type: "event", bytes: 2, count: 1 }],
  dsn: parseDsn("https://key@o1.ingest.sentry.io/1")!,
  key: "01".repeat(32),
  receivedAt: Date.now(),
  isOwn: false,
  dsnKey: null,
  decoded: () => Promise.reject(new Error("Not needed.")),
});

Deno.test("envelope in the spool of another process → known as a duplicate before it is resent", async () => {
  using folder = temporaryFolder();
  const options = { path: join(folder.path, "spool.sqlite"), maxBytes: 1_000_000, maxAgeHours: 24 };
  const [one, two] = [await openSqliteSpool(options), await openSqliteSpool(options)];
  await using stack = new AsyncDisposableStack();
  for (const spool of [one, two]) stack.defer(() => spool.close());
  let uptime = 0;
  const own = new RelaySpool(two, () => {}, () => uptime);
  assert.equal(await own.find(envelope()), undefined);
  await new RelaySpool(one, () => {}).put(envelope(), { userAgent: null }, "it is down");
  uptime += backoffMs(1, 1);
  assert.equal(await own.find(envelope()), "duplicate");
});

Deno.test("empty spool → not read again for each envelope", async () => {
  let asked = 0;
  let uptime = 0;
  const stats = () => Promise.resolve({ ...EMPTY, asked: ++asked });
  const relaySpool = new RelaySpool({ stats } as unknown as Spool, () => {}, () => uptime);
  for (uptime of [0, 1, EMPTY_CACHE_MS - 1]) await relaySpool.find(envelope());
  assert.equal(asked, 1);
  uptime = EMPTY_CACHE_MS;
  await relaySpool.find(envelope());
  assert.equal(asked, 2);
});

Deno.test("count read while an envelope is put → not used as that of an empty spool", async () => {
  const { promise: isRead, resolve: read } = Promise.withResolvers<void>();
  const relaySpool = new RelaySpool({
    stats: () => isRead.then(() => EMPTY),
    has: () => Promise.resolve(true),
    hasSequence: () => Promise.resolve(false),
    put: () => Promise.resolve("kept"),
  } as unknown as Spool, () => {});
  const stats = relaySpool.stats();
  await relaySpool.put(envelope(), { userAgent: null }, "it is down");
  read();
  await stats;
  assert.equal(await relaySpool.find(envelope()), "duplicate");
});
