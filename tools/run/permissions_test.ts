import assert from "node:assert/strict";
import { CONFIG_VARIABLES, loadConfig } from "../../config/config.ts";
import { POSTGRES_VARIABLES } from "../../monitoring/storage/postgres_address.ts";
import { projectRoot } from "../project_files.ts";
import { HTTP_CLIENT_VARIABLES, serverPermissions } from "./permissions.ts";

const HOSTED = "https://key@o1.ingest.us.sentry.io/1";
const HOSTED_HOST = "o1.ingest.us.sentry.io:443";
const RELAY = "0.0.0.0:8000";
const INBOX = "127.0.0.1:8000";

function flags(env: Record<string, string>): Record<string, string[]> {
  const all = serverPermissions(loadConfig(env), { root: "/srv/app", cwd: "/srv/app" });
  return Object.fromEntries(all.map((flag) => {
    const [name = "", values = ""] = flag.split("=");
    return [name, values.split(",")];
  }));
}

Deno.test("configuration → exactly the addresses that the server listens at and connects to", () => {
  const webhook = { ALERT_WEBHOOK_URL: "https://hooks.example/T0/secret" };
  const maps = { SOURCE_MAP_ORIGINS: "http://localhost:5173, https://[::1]" };
  const several = {
    SENTRY_DSN: HOSTED,
    SENTRY_ALLOWED_DSNS: `http://key@sentry.example/2,https://key@[::1]:9000/3,${HOSTED}`,
  };
  const proxied = {
    SENTRY_DSN: HOSTED,
    SENTRY_ALLOWED_DSNS: "http://key@127.0.0.1:9000/2",
    HTTPS_PROXY: "http://user:pass@proxy.example:3128",
    http_proxy: "http://[2001:db8::1]",
  };
  const otherProxy = { ...proxied, SENTRY_DSN: "http://key@sentry.example/1" };
  const database = {
    DATABASE_URL: "postgres://user:pass@db.example:6432/data",
    RELAY_UPSTREAM: "http://127.0.0.1:3000",
  };
  const cases: [env: Record<string, string>, net: string[]][] = [
    // Inbox mode connects to no ingest.
    [{}, [INBOX]],
    [{ SENTRY_ALLOWED_DSNS: HOSTED, PORT: "0" }, ["127.0.0.1:0"]],
    [webhook, [INBOX, "hooks.example:443"]],
    [{ ...webhook, SENTRY_DSN: HOSTED }, [RELAY, HOSTED_HOST]],
    [maps, [INBOX, "127.0.0.1:5173", "[::1]:5173", "[::1]:443"]],
    [{ ...maps, SENTRY_DSN: HOSTED }, [RELAY, HOSTED_HOST]],
    [several, [RELAY, HOSTED_HOST, "sentry.example:80", "[::1]:9000"]],
    [{ SENTRY_DSN: HOSTED, RELAY_UPSTREAM: "http://127.0.0.1:3000", HOST: "::" }, [
      "[::]:8000",
      "127.0.0.1:3000",
    ]],
    // A proxy, if an ingest is reached through it.
    [proxied, [RELAY, HOSTED_HOST, "127.0.0.1:9000", "proxy.example:3128"]],
    [{ ...proxied, NO_PROXY: "sentry.io" }, [RELAY, HOSTED_HOST, "127.0.0.1:9000"]],
    [otherProxy, [RELAY, "sentry.example:80", "127.0.0.1:9000", "[2001:db8::1]:80"]],
    [database, [INBOX, "db.example:6432"]],
    [{ ...database, SENTRY_DSN: HOSTED }, [RELAY, "127.0.0.1:3000", "db.example:6432"]],
    [{ ...database, SENTRY_DSN: HOSTED, SPOOL: "none" }, [RELAY, "127.0.0.1:3000"]],
  ];
  for (const [env, net] of cases) {
    assert.deepEqual(flags(env)["--allow-net"], net, JSON.stringify(env));
  }
});

Deno.test("configuration → the contract's variables, project and data; no programs, no prompts", () => {
  const { "--allow-net": _, ...others } = flags({ DATA_DIR: "../data" });
  const project = [".build", "routes", "server", "monitoring", "node_modules"];
  assert.deepEqual(others, {
    "--no-prompt": [""],
    "--deny-import": [""],
    "--no-remote": [""],
    "--allow-read": [...project.map((name) => `/srv/app/${name}`), "/srv/data"],
    "--allow-write": ["/srv/data"],
    "--allow-env": [...CONFIG_VARIABLES, ...HTTP_CLIENT_VARIABLES],
  });
  const ca = "postgres://user:pass@db.example/data?sslrootcert=certificates/ca.crt";
  const database = flags({ DATABASE_URL: ca, DATA_DIR: "/var/data" });
  assert.deepEqual(database["--allow-write"], ["/var/data"]);
  assert.equal(database["--allow-read"]?.at(-1), "/srv/app/certificates/ca.crt");
  assert.deepEqual(database["--allow-env"]?.slice(-POSTGRES_VARIABLES.length), POSTGRES_VARIABLES);
});

Deno.test("import of a public host's module by the server → not permitted, no request", async () => {
  const specifiers = ["https://esm.sh/a", "https://example.com/a", "jsr:@std/a"];
  const code = `for (const a of ${JSON.stringify(specifiers)}) await import(a).catch(console.log);
    console.log((await Deno.permissions.query({ name: "import" })).state);`;
  const permissions = serverPermissions(loadConfig({}), { root: projectRoot, cwd: projectRoot });
  const args = ["run", ...permissions, `data:text/javascript,${encodeURI(code)}`];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
  const lines = new TextDecoder().decode(stdout);
  assert.equal(lines.match(/--no-remote is specified|Requires import access/g)?.length, 3, lines);
  assert.match(lines, /^denied$/m);
  assert.doesNotMatch(new TextDecoder().decode(stderr), /Download/);
});
