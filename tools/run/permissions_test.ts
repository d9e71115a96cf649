import assert from "node:assert/strict";
import { CONFIG_VARIABLES, loadConfig } from "../../config.ts";
import { POSTGRES_VARIABLES } from "../../monitoring/storage/postgres_address.ts";
import { HTTP_CLIENT_VARIABLES, serverPermissions } from "./permissions.ts";

const FOLDERS = { root: "/srv/app", cwd: "/srv/app" };
const HOSTED = "https://key@o1.ingest.us.sentry.io/1";

function flags(env: Record<string, string>, folders = FOLDERS): Record<string, string[]> {
  const all = serverPermissions(loadConfig(env), folders);
  return Object.fromEntries(all.map((flag) => {
    const [name = "", values = ""] = flag.split("=");
    return [name, values.split(",")];
  }));
}

Deno.test("inbox mode → the server connects to no host", () => {
  assert.deepEqual(flags({})["--allow-net"], ["127.0.0.1:8000"]);
  assert.deepEqual(flags({ SENTRY_ALLOWED_DSNS: HOSTED, PORT: "0" })["--allow-net"], [
    "127.0.0.1:0",
  ]);
});

Deno.test("ALERT_WEBHOOK_URL → in inbox mode the server connects to that host alone", () => {
  const env = { ALERT_WEBHOOK_URL: "https://hooks.example/T0/secret" };
  assert.deepEqual(flags(env)["--allow-net"], ["127.0.0.1:8000", "hooks.example:443"]);
  assert.deepEqual(flags({ ...env, SENTRY_DSN: HOSTED })["--allow-net"], [
    "0.0.0.0:8000",
    "o1.ingest.us.sentry.io:443",
  ]);
});

Deno.test("SOURCE_MAP_ORIGINS → their loopback addresses, in inbox mode only", () => {
  const env = { SOURCE_MAP_ORIGINS: "http://localhost:5173, https://[::1]" };
  assert.deepEqual(flags(env)["--allow-net"], [
    "127.0.0.1:8000",
    "127.0.0.1:5173",
    "[::1]:5173",
    "[::1]:443",
  ]);
  assert.ok(!flags({ ...env, SENTRY_DSN: HOSTED })["--allow-net"]?.includes("127.0.0.1:5173"));
});

Deno.test("relay mode → the allowed ingests at their ports", () => {
  const env = {
    SENTRY_DSN: HOSTED,
    SENTRY_ALLOWED_DSNS: `http://key@sentry.example/2,https://key@[::1]:9000/3,${HOSTED}`,
  };
  assert.deepEqual(flags(env)["--allow-net"], [
    "0.0.0.0:8000",
    "o1.ingest.us.sentry.io:443",
    "sentry.example:80",
    "[::1]:9000",
  ]);
});

Deno.test("RELAY_UPSTREAM → only that host", () => {
  const env = { SENTRY_DSN: HOSTED, RELAY_UPSTREAM: "http://127.0.0.1:3000", HOST: "::" };
  assert.deepEqual(flags(env)["--allow-net"], ["[::]:8000", "127.0.0.1:3000"]);
});

Deno.test("proxy → permitted if an ingest is reached through it", () => {
  const env = {
    SENTRY_DSN: HOSTED,
    SENTRY_ALLOWED_DSNS: "http://key@127.0.0.1:9000/2",
    HTTPS_PROXY: "http://user:pass@proxy.example:3128",
    http_proxy: "http://[2001:db8::1]",
  };
  const ingests = ["0.0.0.0:8000", "o1.ingest.us.sentry.io:443", "127.0.0.1:9000"];
  assert.deepEqual(flags(env)["--allow-net"], [...ingests, "proxy.example:3128"]);
  assert.deepEqual(flags({ ...env, NO_PROXY: "sentry.io" })["--allow-net"], ingests);
  assert.deepEqual(flags({ ...env, SENTRY_DSN: "http://key@sentry.example/1" })["--allow-net"], [
    "0.0.0.0:8000",
    "sentry.example:80",
    "127.0.0.1:9000",
    "[2001:db8::1]:80",
  ]);
});

Deno.test("DATABASE_URL → its host, its authority's file and the driver's variables", () => {
  const env = {
    DATABASE_URL: "postgres://user:pass@db.example:6432/data?sslrootcert=certificates/ca.crt",
    RELAY_UPSTREAM: "http://127.0.0.1:3000",
  };
  const given = flags({ ...env, SENTRY_DSN: HOSTED });
  const net = ["0.0.0.0:8000", "127.0.0.1:3000", "db.example:6432"];
  assert.deepEqual(given["--allow-net"], net);
  assert.equal(given["--allow-read"]?.at(-1), "/srv/app/certificates/ca.crt");
  const names = [...CONFIG_VARIABLES, ...HTTP_CLIENT_VARIABLES, ...POSTGRES_VARIABLES];
  assert.deepEqual(given["--allow-env"], names);
  const inbox = flags(env);
  assert.deepEqual(inbox["--allow-net"], ["127.0.0.1:8000", "db.example:6432"]);
  assert.deepEqual(inbox["--allow-env"], names);
  const unused = flags({ ...env, SENTRY_DSN: HOSTED, SPOOL: "none" });
  assert.ok(!unused["--allow-net"]?.includes("db.example:6432"));
});

Deno.test("files: writes its data, reads the project and its data", () => {
  const given = flags({ DATA_DIR: "../data" });
  assert.deepEqual(given["--allow-write"], ["/srv/data"]);
  assert.deepEqual(given["--allow-read"], [
    "/srv/app/.build",
    "/srv/app/deno_internals.ts",
    "/srv/app/routes",
    "/srv/app/server",
    "/srv/app/monitoring",
    "/srv/app/node_modules",
    "/srv/data",
  ]);
  assert.deepEqual(flags({ DATA_DIR: "/var/data" })["--allow-write"], ["/var/data"]);
});

Deno.test("environment: the contract's variables; no programs, no prompts", () => {
  const given = flags({});
  assert.deepEqual(given["--allow-env"], [...CONFIG_VARIABLES, ...HTTP_CLIENT_VARIABLES]);
  assert.deepEqual(Object.keys(given).sort(), [
    "--allow-env",
    "--allow-net",
    "--allow-read",
    "--allow-write",
    "--no-prompt",
  ]);
});
