/** The real server drops envelopes that are too old, counts them and reports them to the ingest. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { DSN, envelope } from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { startRelaying } from "../harness/relaying_server.ts";
import { healthOf } from "../harness/server_health.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const HOUR_MS = 3_600_000;

Deno.test("envelopes too old → counted as dropped, logged and sent as a client report", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "spool.sqlite");
  const spool = await openSqliteSpool({ path, maxBytes: 1_000_000, maxAgeHours: 24 });
  const receivedAt = Date.now() - 2 * HOUR_MS;
  await spool.put(envelope(1, { receivedAt, quantities: { error: 1, attachment: 300 } }));
  await spool.put(envelope(2, { receivedAt, quantities: { log_item: 7, internal: 1 } }));
  await spool.close();

  await using ingest = startStandInIngest();
  await using server = await startRelaying(ingest, {
    dataDir: folder.path,
    env: { SENTRY_DSN: DSN, SPOOL_MAX_AGE_HOURS: "1" },
  });
  const report = await ingest.waitFor((all) =>
    all.find(({ text }) => text.includes('"client_report"'))
  );
  const [header = "", item = "", payload = ""] = report.text.split("\n");
  assert.equal(JSON.parse(header).dsn, DSN);
  assert.deepEqual(JSON.parse(item), { type: "client_report" });
  assert.deepEqual(
    new Set(JSON.parse(payload).discarded_events),
    new Set([
      { reason: "network_error", category: "error", quantity: 1 },
      { reason: "network_error", category: "attachment", quantity: 300 },
      { reason: "network_error", category: "log_item", quantity: 7 },
    ]),
  );
  const health = await healthOf(server);
  assert.equal(health.spool.pending, 0);
  assert.equal(health.outcomes.dropped, 2);
  assert.match(server.output(), /^error: Envelopes were dropped: .* \{"envelopes":2\}$/m);
  // The envelopes themselves, whose bodies are binary, were not sent.
  assert.ok(ingest.requests.every(({ text }) => text.startsWith("{")));
});
