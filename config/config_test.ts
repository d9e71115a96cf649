import assert from "node:assert/strict";
import { CONFIG_VARIABLES, ConfigError, loadConfig } from "./config.ts";
import { documentedVariables, SECRET_VARIABLES } from "./table.ts";

const MIB = 1024 * 1024;
const DSN = "https://abc@o1.ingest.sentry.io/1";

Deno.test("nothing set → inbox mode on loopback, everything in files", () => {
  const config = loadConfig({});
  assert.equal(config.mode, "inbox");
  assert.equal(config.dsn.text, "https://inbox@sightglass.invalid/1");
  assert.equal(config.tunnel, "always");
  assert.equal(config.hostname, "127.0.0.1");
  assert.equal(config.release, undefined);
  assert.equal(config.spool, "sqlite");
  assert.equal(config.inbox, "file");
  assert.deepEqual(config.allowedDsns.map((dsn) => dsn.text), [config.dsn.text]);
  assert.ok(Object.isFrozen(config));
});

Deno.test("SENTRY_DSN → relay mode, on every interface, tunnel for hosted ingests", () => {
  const config = loadConfig({ SENTRY_DSN: DSN });
  assert.equal(config.mode, "relay");
  assert.equal(config.hostname, "0.0.0.0");
  assert.equal(config.tunnel, "hosted");
});

Deno.test("inbox mode, SENTRY_TUNNEL=never → the tunnel stays on", () => {
  assert.equal(loadConfig({ SENTRY_TUNNEL: "never" }).tunnel, "always");
  assert.equal(loadConfig({ SENTRY_TUNNEL: "never", SENTRY_DSN: DSN }).tunnel, "never");
});

Deno.test("SENTRY_ALLOWED_DSNS → added to the page's own DSN, without duplicates", () => {
  const other = "https://abc@o2.ingest.us.sentry.io/2";
  const config = loadConfig({ SENTRY_DSN: DSN, SENTRY_ALLOWED_DSNS: `${other}, ${DSN},` });
  assert.deepEqual(config.allowedDsns.map((dsn) => dsn.text), [DSN, other]);
});

Deno.test("proxies in both notations → lower case first; HTTP_PROXY is not read", () => {
  assert.deepEqual(loadConfig({ HTTP_PROXY: "http://proxy.example" }).proxies, {
    https: undefined,
    http: undefined,
    except: [],
  });
  const env = {
    HTTPS_PROXY: "https://capitals.example",
    https_proxy: "user:p%40ss@proxy.example:3128",
    http_proxy: "http://proxy.example:8080/",
    NO_PROXY: "sentry.example, .internal,10.0.0.0/8,[::1]:9000,*",
  };
  assert.deepEqual(loadConfig(env).proxies, {
    https: "http://user:p%40ss@proxy.example:3128/",
    http: "http://proxy.example:8080/",
    except: ["sentry.example", ".internal", "10.0.0.0/8", "[::1]:9000", "*"],
  });
  assert.equal(loadConfig({ ...env, https_proxy: "" }).proxies.https, "https://capitals.example/");
});

Deno.test("DATABASE_URL → the spool is in PostgreSQL, also on Deno Deploy, unless SPOOL is set", () => {
  const env = { DATABASE_URL: "postgres://user:pass@db.example/data" };
  const config = loadConfig(env);
  assert.equal(config.spool, "postgres");
  assert.equal(config.database?.host, "db.example");
  assert.equal(loadConfig({ ...env, DENO_DEPLOYMENT_ID: "d1" }).spool, "postgres");
  assert.equal(loadConfig({ ...env, SPOOL: "none" }).spool, "none");
  assert.equal(loadConfig({ ...env, SPOOL: "sqlite" }).spool, "sqlite");
});

Deno.test("Deno Deploy → production, every interface, no spool, small inbox in memory", () => {
  const config = loadConfig({ DENO_DEPLOYMENT_ID: "d1" });
  assert.equal(config.onDeploy, true);
  assert.equal(config.environment, "production");
  assert.equal(config.spool, "none");
  assert.equal(config.hostname, "0.0.0.0");
  assert.equal(config.inbox, "memory");
  assert.equal(config.inboxMaxBytes, 64 * MIB);
  assert.equal(loadConfig({ DENO_DEPLOYMENT_ID: "d1", DATA_DIR: "/data" }).inbox, "file");
});

