import { join, resolve } from "node:path";
import { type Config, CONFIG_VARIABLES } from "../../config/config.ts";
import { POSTGRES_VARIABLES } from "../../monitoring/storage/postgres_address.ts";
import { IS_PACKAGED } from "../../monitoring/protocol/commands.ts";
import { hostPort, loopbackAddresses } from "../../monitoring/protocol/loopback.ts";
import { addressOf, proxyFor } from "../../monitoring/relay/send/http/proxies.ts";

export interface Folders {
  /** The project, absolute. */
  readonly root: string;
  /** A relative `DATA_DIR` is resolved against this. */
  readonly cwd: string;
}

/** What the server reads of the project: the build, dynamic imports, workers, and lines of source for its errors. */
const READ = IS_PACKAGED ? ["."] : [".build", "routes", "server", "monitoring", "node_modules"];

/** What the HTTP client's package reads when it is loaded. */
export const HTTP_CLIENT_VARIABLES: readonly string[] = [
  "UNDICI_NO_WASM_SIMD",
  "UNDICI_USE_MILO",
  "JEST_WORKER_ID",
];

/**
 * Deno's permission flags for the server: it reads the project and its data, writes its data, listens, connects to what
 * is configured, and runs no program. It may import nothing from the network: Deno allows six public hosts by default,
 * and an address that is imported can carry data out.
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
    ...(config.mode === "relay" ? relayedTo(config) : reachedByInbox(config)),
    ...config.otlpUrl === undefined ? [] : [urlHost(config.otlpUrl)],
    ...database === undefined ? [] : [hostPort(database.host, database.port)],
  ];
  const env = [
    ...CONFIG_VARIABLES,
    ...HTTP_CLIENT_VARIABLES,
    ...(database ? POSTGRES_VARIABLES : []),
  ];
  return [
    "--no-prompt",
    // Deno 2.9 imports from these hosts in spite of `--deny-import` alone.
    "--deny-import",
    "--no-remote",
    `--allow-read=${read.join(",")}`,
    `--allow-write=${data}`,
    `--allow-net=${[...new Set(net)].join(",")}`,
    `--allow-env=${env.join(",")}`,
  ];
}

/** The ingests, and the proxies through which they are reached. */
function relayedTo({ upstream, allowedDsns, proxies }: Config): string[] {
  const ingests = upstream === undefined
    ? allowedDsns.map(({ protocol, host }) => `${protocol}://${host}`)
    : [upstream];
  const used = ingests.flatMap((ingest) => proxyFor(new URL(ingest), proxies)?.href ?? []);
  return [...ingests, ...used].map(urlHost);
}

/** The webhook, and the origins from which source maps may be fetched, on loopback. */
function reachedByInbox({ alertWebhookUrl, sourceMapOrigins }: Config): string[] {
  const maps = sourceMapOrigins.flatMap((origin) => {
    const { hostname, port } = addressOf(new URL(origin));
    return loopbackAddresses(hostname).map((address) => hostPort(address, port));
  });
  return alertWebhookUrl ? [urlHost(alertWebhookUrl), ...maps] : maps;
}

function urlHost(url: string): string {
  const { hostname, port } = addressOf(new URL(url));
  return hostPort(hostname, port);
}
