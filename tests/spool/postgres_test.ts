import assert from "node:assert/strict";
import {
  openPostgresSpool,
  type PostgresSpoolOptions,
} from "../../monitoring/relay/spool/postgres_spool.ts";
import { LEASE_MS, type Spool, SpoolUnavailableError } from "../../monitoring/relay/spool/spool.ts";
import {
  BOTH_DSNS,
  DSN,
  envelope,
  keyOf,
  numberOf,
} from "../../monitoring/relay/spool/testdata/envelopes.ts";
import { DatabaseOpenError } from "../../monitoring/storage/errors.ts";
import { parsePostgresUrl } from "../../monitoring/storage/postgres_address.ts";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../../monitoring/storage/testdata/private_postgres.ts";
import { startPooler } from "../../monitoring/storage/testdata/transaction_pooler.ts";
import { startServer } from "../harness/server_process.ts";
import { until } from "../harness/until.ts";

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll((started) => postgres = started);

/** A test with an empty database. */
function test(name: string, fn: () => Promise<void>): void {
  const clean = async () => {
    await postgres.admin("DROP SCHEMA IF EXISTS sightglass CASCADE", "spool");
    await fn();
  };
  Deno.test({ name, ignore, fn: clean });
}

function open(url: string, options: Partial<PostgresSpoolOptions> = {}): Promise<Spool> {
  const address = parsePostgresUrl(url);
  assert.ok(address, url);
  return openPostgresSpool({ address, maxBytes: 1e9, maxAgeHours: 1, ...options });
}

const leaseAll = (spool: Spool, now = Date.now()) =>
  spool.lease({ now, limit: 1_000, maxBytes: 1e9, dsns: BOTH_DSNS });

/** An envelope that is not too old. */
const fresh = (n: number, facts: Parameters<typeof envelope>[1] = {}) =>
  envelope(n, { receivedAt: Date.now(), ...facts });

test("connection lost during COMMIT → rejected; the repeat is a duplicate if it was done", async () => {
  await using pooler = startPooler(postgres.port);
  const spool = await open(postgres.plainUrl(pooler.port));
  await spool.put(fresh(0));
  for (const [n, when, repeat] of [[1, "before", "kept"], [2, "after", "duplicate"]] as const) {
    pooler.cutCommit(when);
    await assert.rejects(spool.put(fresh(n)), SpoolUnavailableError);
    assert.equal(await spool.put(fresh(n)), repeat);
  }
  assert.deepEqual((await leaseAll(spool)).map(numberOf), [0, 1, 2]);
  await spool.close();
});

test("pooler gives each transaction another connection → everything works", async () => {
  await using pooler = startPooler(postgres.port);
  const url = postgres.plainUrl(pooler.port);
  const [spool, other] = await Promise.all([open(url), open(url)]);
  for (const n of [1, 2, 3]) assert.equal(await spool.put(fresh(n)), "kept");
  assert.equal(await other.put(fresh(1)), "duplicate");
  const [one, two, three] = await leaseAll(spool);
  assert.ok(one && two && three);
  assert.deepEqual(await leaseAll(other), []);
  assert.deepEqual(await spool.renew([one, two], Date.now()), [one.id, two.id]);
  assert.equal(await spool.release(one, 0, 3), true);
  assert.equal(await spool.complete(three), true);
  assert.deepEqual(await other.expire(Date.now()), []);
  assert.deepEqual((await leaseAll(other)).map(numberOf), [1]);
  assert.equal((await other.stats()).pending, 2);
  assert.ok(pooler.opened >= 12, `${pooler.opened}`);
  await Promise.all([spool.close(), other.close()]);
});

test("pooler refuses logins while the server starts → tried again", async () => {
  await using pooler = startPooler(postgres.port);
  pooler.refusesLogins = true;
  setTimeout(() => pooler.refusesLogins = false, 700);
  const spool = await open(postgres.plainUrl(pooler.port));
  assert.equal(pooler.refusesLogins, false);
  await spool.close();
});

