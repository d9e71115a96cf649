import { join, resolve } from "node:path";
import { type Config, CONFIG_VARIABLES } from "../../config.ts";
import { POSTGRES_VARIABLES } from "../../monitoring/storage/postgres_address.ts";
import type { Dsn } from "../../monitoring/protocol/dsn.ts";
import { loopbackAddresses } from "../../monitoring/protocol/loopback.ts";
import { addressOf, proxyFor } from "../../monitoring/relay/send/http/proxies.ts";

export interface Folders {
  /** The project, absolute. */
  readonly root: string;
  /** A relative `DATA_DIR` is resolved against this. */
  readonly cwd: string;
}

/**
 * What the server reads of the project while it runs: the build, what it imports dynamically or in workers, and the lines
 * of source that its own errors report.
 */
const READ = [".build", "deno_internals.ts", "routes", "server", "monitoring", "node_modules"];

/** What the HTTP client's package reads when it is loaded. */
export const HTTP_CLIENT_VARIABLES: readonly string[] = [
  "UNDICI_NO_WASM_SIMD",
  "UNDICI_USE_MILO",
  "JEST_WORKER_ID",
];

/**
 * Deno's permission flags for the server: it may read the project and its data, write its data,
 * listen at its address, connect to its ingests and their proxies and to its PostgreSQL, or to its webhook and to
 * origins of source maps, to its collector, and run no program.
 */
export function serverPermissions(config: Config, { root, cwd }: Folders): string[] {
  const data = resolve(cwd, config.dataDir);
  const database = config.mode === "inbox" || config.spool === "postgres"
    ? config.database
    : undefined;
  const read = [...READ.map((folder) => join(root, folder)), data];
  if (database?.caFile !== undefined) read.push(resolve(cwd, database.caFile));
  const net = [
    hostPort(config.hostname, config.port),
    ...remoteHosts(config),
    ...sourceMapHosts(config),
    ...config.otlpUrl === undefined ? [] : [urlHost(new URL(config.otlpUrl))],
    ...database === undefined ? [] : [hostPort(database.host, database.port)],
  ];
  const env = [
    ...CONFIG_VARIABLES,
    ...HTTP_CLIENT_VARIABLES,
    ...(database ? POSTGRES_VARIABLES : []),
  ];
  return [
    "--no-prompt",
    `--allow-read=${read.join(",")}`,
    `--allow-write=${data}`,
    `--allow-net=${[...new Set(net)].join(",")}`,
    `--allow-env=${env.join(",")}`,
  ];
}

/** `host:port` of every ingest and proxy; in inbox mode of the webhook, if there is one. */
function remoteHosts(
  { mode, upstream, allowedDsns, proxies, alertWebhookUrl }: Config,
): string[] {
  if (mode === "inbox") return alertWebhookUrl ? [urlHost(new URL(alertWebhookUrl))] : [];
  const ingests = upstream === undefined ? allowedDsns.map(dsnUrl) : [new URL(upstream)];
  const used = ingests.map((ingest) => proxyFor(ingest, proxies));
  return [...ingests, ...used.filter((proxy) => proxy !== undefined)].map(urlHost);
}

function urlHost(url: URL): string {
  const { hostname, port } = addressOf(url);
  return hostPort(hostname, port);
}

/** Addresses of the origins from which the inbox may fetch source maps. */
function sourceMapHosts({ mode, sourceMapOrigins }: Config): string[] {
  if (mode === "relay") return [];
  return sourceMapOrigins.flatMap((origin) => {
    const { hostname, port } = addressOf(new URL(origin));
    return loopbackAddresses(hostname).map((address) => hostPort(address, port));
  });
}

function dsnUrl({ protocol, host }: Dsn): URL {
  return new URL(`${protocol}://${host}`);
}

function hostPort(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
