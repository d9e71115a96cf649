import assert from "node:assert/strict";
import { join } from "node:path";
import { temporaryFolder } from "../../../tests/harness/temporary_folder.ts";
import { backoffMs } from "../../browser/delivery/retry_policy.ts";
import { AllowList } from "../admit/allow_list.ts";
import { Duplicates } from "../admit/duplicates.ts";
import { SYSTEM_CLOCK } from "../send/clock.ts";
import { RateLimits } from "../send/rate_limits.ts";
import { ErrorLog } from "./drain_log.ts";
import { createGossip } from "./gossip.ts";
import { openSqliteSpool } from "./sqlite_spool.ts";
import { EMPTY_CACHE_MS, RelaySpool } from "./relay_spool.ts";
import {
  type Spool,
  type SpooledEnvelope,
  type SpoolStats,
  SpoolUnavailableError,
} from "./spool.ts";
import { admittedEnvelope } from "./testdata/admitted_envelope.ts";

const EMPTY: SpoolStats = { pending: 0, bytes: 0, maxBytes: 1, oldestAt: undefined, byDsn: {} };

Deno.test("envelope in the spool of another process → known as a duplicate before it is resent", async () => {
  using folder = temporaryFolder();
  const options = { path: join(folder.path, "spool.sqlite"), maxBytes: 1_000_000, maxAgeHours: 24 };
  const [one, two] = [await openSqliteSpool(options), await openSqliteSpool(options)];
  await using stack = new AsyncDisposableStack();
  for (const spool of [one, two]) stack.defer(() => spool.close());
  let uptime = 0;
  const own = new RelaySpool(two, () => {}, () => uptime);
  assert.equal(await own.find(admittedEnvelope()), undefined);
  await new RelaySpool(one, () => {}).put(admittedEnvelope(), { userAgent: null }, "it is down");
  uptime += backoffMs(1, 1);
  assert.equal(await own.find(admittedEnvelope()), "duplicate");
});

Deno.test("unexpected errors of the spool → logged, a closed spool is not", async () => {
  const logged: unknown[] = [];
  const test = async (error: Error) => {
    const fail = () => Promise.reject(error);
    const spool = { stats: fail, exchange: fail } as unknown as Spool;
    const relaySpool = new RelaySpool(spool, (...line) => logged.push(line));
    const parts = { allowList: new AllowList([]), duplicates: new Duplicates() };
    const gossip = createGossip({ ...parts, limits: new RateLimits(), clock: SYSTEM_CLOCK });
    for (let call = 0; call < 2; call++) {
      assert.equal(await relaySpool.find(admittedEnvelope()), undefined);
      assert.equal(await relaySpool.report(0), undefined);
    }
    await gossip.start(spool, new ErrorLog((...line) => logged.push(line)));
    await gossip.stop();
  };
  await test(new SpoolUnavailableError("it is closed"));
  assert.deepEqual(logged, []);
  await test(new TypeError("a bug"));
  const messages = [
    "Cannot look for an envelope in the spool",
    "Cannot read the state of the spool",
    "Cannot exchange duplicates and rate limits",
  ];
  assert.deepEqual(logged, messages.map((message) => ["error", message, { reason: "a bug" }]));
});

Deno.test("empty spool → not read again for each envelope", async () => {
  let asked = 0;
  let uptime = 0;
  const stats = () => Promise.resolve({ ...EMPTY, asked: ++asked });
  const relaySpool = new RelaySpool({ stats } as unknown as Spool, () => {}, () => uptime);
  for (uptime of [0, 1, EMPTY_CACHE_MS - 1]) await relaySpool.find(admittedEnvelope());
  assert.equal(asked, 1);
  uptime = EMPTY_CACHE_MS;
  await relaySpool.find(admittedEnvelope());
  assert.equal(asked, 2);
});

Deno.test("database of the spool hangs → envelopes and health do not wait for it", async () => {
  const { promise: isRunning, resolve: run } = Promise.withResolvers<void>();
  let asked = 0;
  const relaySpool = new RelaySpool({
    stats: () => isRunning.then(() => ({ ...EMPTY, pending: ++asked })),
    has: () => Promise.resolve(true),
  } as unknown as Spool, assert.fail);
  const { setTimeout } = globalThis;
  globalThis.setTimeout = ((then: () => void) => setTimeout(then)) as typeof setTimeout;
  try {
    assert.equal(await relaySpool.find(admittedEnvelope()), undefined);
    assert.equal(await relaySpool.report(0), undefined);
  } finally {
    globalThis.setTimeout = setTimeout;
  }
  run();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(asked, 1, "while it hangs, it is not asked again");
  assert.equal(await relaySpool.find(admittedEnvelope()), "duplicate");
});

Deno.test("recording whose id is no UUID → spooled, in no order", async () => {
  const sequences: (string | undefined)[] = [];
  const put = ({ sequence }: SpooledEnvelope) =>
    Promise.resolve(sequences.push(sequence) && "kept");
  const relaySpool = new RelaySpool({ put } as unknown as Spool, () => {});
  const uuid = crypto.randomUUID();
  for (const event_id of [uuid, uuid.replaceAll("-", ""), "a\0b", "0".repeat(60_000), "", 1]) {
    const items = [{ type: "replay_recording", bytes: 2, count: 1 }];
    const segment = { ...admittedEnvelope(), header: { event_id }, items };
    await relaySpool.put(segment, { userAgent: null }, "it is down");
  }
  assert.deepEqual(sequences.splice(0, 2), [uuid, uuid.replaceAll("-", "")]);
  assert.deepEqual(sequences, Array(4).fill(undefined));
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
  await relaySpool.put(admittedEnvelope(), { userAgent: null }, "it is down");
  read();
  await stats;
  assert.equal(await relaySpool.find(admittedEnvelope()), "duplicate");
});

Deno.test("count read before an envelope that is put is committed → not used afterwards", async () => {
  const { promise: isCommitted, resolve: commit } = Promise.withResolvers<void>();
  const relaySpool = new RelaySpool({
    stats: () => Promise.resolve(EMPTY),
    has: () => Promise.resolve(true),
    put: () => isCommitted.then(() => "kept"),
  } as unknown as Spool, () => {});
  const put = relaySpool.put(admittedEnvelope(), { userAgent: null }, "it is down");
  await relaySpool.stats();
  commit();
  await put;
  assert.equal(await relaySpool.find(admittedEnvelope()), "duplicate");
});