test("server hangs → one call waits for it, others fail at once; then all works again", async () => {
  await using pooler = startPooler(postgres.port);
  const spool = await open(postgres.plainUrl(pooler.port), { stallMs: 4_000 });
  await spool.put(fresh(1));
  const gossip = { keys: Uint8Array.fromHex(keyOf(1).slice(0, 16)), limits: [] };
  assert.deepEqual(await spool.exchange(gossip, Date.now()), []);
  pooler.hangs = true;
  await assert.rejects(spool.stats(), /Cannot use the spool: PostgreSQL failed, .*timeout/);
  const trial = assert.rejects(spool.stats(), /timeout/);
  await assert.rejects(spool.put(fresh(2)), /does not answer/);
  await assert.rejects(spool.exchange(gossip, Date.now()), /does not answer/);
  assert.equal(await Promise.race([trial, "waits"]), "waits");
  await trial;
  pooler.hangs = false;
  assert.equal(await spool.put(fresh(2)), "kept");
  assert.equal((await spool.stats()).pending, 2);
  assert.equal((await spool.exchange(gossip, Date.now())).length, 1, "all from before");
  await spool.close();
});

test("PostgreSQL has no connection left → the reason states it", async () => {
  const spool = await open(postgres.plainUrl(postgres.port));
  await postgres.admin("ALTER ROLE plain CONNECTION LIMIT 1");
  const results = await Promise.allSettled([
    spool.put(fresh(1)),
    spool.put(fresh(2)),
    spool.stats(),
  ]);
  await postgres.admin("ALTER ROLE plain CONNECTION LIMIT -1");
  const reasons = results.flatMap((result) => result.status === "rejected" ? [result.reason] : []);
  assert.match(`${reasons}`, /^SpoolUnavailableError: .* PostgreSQL has no connection left\.$/);
  await spool.close();
});

