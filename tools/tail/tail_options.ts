import { CONFIG_VARIABLES, loadConfig } from "../../config.ts";
import { UserError } from "../command_line.ts";

export const VIEWS = ["errors", "logs", "traces"] as const;
export type View = typeof VIEWS[number];

/** Which rows to print, and of which server. */
export interface TailOptions {
  readonly views: readonly View[];
  /** One JSON object a line instead of text. */
  readonly json: boolean;
  /** Also print telemetry of Sightglass itself when there is another application's. */
  readonly all: boolean;
  /** `http://HOST:PORT` of the server. */
  readonly origin: string;
  /** `INBOX_TOKEN`. */
  readonly token: string | undefined;
}

const USAGE = `Use: deno task tail [${VIEWS.join("|")}] [--json] [--all] [--url=http://HOST:PORT]`;

/** The variables that configure the server's address and token. */
const VARIABLES = ["HOST", "PORT", "INBOX_TOKEN"];

/**
 * Reads the command line. Without `--url` the server is the one that `PORT` and `HOST` configure.
 *
 * @throws {UserError}
 * @throws {ConfigError} a variable is not valid
 */
export function readTailOptions(
  args: readonly string[],
  env: (name: string) => string | undefined,
): TailOptions {
  let views: readonly View[] = VIEWS;
  let json = false;
  let all = false;
  let url: string | undefined;
  for (const arg of args) {
    const view = VIEWS.find((name) => name === arg);
    if (view !== undefined) views = views === VIEWS ? [view] : [...views, view];
    else if (arg === "--json") json = true;
    else if (arg === "--all") all = true;
    else if (arg.startsWith("--url=")) url = arg.slice("--url=".length);
    else throw new UserError(`Cannot tail: unknown argument ${JSON.stringify(arg)}. ${USAGE}`);
  }
  const config = loadConfig(
    Object.fromEntries(
      CONFIG_VARIABLES.filter((name) => VARIABLES.includes(name)).map((name) => [name, env(name)]),
    ),
  );
  const origin = url === undefined ? originOf(config) : parseOrigin(url);
  return { views, json, all, origin, token: config.inboxToken };
}

/** @throws {UserError} */
function parseOrigin(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new UserError(`Cannot tail: --url is not an http or https address. ${USAGE}`);
  }
  return parsed.origin;
}

/** Where to reach a server that listens on all interfaces: its inbox accepts loopback peers. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function originOf({ hostname, port }: { hostname: string; port: number }): string {
  const host = LOOPBACK_OF[hostname] ?? hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
