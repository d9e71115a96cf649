/** The files in `deploy/` and the `deploy` section of `deno.json` match the server. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { parse } from "yaml";
import { CONFIG_VARIABLES, loadConfig } from "../../config/config.ts";
import { STOP_MS } from "../../monitoring/protocol/stop_times.ts";
import project from "../../deno.json" with { type: "json" };

const root = new URL("../../", import.meta.url);
const read = (path: string) => Deno.readTextFileSync(new URL(path, root));
const dockerfile = read("deploy/Dockerfile");
const unit = read("deploy/sightglass.service");
const nginx = read("deploy/nginx.conf");
const caddy = read("deploy/Caddyfile");
const composeText = read("deploy/compose.yaml");

/** Variables of the runtime that these files set. */
const RUNTIME_VARIABLES = ["DENO_DIR"];
const MIB = 1024 * 1024;

/** All `NAME=value` pairs in a text, without elided values (`NAME=…`). */
function assignments(text: string): Record<string, string> {
  const pairs = text.matchAll(/\b([A-Z][A-Z_]*[A-Z])=([^\s…]+)/g);
  return Object.fromEntries(Array.from(pairs, ([, name = "", value = ""]) => [name, value]));
}

Deno.test("Dockerfile → the Deno version of the tests", () => {
  const tested = /deno@(\d+\.\d+\.\d+)/.exec(read(".ci/run"))?.[1];
  assert.equal(/^FROM denoland\/deno:(\S+) AS package$/m.exec(dockerfile)?.[1], tested);
});

Deno.test("named tasks and files → exist", () => {
  const { build, runtime } = project.deploy;
  const named = [dockerfile, unit, build].join("\n").replaceAll(/[",]+ ?"?/g, " ");
  const tasks = Array.from(
    named.matchAll(/deno task (?:--quiet )?(\w+)/g),
    ([, task]) => task ?? "",
  );
  assert.deepEqual([...new Set(tasks)].sort(), ["build", "pack", "start"]);
  for (const task of tasks) assert.ok(task in project.tasks, task);
  assert.ok(existsSync(new URL(runtime.entrypoint, root)));
});

Deno.test("variables → known to the server, with valid values", () => {
  for (const text of [dockerfile, unit, nginx, caddy]) {
    const set = assignments(text);
    const { NAME: _example, ...env } = set;
    for (const name of Object.keys(env)) {
      assert.ok([...CONFIG_VARIABLES, ...RUNTIME_VARIABLES].includes(name), name);
    }
    loadConfig(env);
  }
  for (const proxy of [nginx, caddy]) {
    const { trustedProxyHeader = "", publicOrigin } = loadConfig(assignments(proxy));
    // The proxy overwrites the header, so that clients cannot forge it.
    assert.match(proxy, new RegExp(`(proxy_set_header|header_up) ${trustedProxyHeader} `, "i"));
    assert.ok(proxy.includes(`${new URL(publicOrigin ?? "").host}`));
  }
});

Deno.test("proxies → accept envelopes of the maximum size, wait long enough", () => {
  const { maxEnvelopeBytes, relayTimeoutMs } = loadConfig({});
  const limits = [/client_max_body_size (\d+)m;/.exec(nginx), /max_size (\d+)MiB/.exec(caddy)];
  for (const limit of limits) assert.ok(Number(limit?.[1]) * MIB >= maxEnvelopeBytes);
  const timeout = /\^\/\(monitoring\|[^{]*\{[^}]*proxy_read_timeout (\d+)s;/.exec(nginx)?.[1];
  assert.ok(Number(timeout) * 1000 > relayTimeoutMs);
});

Deno.test("systemd → waits longer than the server needs to stop", () => {
  const timeout = /^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1];
  assert.ok(Number(timeout) * 1000 > STOP_MS);
});

/** What the tests read of a compose file. */
interface Compose {
  readonly services: Record<string, {
    readonly image?: string;
    readonly build?: { readonly context: string; readonly dockerfile: string };
    readonly environment: Record<string, string>;
    readonly depends_on?: Record<string, { readonly condition: string }>;
    readonly healthcheck?: { readonly test: readonly string[] };
    readonly networks: readonly string[];
    readonly ports?: readonly string[];
    readonly volumes?: readonly string[];
  }>;
  readonly networks: Record<string, { readonly internal?: boolean } | null>;
  readonly volumes: Record<string, null>;
}

Deno.test("compose file → known variables, a relay on PostgreSQL that only the server reaches", () => {
  const secrets: Record<string, string> = {
    SENTRY_DSN: "https://key@o1.ingest.sentry.io/1",
    POSTGRES_PASSWORD: "0123abcd",
  };
  const read = new Set<string>();
  const text = composeText.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name, sign, or) => {
    read.add(name);
    return secrets[name] ?? (sign === "-" ? or : assert.fail(`${name} has no value`));
  });
  const { services, networks, volumes }: Compose = parse(text);
  const { server, database } = services;
  const explained = Array.from(composeText.matchAll(/^# {3}([A-Z_]+)=…/gm), ([, name]) => name!);
  assert.deepEqual([...read].sort(), explained.sort());

  for (const name of Object.keys(server!.environment)) {
    assert.ok(CONFIG_VARIABLES.includes(name), name);
  }
  const config = loadConfig({ ...assignments(dockerfile), ...server!.environment });
  assert.deepEqual([config.mode, config.spool], ["relay", "postgres"]);
  const { host, user, password, database: name } = config.database!;
  const { POSTGRES_USER, POSTGRES_PASSWORD } = database!.environment;
  // The image names the database like its user.
  assert.deepEqual([user, password, name], [POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_USER]);
  assert.equal(services[host], database);
  assert.equal(server!.depends_on?.[host]?.condition, "service_healthy");
  assert.equal(database!.healthcheck?.test[1], "pg_isready");

  // Plain text is for a network that does not leave the machine.
  assert.equal(config.database!.tls, "none");
  assert.deepEqual(database!.networks.map((network) => networks[network]?.internal), [true]);
  assert.equal(database!.ports, undefined);
  assert.deepEqual(server!.ports, [`127.0.0.1:${config.port}:${config.port}`]);

  assert.match(database!.image!, /^postgres:\d+\.\d+-[a-z]+$/);
  const { context, dockerfile: file } = server!.build!;
  const folder = new URL(`${context}/`, new URL("deploy/", root));
  assert.equal(Deno.readTextFileSync(new URL(file, folder)), dockerfile);
  assert.match(
    dockerfile,
    /^USER 1993:1993$[^]*^HEALTHCHECK [^]*\/monitoring`[^]*^CMD \["sightglass"\]$/m,
  );
  const named = database!.volumes!.map((volume) => volume.split(":")[0]!);
  for (const volume of named) assert.ok(volume in volumes, volume);
});
