import { join } from "node:path";
import pg from "pg";
import type { SmallDisk } from "../../../tests/harness/small_disk.ts";
import { findStablePort } from "../../../tests/harness/stable_port.ts";

/** Folders of server binaries, newest version first. */
const DEBIAN_FOLDER = "/usr/lib/postgresql";
const PASSWORD = "p@ss/word:%";
const START_TIMEOUT_MS = 60_000;
/** In the namespace of a small disk, where a user is root. */
const OTHER_USER = ["unshare", "--user", "--map-user=65534", "setpriv", "--pdeathsig=QUIT"];

/**
 * A PostgreSQL server of its own for a test: in a temporary folder, on a free port, TLS only. It answers
 * before it has written to disk, unless a connection asks for more. For proxies that read the protocol, the user
 * `plain` is trusted without TLS.
 */
export interface PrivatePostgres extends AsyncDisposable {
  readonly port: number;
  readonly caFile: string;
  /** A `DATABASE_URL`. Default: the database `spool`, TLS verified. */
  url(options?: UrlOptions): string;
  /** A `DATABASE_URL` of the user `plain`, through the proxy on this port. */
  plainUrl(port: number): string;
  /** Runs SQL as the superuser. */
  admin(sql: string, database?: string): Promise<Record<string, unknown>[]>;
  start(): Promise<void>;
  /** `immediate`: without a checkpoint, as after a crash. */
  stop(how: "fast" | "immediate"): Promise<void>;
}

interface UrlOptions {
  readonly port?: number;
  readonly user?: string;
  readonly password?: string;
  readonly database?: string;
  readonly parameters?: string;
}

/** Folder of `initdb` and `postgres`; undefined: there is no server on this machine. */
export const postgresBinaries: string | undefined = findBinaries();

/**
 * Starts a server before the tests of the calling file and removes it after them.
 *
 * @param use receives it
 * @returns whether the tests are to be ignored, because there is no server on this machine
 */
export function startPostgresBeforeAll(
  use: (postgres: PrivatePostgres) => unknown,
): boolean {
  if (postgresBinaries === undefined) return true;
  let postgres: PrivatePostgres;
  Deno.test.beforeAll(async () => {
    postgres = await startPostgres();
    await use(postgres);
  });
  Deno.test.afterAll(async () => await postgres[Symbol.asyncDispose]());
  return false;
}

/**
 * Starts a server. As root it runs as another user, because PostgreSQL refuses root.
 *
 * @param disk holds the tables, but not the write-ahead log
 * @throws it does not start; with its log
 */
