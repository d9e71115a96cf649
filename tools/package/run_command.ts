import { basename } from "node:path";
import { setTimeout } from "node:timers/promises";
import { formatDuration } from "../../monitoring/models/duration.ts";
import { TOOL } from "../../monitoring/protocol/commands.ts";
import { type InboxAddress, requestInbox, UserError, visibleText } from "../command_line.ts";
import { type Environment, onStopRequest } from "../run/processes.ts";
import { endTree } from "./process_tree.ts";
import { findMode, openServer } from "./running_server.ts";

const HEALTH_CHECK_MS = 1_000;
const MAX_PACKAGE_BYTES = 1024 * 1024;

/** Runs a program whose SDKs send to the server of `settings`, or a new one; prints what arrives. Returns its exit code. */
export async function runWithServer(
  args: readonly string[],
  settings: Environment,
  env: Environment,
): Promise<number> {
  const command = args[0] === "--" ? args.slice(1) : args;
  if (command[0] === undefined || command[0].startsWith("-")) {
    throw new UserError(`Cannot run: no command is given. Use: ${TOOL} run -- COMMAND`);
  }
  await using servers = new AsyncDisposableStack();
  const open = async (env: Environment) => servers.use(await openServer("run", env));
  let server = await open(settings);
  console.error(`Sightglass: ${server.origin}/ shows what "${command.join(" ")}" sends.`);
  const since = Date.now();
  const ended = new AbortController();
  const kept = keepServer(ended);
  const code = await runProgram(command, { ...variablesFor(server.origin, env), ...env });
  ended.abort();
  await kept;
  try {
    console.error(`Sightglass received ${await received(server, since)}: ${server.shownBy}`);
  } catch (error) {
    // A server that ran before has ended meanwhile.
    if (!(error instanceof UserError)) throw error;
    console.error(error.message);
  }
  return code;

  /** Starts the server again if it ends before the program, as that of another `run` does. */
  async function keepServer({ signal }: AbortController): Promise<void> {
    const PORT = new URL(server.origin).port;
    while (await setTimeout(HEALTH_CHECK_MS, true, { signal }).catch(() => false)) {
      if (await findMode(server.origin) !== undefined) continue;
      // Fails if it only answers late, or if another program has the port.
      server = await open({ ...settings, PORT }).catch(() => server);
    }
  }
}

/** Runs a program to its end, with the signals of this process. Returns its exit code; 127, as a shell, if there is none. */
export async function runProgram(
  [program = "", ...args]: readonly string[],
  env: Environment,
): Promise<number> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command(program, { args, env, clearEnv: true }).spawn();
  } catch (error) {
    const { NotFound, PermissionDenied } = Deno.errors;
    if (!(error instanceof NotFound || error instanceof PermissionDenied)) throw error;
    console.error(`Cannot run: there is no program "${program}" that this user may run.`);
    return 127;
  }
  // A terminal sends its signals to all processes.
  const hasTerminal = [Deno.stdin, Deno.stdout, Deno.stderr].some((stream) => stream.isTerminal());
  const stops: Promise<void>[] = [];
  const stop = (signal: Deno.Signal) =>
    stops.push(endTree(child.pid, signal, hasTerminal && signal === "SIGINT"));
  onStopRequest(stop);
  if (Deno.build.os !== "windows") Deno.addSignalListener("SIGHUP", () => stop("SIGHUP"));
  const { code } = await child.status;
  await Promise.all(stops);
  return code;
}

/**
 * The variables by which SDKs send everything to a server. Those of Sentry's and OpenTelemetry's SDKs are left out where
 * the program has another destination: what it sends there must not change.
 *
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
function variablesFor(origin: string, env: Environment): Environment {
  const { name, version } = readPackage();
  return {
    // In addition to its DSN. What arrives twice is stored once.
    SENTRY_SPOTLIGHT: `${origin}/stream`,
    ...env.SENTRY_DSN === undefined && {
      SENTRY_DSN: `${origin.replace("//", "//inbox@")}/1`,
      SENTRY_TRACES_SAMPLE_RATE: "1",
      SENTRY_ENVIRONMENT: "development",
      SENTRY_RELEASE: `${name}@${version}`,
    },
    ...env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined && {
      OTEL_EXPORTER_OTLP_ENDPOINT: origin,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf",
      OTEL_SERVICE_NAME: name,
      OTEL_TRACES_EXPORTER: "otlp",
      OTEL_LOGS_EXPORTER: "otlp",
      OTEL_DENO: "true",
      OTEL_METRICS_EXPORTER: "otlp",
    },
  };
}

/** The name, without its scope, and the version in `package.json`, else the folder's name. */
function readPackage(): { name: string; version: string } {
  let found: Record<string, unknown> = {};
  try {
    // A pipe has no end.
    const { isFile, size } = Deno.statSync("package.json");
    if (isFile && size < MAX_PACKAGE_BYTES) {
      found = Object(JSON.parse(Deno.readTextFileSync("package.json")));
    }
  } catch {
    // There is none, or it is not valid, which the program will report.
  }
  // A variable must not be too long. A control character would be refused in it, or write to the terminal.
  const read = (value: unknown, standard: string) =>
    typeof value === "string" && /^\P{Cc}{1,200}$/u.test(value) ? value : standard;
  const name = basename(read(found.name, Deno.cwd()));
  return { name: name || "app", version: read(found.version, "dev") };
}

/** What applications have sent since then: `2 errors and 1 trace, the slowest "GET /cart" (107 ms)`. */
async function received(server: InboxAddress, since: number): Promise<string> {
  const read = async (query: string) => {
    const filters = `${query}&application=apps&since=${since}`;
    return await (await requestInbox("read what has arrived", server, filters)).json();
  };
  const count = async (list: string, name: string) => {
    const { parts } = await read(`view=histogram&of=${list}`);
    const sum = parts.reduce((sum: number, part: { count: number }) => sum + part.count, 0);
    return `${sum} ${name}${sum === 1 ? "" : "s"}`;
  };
  const [errors, traces, { rows: [slowest] }] = await Promise.all([
    count("errors", "error"),
    count("traces", "trace"),
    read("view=traces&sort=slowest&limit=1"),
  ]);
  if (slowest === undefined) return `${errors} and ${traces}`;
  const { name, started_at, ended_at } = slowest;
  const took = formatDuration(ended_at - started_at);
  return `${errors} and ${traces}, the slowest "${visibleText(name)}" (${took})`;
}
