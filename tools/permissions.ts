import { join, resolve } from "node:path";
import { type Config, CONFIG_VARIABLES } from "../config.ts";
import type { Dsn } from "../monitoring/protocol/dsn.ts";
import { addressOf, proxyFor } from "../monitoring/relay/send/http/proxies.ts";

/** What of the configuration decides what the server may do. */
export type PermissionConfig =
  & Pick<
    Config,
    "mode" | "port" | "hostname" | "allowedDsns" | "upstream" | "dataDir"
  >
  & Partial<Pick<Config, "proxies">>;

export interface Places {
  /** The project's folder, absolute. */
  readonly root: string;
  /** What a relative `DATA_DIR` is relative to. */
  readonly cwd: string;
}

/**
 * Of the project, what the server reads while it runs: the build, and the modules that it imports
 * by name.
 */
const READ = [".build", "routes", "server", "monitoring", "node_modules"];

/**
 * Deno's permission flags for the server of this configuration, and nothing else: it reads the
 * project and its data, writes its data, listens at its address, connects to the ingests that it
 * relays to and to the proxies on the way, and runs nothing.
 */
export function serverPermissions(config: PermissionConfig, { root, cwd }: Places): string[] {
  const data = resolve(cwd, config.dataDir);
  const read = [...READ.map((folder) => join(root, folder)), data];
  const net = [hostPort(config.hostname, config.port), ...ingestHosts(config)];
  return [
    "--no-prompt",
    `--allow-read=${read.join(",")}`,
    `--allow-write=${data}`,
    `--allow-net=${[...new Set(net)].join(",")}`,
    `--allow-env=${CONFIG_VARIABLES.join(",")}`,
  ];
}

/** `host:port` of every ingest, and of the proxies to them. In inbox mode there is none. */
function ingestHosts({ mode, upstream, allowedDsns, proxies }: PermissionConfig): string[] {
  if (mode === "inbox") return [];
  const ingests = upstream === undefined ? allowedDsns.map(dsnUrl) : [new URL(upstream)];
  const through = ingests.map((ingest) => proxies && proxyFor(ingest, proxies));
  return [...ingests, ...through.filter((proxy) => proxy !== undefined)].map((url) => {
    const { hostname, port } = addressOf(url);
    return hostPort(hostname, port);
  });
}

function dsnUrl({ protocol, host }: Dsn): URL {
  return new URL(`${protocol}://${host}`);
}

function hostPort(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