export async function startPostgres(disk?: SmallDisk): Promise<PrivatePostgres> {
  if (postgresBinaries === undefined) throw new Error("There is no PostgreSQL server here.");
  const bin = postgresBinaries;
  const folder = await Deno.makeTempDir({ prefix: "postgres-" });
  const data = join(disk?.path ?? folder, "data");
  const own = disk ? [...disk.enter, ...OTHER_USER] : await ownUser(folder);
  await Deno.writeTextFile(join(folder, "password"), PASSWORD);
  await run([...own, join(bin, "initdb"), "-D", data, "-U", "owner", "-E", "UTF8", "--locale=C"], [
    "--no-instructions",
    "--no-sync",
    `--waldir=${join(folder, "wal")}`,
    "--auth=scram-sha-256",
    `--pwfile=${join(folder, "password")}`,
  ]);
  await makeCertificates(folder, own);
  await Deno.writeTextFile(
    join(disk?.outside ?? folder, "data/pg_hba.conf"),
    "hostssl all all 127.0.0.1/32 scram-sha-256\nhostnossl all plain 127.0.0.1/32 trust\n",
  );
  const port = findStablePort();
  const settings = {
    port,
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    ssl: "on",
    ssl_cert_file: join(folder, "server.crt"),
    ssl_key_file: join(folder, "server.key"),
    synchronous_commit: "off",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

  let server: Deno.ChildProcess | undefined;
  let log = "";
  const url: PrivatePostgres["url"] = (options = {}) => {
    const { user = "owner", password = PASSWORD, database = "spool" } = options;
    const parameters = options.parameters ?? `sslrootcert=${join(folder, "ca.crt")}`;
    const address = `127.0.0.1:${options.port ?? port}`;
    return `postgres://${user}:${
      encodeURIComponent(password)
    }@${address}/${database}?${parameters}`;
  };
  const plainUrl = (port: number) =>
    url({ port, user: "plain", password: "", parameters: "sslmode=disable" });
  const admin = async (sql: string, database = "postgres") => {
    const ssl = { rejectUnauthorized: false };
    const client = new pg.Client({
      host: "127.0.0.1",
      port,
      user: "owner",
      password: PASSWORD,
      database,
      ssl,
    });
    client.on("error", () => {});
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const start = async () => {
    const [program = "", ...args] = [...own, join(bin, "postgres"), "-D", data, ...flags];
    server = new Deno.Command(program, { args, stdout: "null", stderr: "piped", cwd: "/" }).spawn();
    const ended = new Response(server.stderr).text().then((text) => log = text);
    const giveUpAt = performance.now() + START_TIMEOUT_MS;
    for (;;) {
      try {
        await admin("SELECT 1");
        return;
      } catch (error) {
        if (performance.now() > giveUpAt) {
          server.kill("SIGKILL");
          await ended;
          throw new Error(`PostgreSQL did not start: ${error}\n${log}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }
  };
  const stop: PrivatePostgres["stop"] = async (how) => {
    server?.kill(how === "fast" ? "SIGINT" : "SIGQUIT");
    await server?.status;
    server = undefined;
  };
  await start();
  await admin("CREATE ROLE plain LOGIN");
  await admin("CREATE DATABASE spool");
  await admin("GRANT CREATE ON DATABASE spool TO plain");
  return {
    port,
    caFile: join(folder, "ca.crt"),
    url,
    plainUrl,
    admin,
    start,
    stop,
    async [Symbol.asyncDispose]() {
      await stop("immediate");
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** A command's prefix to run it as an unprivileged user, who gets the folder. The server ends with this process. */
async function ownUser(folder: string): Promise<string[]> {
  const prefix = Deno.build.os === "linux" ? ["setpriv", "--pdeathsig=QUIT"] : [];
  if (Deno.uid() !== 0) return prefix;
  const users = (await Deno.readTextFile("/etc/passwd")).split("\n").map((line) => line.split(":"));
  const user = users.find(([name]) => name === "postgres") ??
    users.find(([name]) => name === "nobody");
  const [uid, gid] = [Number(user?.[2]), Number(user?.[3])];
  await Deno.chown(folder, uid, gid);
  return [...prefix, `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups"];
}

/** An authority, and a certificate of it for `localhost` and 127.0.0.1. */
async function makeCertificates(folder: string, own: readonly string[]): Promise<void> {
  const file = (name: string) => join(folder, name);
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const openssl = [...own, "openssl"];
  await run([...openssl, "req", "-x509", ...key, "-days", "2"], [
    "-subj",
    "/CN=Test authority",
    "-keyout",
    file("ca.key"),
    "-out",
    file("ca.crt"),
  ]);
  await run([...openssl, "req", "-x509", ...key, "-days", "2"], [
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost,IP:127.0.0.1",
    "-addext",
    "basicConstraints=critical,CA:FALSE",
    "-CA",
    file("ca.crt"),
    "-CAkey",
    file("ca.key"),
    "-keyout",
    file("server.key"),
    "-out",
    file("server.crt"),
  ]);
}

async function run([program = "", ...args]: readonly string[], more: readonly string[]) {
  const command = new Deno.Command(program, { args: [...args, ...more], stdout: "null", cwd: "/" });
  const { success, stderr } = await command.output();
  if (!success) throw new Error(`${program} failed: ${new TextDecoder().decode(stderr)}`);
}

function findBinaries(): string | undefined {
  try {
    const versions = [...Deno.readDirSync(DEBIAN_FOLDER)].map(({ name }) => Number(name))
      .sort((a, b) => b - a);
    const bins = versions.map((version) => `${DEBIAN_FOLDER}/${version}/bin`);
    return bins.find((bin) => Deno.statSync(`${bin}/initdb`).isFile);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}
