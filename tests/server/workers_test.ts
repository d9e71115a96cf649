/** Several server processes on one port (`WORKERS`), as `deno task start` runs them. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ProcessReport } from "../../monitoring/relay/process_report.ts";
import { type WatchedProcess, watchProcess } from "../harness/watched_process.ts";
import { DSN, fresh } from "../relay/_start_relay.ts";
import { answers, startStandInIngest, takes, takesAfter } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ignore = Deno.build.os !== "linux";
/** The metric that counts delivered events. */
const DELIVERED = 'sightglass_items_total{category="error",outcome="delivered"}';
/** So many that the system gives some to each process. */
const CONNECTIONS = 40;
/** Clients that post or ask for the health during a reload, and their pause after each request. */
const CLIENTS = 8;
const PAUSE_MS = 10;

function launch(env: Record<string, string>): WatchedProcess {
  return watchProcess(["run", "-A", join(ROOT, "tools/run/start.ts")], {
    cwd: ROOT,
    env: { HOST: "127.0.0.1", SENTRY_DSN: DSN, WORKERS: "2", ...env },
  });
}

/** Sends a request over a connection of its own, so that the system chooses the process. */
async function request(url: string, init: RequestInit = {}): Promise<Response> {
  using client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
  const response = await fetch(url, { ...init, client } as RequestInit);
  return new Response(await response.text(), response);
}

async function metric(origin: string, name: string): Promise<number> {
  const text = await (await request(`${origin}/monitoring/metrics`)).text();
  const line = text.split("\n").find((line) => line.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

Deno.test({
  name: "two processes on one port → both answer, counts of the whole; one killed → nothing lost",
  ignore,
  async fn(t) {
    using folder = temporaryFolder();
    const dataDir = folder.path;
    await using ingest = startStandInIngest();
    await using server = launch({
      PORT: "0",
      DATA_DIR: dataDir,
      RELAY_UPSTREAM: ingest.origin,
    });
    const origin = await server.printed(/^Listening on (\S+)\/$/m);
    const processes = () => metric(origin, "sightglass_processes");
    await until("both run", async () => await processes() === 2);

    const post = async (body: BodyInit) =>
      (await request(`${origin}/monitoring`, { method: "POST", body })).status;
    const postMany = (count: number) =>
      Promise.all(Array.from({ length: count }, () => post(fresh())));

    await t.step("requests over many connections → both processes answer, one count", async () => {
      assert.deepEqual(new Set(await postMany(CONNECTIONS)), new Set([200]));
      await until("all are counted", async () => await metric(origin, DELIVERED) === CONNECTIONS);
      const reports = join(dataDir, `workers-127.0.0.1-${new URL(origin).port}`);
      for (const worker of [0, 1]) {
        await until(`process ${worker} reports some of them`, async () => {
          const text = await Deno.readTextFile(join(reports, `${worker}.json`));
          const { [DELIVERED]: delivered = 0 } = (JSON.parse(text) as ProcessReport).counts;
          return delivered > 0 && delivered < CONNECTIONS;
        });
      }
    });

    await t.step("one process killed → replaced, nothing acknowledged is lost", async () => {
      ingest.behave(answers(503));
      const kept = Array.from({ length: CONNECTIONS }, () => fresh());
      const textOf = (body: Uint8Array) => new TextDecoder().decode(body);
      const [, ...workers] = server.pids();
      const command = await Deno.readTextFile(`/proc/${workers[1]}/cmdline`);
      const { host } = new URL(origin);
      assert.match(
        command,
        new RegExp(`--allow-net=${host},127.0.0.1:\\d+\0`),
        "no more than needed",
      );
      const acknowledged: string[] = [];
      await Promise.all(kept.map(async (body, index) => {
        if (index === CONNECTIONS / 2) Deno.kill(workers[1]!, "SIGKILL");
        // A connection of the killed process breaks.
        const status = await post(body).catch(() => undefined);
        if (status === 202) acknowledged.push(textOf(body));
      }));
      assert.ok(acknowledged.length > 0);
      await until("it is replaced", () => {
        const now = server.pids();
        return now.length === 3 && !now.includes(workers[1]!);
      });
      assert.match(server.text(), /Server process \d ended \(SIGKILL\); another starts in 1 s\./);
      const started = () => server.text().match(/The server has started/g)?.length;
      await until("it listens", () => started() === 3);
      await until("both report", async () => await processes() === 2);
      assert.equal(await metric(origin, DELIVERED), CONNECTIONS, "counts of the killed one stay");
      ingest.behave(takes());
      await ingest.waitFor(
        (all) => acknowledged.every((sent) => all.some((request) => request.text === sent)),
      );
    });

    // Attack: a server of the same user that shares the port would get a part of the connections.
    await t.step("another server on the same port → refused with one line", async () => {
      await using other = launch({ PORT: new URL(origin).port, DATA_DIR: dataDir });
      await until("it is refused", () => other.text().includes("in use"));
      assert.equal((await other.process.status).code, 1);
      await other.closed;
      assert.equal(
        other.text(),
        `Cannot listen on ${origin}/: the port is in use, set another PORT.\n`,
      );
    });

    await t.step("SIGTERM during requests → each is answered, exit code 0", async () => {
      // After the outage, a process sends one envelope at a time until the ingest accepts one, and spools the rest.
      const areDelivered = (statuses: number[]) => statuses.every((status) => status === 200);
      await until("both send again", async () => areDelivered(await postMany(CONNECTIONS)));
      const answer = Promise.withResolvers<void>();
      ingest.behave(takesAfter(answer.promise));
      const before = ingest.requests.length;
      const pending = postMany(12);
      await ingest.waitFor((all) => all.length >= before + 12);
      server.process.kill("SIGTERM");
      await until("it stops", () => server.text().includes("The server is stopping"));
      answer.resolve();
      const statuses = await pending;
      // On a busy machine the attempts are ended, and the envelopes spooled, before the answer comes.
      assert.ok(statuses.every((status) => status === 200 || status === 202), `${statuses}`);
      assert.equal((await server.process.status).code, 0);
      await server.closed;
      assert.equal(server.text().match(/^Listening on/gm)?.length, 1);
      assert.deepEqual(
        [...Deno.readDirSync(dataDir)].map(({ name }) => name).filter((name) =>
          /^workers-|-wal$/.test(name)
        ),
        [],
      );
    });
  },
});

Deno.test({
  name: "launcher of two processes killed → both stop",
  ignore,
  async fn() {
    using folder = temporaryFolder();
    await using server = launch({ PORT: "0", DATA_DIR: folder.path, SPOOL: "none" });
    const origin = await server.printed(/^Listening on (\S+)\/$/m);
    await until("both run", () => server.pids().length === 3);
    await server.endsAfter("SIGKILL", 0);
    await assert.rejects(
      Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) }),
      Deno.errors.ConnectionRefused,
    );
  },
});

