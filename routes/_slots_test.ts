import assert from "node:assert/strict";
import { loadConfig } from "../config/config.ts";
import { browserTarget } from "../monitoring/protocol/dsn.ts";
import { pageSlots } from "./_slots.ts";

function slots(env: Record<string, string>) {
  const config = loadConfig(env);
  return pageSlots(config, browserTarget(config.dsn, config.tunnel, config.monitoringPath), "r1");
}

const HOSTED = { SENTRY_DSN: "https://key@o1.ingest.us.sentry.io/1" };
const DEPLOY = { DENO_DEPLOYMENT_ID: "d1" };

Deno.test("each mode → destination and route of the envelopes", () => {
  assert.equal(slots({}).ingest, "the embedded inbox");
  assert.equal(slots({}).route, "/monitoring");
  assert.equal(slots({}).release, "r1");
  assert.equal(slots(HOSTED).ingest, "o1.ingest.us.sentry.io");
  assert.match(slots(HOSTED).sentry ?? "", /^https:\/\/sentry\.io\/.*issues\/$/);
  assert.equal(slots({ ...HOSTED, SENTRY_TUNNEL: "never" }).route, "direct to the ingest");
});

Deno.test("place of inbox and spool → named on the page", () => {
  assert.match(
    slots({}).storage ?? "",
    /^the newest 200\sMiB of envelopes, for 30\sdays, on disk$/,
  );
  const database = { DATABASE_URL: "postgres://user:secret@db.example/sightglass" };
  assert.match(slots({ ...DEPLOY, ...database }).storage ?? "", /^the newest .* in PostgreSQL$/);
  assert.match(slots({ ...HOSTED, SPOOL: "none" }).storage ?? "", /^nothing; while the ingest/);
  assert.match(
    slots(HOSTED).storage ?? "",
    /^up to 500\sMiB of envelopes for 24\sh, on disk, while/,
  );
  for (const env of [{ ...HOSTED, ...database }, { ...HOSTED, ...DEPLOY, ...database }]) {
    assert.match(
      slots(env).storage ?? "",
      /^up to 500\sMiB of envelopes for 24\sh, in PostgreSQL,/,
    );
  }
});