Deno.test("release → SENTRY_RELEASE, else the deployment, the commit", () => {
  const env = { SENTRY_RELEASE: "r1", DENO_DEPLOYMENT_ID: "d1", SIGHTGLASS_COMMIT: "c0ffee" };
  const { SENTRY_RELEASE: _, ...deployed } = env;
  const { DENO_DEPLOYMENT_ID: __, ...committed } = deployed;
  const releases = [env, deployed, committed, {}].map((env) => loadConfig(env).release);
  assert.deepEqual(releases, ["r1", "d1", "c0ffee", undefined]);
});

Deno.test("empty variable → counts as not set", () => {
  const empty = Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, ""]));
  assert.deepEqual(loadConfig(empty), loadConfig({}));
});

Deno.test("origin with a slash, IPv6 host in brackets, header in capitals → normalized", () => {
  const config = loadConfig({
    PUBLIC_ORIGIN: "https://Example.com/",
    ALLOWED_ORIGINS: "https://a.example,http://b.example:8080",
    RELAY_UPSTREAM: "http://127.0.0.1:9000",
    HOST: "[::1]",
    TRUSTED_PROXY_HEADER: "X-Real-IP",
  });
  assert.equal(config.publicOrigin, "https://example.com");
  assert.deepEqual(config.allowedOrigins, ["https://a.example", "http://b.example:8080"]);
  assert.equal(config.upstream, "http://127.0.0.1:9000");
  assert.equal(config.hostname, "::1");
  assert.equal(config.trustedProxyHeader, "x-real-ip");
});

// Processes share a port on Linux only.
const isOneProcess = Deno.build.os !== "linux";

Deno.test({
  name: "WORKERS → limits are totals: each process gets its part, and room for one envelope",
  ignore: isOneProcess,
  fn() {
    const relay = { SENTRY_DSN: DSN, WORKERS: "3", MAX_CONNECTIONS: "10", PORT: "81" };
    const whole = loadConfig(relay);
    assert.deepEqual([whole.workers, whole.worker, whole.maxConnections], [3, undefined, 10]);
    assert.equal(whole.countsDir, ".data/workers-0.0.0.0-81");
    const part = loadConfig({ ...relay, SIGHTGLASS_WORKER: "2" });
    assert.deepEqual([part.worker, part.maxConnections], [2, 3]);
    assert.equal(part.maxInFlightBytes, Math.floor(256 * MIB / 3));
    assert.equal(part.spoolMaxBytes, 500 * MIB, "the spool is shared");

    const many = loadConfig({ ...relay, WORKERS: "64", SIGHTGLASS_WORKER: "0" });
    // Twice `MAX_ENVELOPE_BYTES` for each process.
    assert.deepEqual([many.maxInFlightBytes, many.maxConnections], [2 * 20 * MIB, 1]);
    const tight = { ...relay, MAX_IN_FLIGHT_BYTES: `${59 * MIB}` };
    assert.throws(() => loadConfig(tight), /MAX_IN_FLIGHT_BYTES is .* Use at least 62914560: /);
    assert.equal(loadConfig({ ...tight, WORKERS: "1" }).maxInFlightBytes, 59 * MIB);
  },
});

Deno.test({
  name: "WORKERS=auto → one process a core; several in inbox mode with DATABASE_URL only",
  ignore: isOneProcess,
  fn() {
    const cores = navigator.hardwareConcurrency;
    assert.equal(loadConfig({ SENTRY_DSN: DSN, WORKERS: "auto" }).workers, cores);
    assert.equal(loadConfig({}).workers, 1);
    assert.throws(
      () => loadConfig({ WORKERS: "2" }),
      /WORKERS is "2"\. Use 1, or set DATABASE_URL/,
    );
    const database = { DATABASE_URL: "postgres://user:pass@db.example/data" };
    assert.equal(loadConfig({ ...database, WORKERS: "2" }).workers, 2);
    const deploy = { ...database, WORKERS: "2", DENO_DEPLOYMENT_ID: "d1" };
    assert.throws(() => loadConfig(deploy), /Use 1 on Deno Deploy/);
  },
});

