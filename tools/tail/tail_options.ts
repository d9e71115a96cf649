import { loadConfig } from "../../config.ts";
import { readArguments, UserError } from "../command_line.ts";

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

const USAGE = `deno task tail [${VIEWS.join("|")}] [--json] [--all] [--url=http://HOST:PORT]`;

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
  const { values: { json, all, url }, positionals } = readArguments("tail", USAGE, {
    args: [...args],
    options: {
      json: { type: "boolean", default: false },
      all: { type: "boolean", default: false },
      url: { type: "string" },
    },
    allowPositionals: true,
  });
  const views = VIEWS.filter((view) => positionals.includes(view));
  const unknown = positionals.find((name) => !VIEWS.some((view) => view === name));
  if (unknown !== undefined) throw new UserError(`Cannot tail: "${unknown}". Use: ${USAGE}`);
  const config = loadConfig(Object.fromEntries(VARIABLES.map((name) => [name, env(name)])));
  const origin = url === undefined ? originOf(config) : URL.parse(url)?.origin;
  if (!/^https?:/.test(origin ?? "")) {
    throw new UserError(`Cannot tail: --url is not an http or https address. Use: ${USAGE}`);
  }
  return {
    views: views.length > 0 ? views : VIEWS,
    json,
    all,
    origin: origin!,
    token: config.inboxToken,
  };
}

/** Where to reach a server that listens on all interfaces: its inbox accepts loopback peers. */
const LOOPBACK_OF: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function originOf({ hostname, port }: { hostname: string; port: number }): string {
  const host = LOOPBACK_OF[hostname] ?? hostname;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
