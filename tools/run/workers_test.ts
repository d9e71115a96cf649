import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../tests/harness/until.ts";
import { runWorkers } from "./workers.ts";

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

/** What is printed while `act` runs, which is not shown. */
async function outputOf(act: (output: string[]) => Promise<void>): Promise<string[]> {
  const { log, warn, error } = console;
  const output: string[] = [];
  const add = (text: string) => void output.push(text);
  Object.assign(console, { log: add, warn: add, error: add });
  try {
    await act(output);
  } finally {
    Object.assign(console, { log, warn, error });
  }
  return output;
}

/** Starts `sh` for each process: runs the script, "listens" by writing its report, and waits for a signal. */
async function run(
  workers: number,
  script: string,
  act: (
    at: { folder: string; starts: number[]; stop: () => void; reload: () => void },
  ) => Promise<void>,
): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "workers-" });
  const countsDir = join(folder, "counts");
  const starts: number[] = [];
  const stopping = new AbortController();
  let reload = () => {};
  const code = runWorkers({
    workers,
    countsDir,
    stopping: stopping.signal,
    onReady: (request) => void (reload = request),
    spawn(worker) {
      starts.push(worker);
      return new Deno.Command("sh", {
        args: [
          "-c",
          `trap 'echo x >> ${folder}/signals; exit 0' TERM
          ${script}
          mkdir -p ${countsDir}; echo $$ > ${countsDir}/$WORKER.json
          while :; do sleep 0.05; done`,
        ],
        env: { WORKER: `${worker}`, FOLDER: folder },
        stdin: "piped",
      }).spawn();
    },
  });
  try {
    await act({ folder, starts, stop: () => stopping.abort("SIGTERM"), reload: () => reload() });
    return await code;
  } finally {
    stopping.abort("SIGKILL");
    await code;
    await Deno.remove(folder, { recursive: true });
  }
}

const ignore = Deno.build.os !== "linux";

Deno.test({
  name: "first process ends at the start → its exit code, no other process",
  ignore,
  async fn() {
    let started: number[] = [];
    const code = await run(3, "exit 4", ({ starts }) => Promise.resolve(void (started = starts)));
    assert.equal(code, 4);
    assert.deepEqual(started, [0]);
  },
});

Deno.test({
  name: "process killed → replaced; asked to stop → each gets the signal, code 0",
  ignore,
  async fn() {
    const output = await outputOf(async () => {
      const code = await run(3, "true", async ({ folder, starts, stop }) => {
        const counts = join(folder, "counts");
        const pid = (worker: number) => Number(Deno.readTextFileSync(`${counts}/${worker}.json`));
        await until(
          "all run",
          () => starts.length === 3 && namesIn(counts).length === 3 && pid(1) > 0,
        );
        const killed = pid(1);
        Deno.kill(killed, "SIGKILL");
        await until("it is replaced", () => starts.length === 4 && pid(1) !== killed && pid(1) > 0);
        assert.deepEqual(starts, [0, 1, 2, 1]);
        stop();
        const signals = () => Deno.readTextFileSync(join(folder, "signals"));
        await until(
          "all have the signal",
          () => namesIn(folder).includes("signals") && signals() === "x\n".repeat(3),
        );
      });
      assert.equal(code, 0);
    });
    assert.deepEqual(output, ["Server process 1 ended (SIGKILL); another starts in 1 s."]);
  },
});

Deno.test({
  name: "process that always ends → replaced each time, not after the stop",
  ignore,
  async fn() {
    let started: number[] = [];
    const output = await outputOf(async (output) => {
      const code = await run(2, "if [ $WORKER = 1 ]; then exit 3; fi", async ({ starts, stop }) => {
        started = starts;
        await until("it has ended twice", () => output.length === 2);
        stop();
      });
      assert.equal(code, 0);
    });
    assert.deepEqual(started, [0, 1, 1]);
    assert.deepEqual(output, [
      "Server process 1 ended (code 3); another starts in 1 s.",
      "Server process 1 ended (code 3); another starts in 1 s.",
    ]);
  },
});

Deno.test({
  name: "reload → new processes one after another, each old one ends once the new one listens",
  ignore,
  async fn() {
    const output = await outputOf(async (output) => {
      const code = await run(2, "true", async ({ folder, starts, reload, stop }) => {
        const signals = () => Deno.readTextFileSync(join(folder, "signals"));
        await until(
          "both run",
          () => starts.length === 2 && namesIn(join(folder, "counts")).length === 2,
        );
        reload();
        await until("they are new", () => output.length === 1);
        assert.deepEqual(starts, [0, 1, 2, 3]);
        assert.equal(signals(), "x\nx\n", "those of the old ones");
        reload();
        await until("they are new again", () => output.length === 2);
        assert.deepEqual(starts, [0, 1, 2, 3, 0, 1]);
        stop();
      });
      assert.equal(code, 0);
    });
    assert.deepEqual(output, Array(2).fill("Reloaded: all server processes are new."));
  },
});

Deno.test({
  name: "reload, new process fails → one message, the old ones run; next reload works",
  ignore,
  async fn() {
    const output = await outputOf(async (output) => {
      const script = "if [ $WORKER = 2 ] && [ -e $FOLDER/broken ]; then exit 3; fi";
      const code = await run(2, script, async ({ folder, starts, reload, stop }) => {
        const broken = join(folder, "broken");
        await until(
          "both run",
          () => starts.length === 2 && namesIn(join(folder, "counts")).length === 2,
        );
        Deno.writeTextFileSync(broken, "");
        reload();
        await until("it is reported", () => output.length === 1);
        assert.deepEqual(starts, [0, 1, 2]);
        assert.ok(!namesIn(folder).includes("signals"));
        Deno.removeSync(broken);
        reload();
        await until("they are new", () => output.length === 2);
        stop();
      });
      assert.equal(code, 0);
    });
    assert.deepEqual(output, [
      "Cannot reload: a new server process did not start. The old ones run.",
      "Reloaded: all server processes are new.",
    ]);
  },
});
