import {
  postgresBinaries,
  type PrivatePostgres,
  startPostgres,
} from "../monitoring/storage/testdata/private_postgres.ts";
import { healthOf } from "../tests/server_health.ts";
import { findStablePort } from "../tests/stable_port.ts";
import { projectRoot } from "../tools/project_files.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../tests/server_process.ts";
import { figure, type Measured } from "./figures.ts";
import { cpuMicros, measureRounds } from "./relay/measure_rounds.ts";
import { startNginxIngest } from "./relay/nginx.ts";

const BYTES = 10_000;
/** More than one run accepts, so that the spool never gets full. */
const SPOOL_MAX_BYTES = 20 * 1024 ** 3;
const SYNCED_WRITES = 200;
const DRAIN_ROUNDS = 3;
const DRAIN_SECONDS = 1.5;
/** Response time of a distant ingest. */
const DISTANT_INGEST_MS = 50;

/** The processor of one relay process; several run on both. */
const RELAY_CPU = 0;
/** The processor of load, ingest and database. */
const OTHER_CPU = 1;

/**
 * The points that the model in docs/operating.md is held against, with envelopes of 10 KB: CPU time while the ingest
 * accepts and while it is down, bytes on disk, and how fast the spool is delivered afterwards. With one and two server
 * processes on SQLite and PostgreSQL.
 */
export async function bench(): Promise<Measured[]> {
  const figures: Measured[] = [await measureSync()];
  for (const processes of [1, 2]) {
    const name = processes === 1 ? "1 process" : `${processes} processes`;
    figures.push(...await measureStorage(`${name}, SQLite`, processes));
    if (postgresBinaries === undefined) {
      figures.push({ what: `${name}, PostgreSQL`, missing: "needs a PostgreSQL server" });
      continue;
    }
    await using postgres = await startPostgres();
    figures.push(...await measureStorage(`${name}, PostgreSQL`, processes, postgres));
  }
  return figures;
}

/** What each commit waits for at least: an accepted envelope is on the disk. */
async function measureSync(): Promise<Measured> {
  const path = await Deno.makeTempFile({ prefix: "scale-" });
  try {
    using file = Deno.openSync(path, { write: true });
    const page = new Uint8Array(8 * 1024).fill(1);
    const millis = Array.from({ length: SYNCED_WRITES }, () => {
      const start = performance.now();
      file.writeSync(page);
      file.syncDataSync();
      return performance.now() - start;
    });
    return figure("a write of 8 KiB synced to the disk", millis, "ms");
  } finally {
    await Deno.remove(path);
  }
}

async function measureStorage(
  name: string,
  processes: number,
  postgres?: PrivatePostgres,
): Promise<Measured[]> {
  await using ingest = await startNginxIngest();
  pin(ingest.pid);
  const postmaster = postgres && await postmasterOf(postgres);
  if (postmaster !== undefined) pin(postmaster);
  const dataDir = await Deno.makeTempDir({ prefix: "scale-" });
  const start = (env: Record<string, string>) => startPinned(processes, { dataDir, env });
  // Nothing listens there, so that connections are refused.
  const dsn = `http://publickey@127.0.0.1:${findStablePort()}/42`;
  const env: Record<string, string> = {
    SENTRY_DSN: dsn,
    SENTRY_TUNNEL: "always",
    SPOOL_MAX_BYTES: `${SPOOL_MAX_BYTES}`,
    ...(postgres && { DATABASE_URL: postgres.url() }),
  };
  const load = { dsn, bytes: BYTES, cpu: OTHER_CPU };
  const figures: Measured[] = [];
  try {
    {
      await using relay = await start({ ...env, RELAY_UPSTREAM: ingest.origin });
      const { micros } = (await measureRounds(new Map([[name, relay]]), load)).get(name)!;
      figures.push(figure(`${name}: CPU time to forward an envelope of 10 KB`, micros, "µs"));
    }
    {
      await using relay = await start(env);
      const databaseBefore = postmaster === undefined ? 0 : cpuMicros(postmaster);
      const { rates, micros } = (await measureRounds(new Map([[name, relay]]), load)).get(name)!;
      const { pending } = (await healthOf(relay)).spool;
      figures.push(
        figure(`${name}: accepted while the ingest is down`, rates, "/s"),
        figure(`${name}: …CPU time for each`, micros, "µs"),
        figure(`${name}: …bytes on disk for each`, [
          await diskBytes(dataDir, postgres) / pending,
        ], "bytes"),
      );
      if (postmaster !== undefined) {
        const spent = (cpuMicros(postmaster) - databaseBefore) / pending;
        figures.push(figure(`${name}: …CPU time of the database for each`, [spent], "µs"));
      }
    }
    await using distant = startDistantIngest();
    const upstreams = [["at once", ingest.origin], [
      `in ${DISTANT_INGEST_MS} ms`,
      distant.origin,
    ]] as const;
    for (const [answers, upstream] of upstreams) {
      await using relay = await start({ ...env, RELAY_UPSTREAM: upstream });
      const rates: number[] = [];
      for (let round = 0; round < DRAIN_ROUNDS; round++) rates.push(await drainRate(relay));
      const what = `${name}: delivered from the spool, the ingest answers ${answers}`;
      figures.push(figure(what, rates, "/s"));
    }
    return figures;
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

/** As `deno task start` runs it. */
function startPinned(processes: number, options: ServerOptions): Promise<ServerProcess> {
  if (processes === 1) {
    return startServer({ ...options, before: `taskset -p -c ${RELAY_CPU} $$ >/dev/null` });
  }
  const main = `${projectRoot}/tools/run/start.ts`;
  const env = { ...options.env, WORKERS: `${processes}` };
  return startServer({ ...options, env, main, permissions: ["-A"] });
}

function pin(pid: number): void {
  const args = ["-a", "-p", "-c", `${OTHER_CPU}`, `${pid}`];
  const { success } = new Deno.Command("taskset", { args, stdout: "null" }).outputSync();
  if (!success) throw new Error(`Cannot pin process ${pid} to processor ${OTHER_CPU}.`);
}

async function postmasterOf(postgres: PrivatePostgres): Promise<number> {
  const [row] = await postgres.admin("SELECT current_setting('data_directory') AS folder");
  const text = await Deno.readTextFile(`${row!.folder}/postmaster.pid`);
  return parseInt(text);
}

/** Bytes of the spool's files, or of its tables. */
async function diskBytes(dataDir: string, postgres?: PrivatePostgres): Promise<number> {
  if (postgres !== undefined) {
    const [row] = await postgres.admin("SELECT pg_database_size('spool') AS bytes");
    return Number(row!.bytes);
  }
  const files = Array.from(Deno.readDirSync(dataDir)).filter(({ name }) => /^spool/.test(name));
  return files.reduce((sum, { name }) => sum + Deno.statSync(`${dataDir}/${name}`).size, 0);
}

/** Envelopes a second that leave the spool of a server without load. */
async function drainRate(relay: ServerProcess): Promise<number> {
  const start = performance.now();
  const before = (await healthOf(relay)).spool.pending;
  await new Promise((resolve) => setTimeout(resolve, DRAIN_SECONDS * 1_000));
  const left = (await healthOf(relay)).spool.pending;
  if (left === 0) throw new Error("The spool was empty before the end of the measurement.");
  return (before - left) / (performance.now() - start) * 1_000;
}

function startDistantIngest() {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    await request.arrayBuffer();
    await new Promise((resolve) => setTimeout(resolve, DISTANT_INGEST_MS));
    return Response.json({ id: "9ec79c33ec9942ab8353589fcb2e04dc" });
  });
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
