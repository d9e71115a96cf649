import assert from "node:assert/strict";
import { join } from "node:path";
import { backOffMs } from "../browser/delivery/verdict.ts";
import { parseDsn } from "../protocol/dsn.ts";
import { openSqliteSpool } from "../spool/sqlite_spool.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { BELIEVED_MS, Spooling } from "./spooling.ts";

const envelope = (): AdmittedEnvelope => ({
  bytes: new TextEncoder().encode("{}"),
  contentEncoding: null,
  header: {},
  items: [{ type: "event", bytes: 2, count: 1 }],
  dsn: parseDsn("https://key@o1.ingest.sentry.io/1"),
  key: new Uint8Array(32).fill(1),
  receivedAt: Date.now(),
  decoded: () => Promise.reject(new Error("Nobody looks into it.")),
});

Deno.test("what another process has kept is known as a duplicate before a page would send it again", async () => {
  const folder = await Deno.makeTempDir();
  const options = { path: join(folder, "spool.sqlite"), maxBytes: 1_000_000, maxAgeHours: 24 };
  const [one, two] = [await openSqliteSpool(options), await openSqliteSpool(options)];
  try {
    let uptime = 0;
    const own = new Spooling(two, () => uptime);
    assert.equal(await own.place(envelope()), undefined);
    await new Spooling(one, () => uptime).keep(envelope(), { userAgent: null }, "it is down");
    uptime += backOffMs(1, 1);
    assert.equal(await own.place(envelope()), "duplicate");
  } finally {
    await one.close();
    await two.close();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("that the spool is empty is believed, so that not every envelope asks for it", async () => {
  let asked = 0;
  let uptime = 0;
  const stats = () =>
    Promise.resolve({ pending: 0, bytes: 0, oldestAt: undefined, asked: ++asked });
  const none = () => Promise.reject(new Error("Nothing is there."));
  const spooling = new Spooling({ stats, has: none, hasSequence: none, put: none }, () => uptime);
  for (uptime of [0, 1, BELIEVED_MS - 1]) await spooling.place(envelope());
  assert.equal(asked, 1);
  uptime = BELIEVED_MS;
  await spooling.place(envelope());
  assert.equal(asked, 2);
});