test("PostgreSQL crashes under load → nothing that was acknowledged is lost", async () => {
  const spool = await open(postgres.url());
  const acknowledged: number[] = [];
  let failed = 0;
  let n = 0;
  let isOver = false;
  const putters = Array.from({ length: 16 }, async () => {
    while (!isOver) {
      const mine = n++;
      try {
        await spool.put(fresh(mine, { bytes: 2_000, sequence: mine % 4 === 0 ? "a" : undefined }));
        acknowledged.push(mine);
      } catch (error) {
        assert.ok(error instanceof SpoolUnavailableError);
        failed++;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  });
  for (let crash = 0; crash < 3; crash++) {
    const target = acknowledged.length + 200;
    await until("envelopes were acknowledged", () => acknowledged.length >= target);
    await postgres.stop("immediate");
    await postgres.start();
  }
  const target = acknowledged.length + 50;
  await until("envelopes were acknowledged", () => acknowledged.length >= target);
  isOver = true;
  await Promise.all(putters);
  assert.ok(failed > 0);
  const lost = await Promise.all(
    acknowledged.map(async (each) => await spool.has(keyOf(each)) ? [] : [each]),
  );
  assert.deepEqual(lost.flat(), []);
  const { pending, bytes } = await spool.stats();
  assert.equal(bytes, pending * 2_000, "count and bytes are of the same envelopes");
  await spool.close();
});

test("body of 20 MiB → the same bytes", async () => {
  const spool = await open(postgres.url());
  const body = crypto.getRandomValues(new Uint8Array(65_536));
  const large = new Uint8Array(20 * 1024 * 1024);
  for (let at = 0; at < large.length; at += body.length) large.set(body, at);
  assert.equal(await spool.put({ ...fresh(1), bytes: large.slice() }), "kept");
  const [leased] = await leaseAll(spool);
  assert.ok(leased && Buffer.compare(leased.bytes, large) === 0);
  await spool.close();
});

test("clock of a machine an hour ahead → it takes no lease and drops nothing", async () => {
  const ahead = 3_600_000;
  const wrong = () => Date.now() + ahead;
  const [spool, other] = [await open(postgres.url()), await open(postgres.url(), { clock: wrong })];
  await spool.put(fresh(1));
  assert.equal((await leaseAll(spool)).length, 1);
  assert.deepEqual(await leaseAll(other, wrong()), []);
  assert.deepEqual(await other.expire(wrong() + LEASE_MS), []);
  await other.put(fresh(2, { receivedAt: wrong() }));
  const [two] = await leaseAll(spool);
  assert.ok(two && Math.abs(two.receivedAt - Date.now()) < ahead / 2, `${two?.receivedAt}`);
  const [again] = await leaseAll(other, wrong() + LEASE_MS + 60_000);
  assert.ok(again && numberOf(again) === 1, "its own time counts on");
  await Promise.all([spool.close(), other.close()]);
});

test("database cannot be used → one line with what is wrong, without the password", async () => {
  const refused = async (url: string, expected: RegExp) => {
    const error = await open(url).then(() => undefined, (thrown) => thrown);
    assert.ok(error instanceof DatabaseOpenError, `${error}`);
    assert.match(error.message, expected);
    assert.match(error.message, /^Cannot open the spool: [^\n]+\.$/);
    assert.ok(!/p@ss|p%40ss|wr0ng/.test(error.message));
  };
  const { admin, url } = postgres;
  await refused(url({ password: "wr0ng" }), /refuses the user owner \(password authentication/);
  const env = { SENTRY_DSN: DSN, DATABASE_URL: url({ password: "wr0ng" }) };
  const started = await startServer({ env }).then(() => undefined, String);
  assert.match(started ?? "", /ended with 1:\nCannot open the spool: [^\n]+DATABASE_URL[^\n]+\n$/);
  await refused(url({ database: "missing" }), /database "missing" does not exist/);
  await refused(url({ parameters: "sslmode=verify-full" }), /is not trusted .* sslrootcert/);
  await refused(
    url({ parameters: "sslmode=disable" }),
    /refuses the user owner .*no encryption.* Set sslmode/,
  );
  await refused(
    url({ parameters: "sslmode=require&sslrootcert=/missing" }),
    /cannot be read \(ENOENT/,
  );
  await refused(url({ port: 1 }), /127\.0\.0\.1:1 cannot be used .*ECONNREFUSED/);

  await admin("CREATE ROLE weak LOGIN PASSWORD 'wr0ng'");
  await refused(url({ user: "weak", password: "wr0ng" }), /permission denied .* may CREATE there/);
  await admin("ALTER DATABASE spool SET default_transaction_read_only = on");
  await refused(url(), /is read-only\. Set DATABASE_URL to the primary/);
  await admin("ALTER DATABASE spool RESET default_transaction_read_only");
  await (await open(url())).close();
  await admin("UPDATE sightglass.versions SET version = 99", "spool");
  await refused(url(), /has schema version 99, known is 4/);
  await admin("DELETE FROM sightglass.versions", "spool");
  await refused(url(), /42P07 .* already exists\)\. .* sightglass\.versions/);
  await admin("CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
  await refused(url({ database: "ascii" }), /has the encoding SQL_ASCII, needed is UTF8/);
});

test("sslmode no-verify, verify-ca, verify-full, require → connections use TLS", async () => {
  for (const mode of ["no-verify", "verify-ca", "verify-full", "require"]) {
    const parameters = `sslmode=${mode}&sslrootcert=${postgres.caFile}`;
    const spool = await open(postgres.url({ parameters }));
    const plain = await postgres.admin(
      "SELECT count(*)::int AS plain FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)" +
        " WHERE datname = 'spool' AND NOT ssl",
    );
    assert.deepEqual(plain, [{ plain: 0 }]);
    await spool.close();
  }
});