for (const workers of ["1", "2"]) {
  Deno.test({
    name:
      `SIGHUP under load, WORKERS=${workers} → new processes, healthy, each post taken once, counts continue`,
    ignore,
    async fn() {
      using folder = temporaryFolder();
      await using ingest = startStandInIngest();
      await using server = launch({
        PORT: "0",
        DATA_DIR: folder.path,
        RELAY_UPSTREAM: ingest.origin,
        WORKERS: workers,
      });
      const origin = await server.printed(/^Listening on (\S+)\/$/m);
      const started = () => server.text().match(/The server has started/g)?.length;
      await until("all run", () => started() === Number(workers));
      const oldPids = server.pids().slice(1);

      const posts: string[] = [];
      let hasReloaded = false;
      const post = async (send: typeof request) => {
        const body = fresh();
        const { status } = await send(`${origin}/monitoring`, { method: "POST", body });
        assert.equal(status, 200);
        posts.push(new TextDecoder().decode(body));
      };
      /** Keeps its connection, which the server asks it to replace. */
      const overKeptConnection = async (url: string, init?: RequestInit) => {
        const response = await fetch(url, init);
        return new Response(await response.text(), response);
      };
      /** The system resets a connection that is opened while the old process closes its listener. */
      const overNewConnection: typeof request = async (url, init) =>
        await request(url, init).catch(() => request(url, init));
      // Connections of its own, which are kept: each sends a request to a process that is stopping.
      using client = Deno.createHttpClient({});
      const askHealth = async () => {
        const response = await fetch(`${origin}/monitoring`, { client } as RequestInit);
        assert.equal(response.status, 200, await response.text());
      };
      const load = Array.from({ length: CLIENTS }, async (_, index) => {
        const act = index % 4 === 3
          ? askHealth
          : () => post(index % 2 ? overKeptConnection : overNewConnection);
        while (!hasReloaded) {
          await act();
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      });
      await until("all send", () => posts.length > 5 * CLIENTS);
      server.process.kill("SIGHUP");
      const result = server.printed(/^(Reloaded|Cannot reload): /m).finally(() =>
        hasReloaded = true
      );
      // Rejects as soon as a post fails.
      await Promise.all([...load, result]);
      assert.equal(await result, "Reloaded");
      const newPids = server.pids().slice(1);
      assert.equal(newPids.length, Number(workers));
      assert.ok(newPids.every((pid) => !oldPids.includes(pid)));
      const arrived = Map.groupBy(ingest.requests, ({ text }) => text);
      assert.ok(posts.every((text) => arrived.get(text)?.length === 1));
      await until("all are counted", async () => await metric(origin, DELIVERED) === posts.length);
      server.process.kill("SIGTERM");
      assert.equal((await server.process.status).code, 0);
      await server.closed;
    },
  });
}