const REFUSED: Record<string, string[]> = {
  PORT: ["http", "-1", "65536", "80.5", "0x50"],
  HOST: ["a b", "http://localhost"],
  SENTRY_DSN: ["o1.ingest.sentry.io/1", "https://o1.ingest.sentry.io/1", "ftp://k@h/1"],
  SENTRY_ALLOWED_DSNS: ["https://abc@o1.ingest.sentry.io/1,nonsense"],
  SENTRY_TUNNEL: ["yes", "ALWAYS"],
  SENTRY_RELEASE: ["a/b", "..", "x".repeat(201)],
  SENTRY_ENVIRONMENT: ["a b", "None", "x".repeat(65)],
  PUBLIC_ORIGIN: ["example.com", "https://example.com/app", "ftp://example.com"],
  ALLOWED_ORIGINS: ["https://a.example/x", "*", "null"],
  SOURCE_MAP_ORIGINS: [
    "https://a.example",
    "http://127.0.0.1.evil.example",
    "http://evillocalhost",
    "http://localhost/x",
    "http://192.168.0.1:5173",
  ],
  MONITORING_PATH: [
    "monitoring",
    "/",
    "/a?b",
    "/a/../b",
    "//evil.example",
    "/assets",
    "/assets/monitoring",
  ],
  HTTPS_PROXY: ["socks5://proxy.example:1080", "http://proxy.example/path", "http://p%zz@host"],
  http_proxy: ["http://host:port", "ftp://proxy.example"],
  NO_PROXY: ["sentry.example other.example", "http://sentry.example"],
  RELAY_UPSTREAM: ["localhost:9000", "http://user:pass@host", "http://host/path"],
  RELAY_TIMEOUT_MS: ["0", "10s"],
  MAX_ENVELOPE_BYTES: ["20 MiB", "0"],
  MAX_IN_FLIGHT_BYTES: ["lots"],
  MAX_CONNECTIONS: ["0"],
  FORWARD_CLIENT_IP: ["1", "TRUE"],
  TRUSTED_PROXY_HEADER: ["x forwarded"],
  DATA_DIR: ["/var/a,b"],
  SPOOL: ["postgres"],
  SPOOL_MAX_BYTES: ["-1"],
  SPOOL_MAX_AGE_HOURS: ["0"],
  INBOX_MAX_BYTES: ["1e9"],
  INBOX_MAX_AGE_DAYS: ["0", "366", "30d"],
  DATABASE_URL: ["mysql://user:secret@host/db", "postgres://user:secret@host/db?sslmode=prefer"],
  ALERT_WEBHOOK_URL: [
    "hooks.example/T0",
    "ftp://hooks.example/",
    "https://user:pass@hooks.example/",
  ],
  INBOX_TOKEN: ["two words in one text", "semi;colon-semicolon", "fifteen-letters"],
  LOG_FORMAT: ["xml", "JSON"],
  OTLP_URL: ["collector:4318", "http://user:secret@127.0.0.1:4318", "http://127.0.0.1/?a"],
  WORKERS: ["0", "x", "-1", "1.5", "257", "2"],
  OTLP_HEADERS: ["novalue", "a b=c", "a=%zz", "a=%0a"],
};

for (const [name, values] of Object.entries(REFUSED)) {
  const isSecret = SECRET_VARIABLES.has(name);
  Deno.test(`${name} invalid → one line with name, what is allowed, ${isSecret ? "no" : "and"} value`, () => {
    for (const value of values) {
      assert.throws(() => loadConfig({ [name]: value }), (error: unknown) => {
        assert.ok(error instanceof ConfigError, `${name}=${value} gave ${error}`);
        assert.ok(error.message.includes(name));
        assert.equal(error.message.includes(value), !isSecret);
        assert.ok(error.message.includes(error.allowed) && !error.message.includes("\n"));
        return true;
      });
    }
  });
}

Deno.test("docs/configuration.md → the table's variables, defaults and meanings", async () => {
  const text = await Deno.readTextFile(new URL("../docs/configuration.md", import.meta.url));
  const rows = text.match(/^\| `.*$/gm)!.map((row) =>
    row.slice(1, -1).split("|").map((cell) => cell.trim())
  );
  assert.deepEqual(rows, documentedVariables());
});
