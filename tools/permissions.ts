import { join, resolve } from "node:path";
import { type Config, CONFIG_VARIABLES } from "../config.ts";
import type { Dsn } from "../monitoring/envelope/dsn.ts";

/** What of the configuration decides what the server may do. */
export type PermissionConfig = Pick<
  Config,
  "mode" | "port" | "hostname" | "allowedDsns" | "upstream" | "dataDir"
>;

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

const DEFAULT_PORTS = { http: 80, https: 443 };

/**
 * Deno's permission flags for the server of this configuration, and nothing else: it reads the
 * project and its data, writes its data, listens at its address, connects to the ingests that it
 * relays to, and runs nothing.
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

/** `host:port` of every place that envelopes are sent to. In inbox mode there is none. */
function ingestHosts({ mode, upstream, allowedDsns }: PermissionConfig): string[] {
  if (mode === "inbox") return [];
  if (upstream !== undefined) return [originHost(new URL(upstream))];
  return allowedDsns.map(dsnHost);
}

function dsnHost({ protocol, host }: Dsn): string {
  return originHost(new URL(`${protocol}://${host}`));
}

function originHost({ protocol, hostname, port }: URL): string {
  const standard = DEFAULT_PORTS[protocol === "http:" ? "http" : "https"];
  return `${hostname}:${port || standard}`;
}

function hostPort(hostname: string, port: number): string {
  return hostname.includes(":") ? `[${hostname}]:${port}` : `${hostname}:${port}`;
}
