import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../tests/until.ts";
import { runWorkers } from "./workers.ts";

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

/** Warnings while `act` runs, which are not printed. */
async function warningsOf(act: (warnings: string[]) => Promise<void>): Promise<string[]> {
  const { warn } = console;
  const warnings: string[] = [];
  console.warn = (text: string) => void warnings.push(text);
  try {
    await act(warnings);
  } finally {
    console.warn = warn;
  }
  return warnings;
}

/** Starts `sh` for each process: runs the script, "listens" by writing its report, and waits for a signal. */
async function run(
  workers: number,
  script: string,
  act: (at: { folder: string; starts: number[]; stop: () => void }) => Promise<void>,
): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "workers-" });
  const countsDir = join(folder, "counts");
  const starts: number[] = [];
  const stopping = new AbortController();
  const code = runWorkers({
    workers,
    countsDir,
    stopping: stopping.signal,
    spawn(worker) {
      starts.push(worker);
      return new Deno.Command("sh", {
        args: [
          "-c",
          `trap 'echo x >> ${folder}/signals; exit 0' TERM
          ${script}
          mkdir -p ${countsDir}; echo $$ > ${countsDir}/${worker}.json
          while :; do sleep 0.05; done`,
        ],
        env: { WORKER: `${worker}` },
        stdin: "piped",
      }).spawn();
    },
  });
  try {
    await act({ folder, starts, stop: () => stopping.abort("SIGTERM") });
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
    const warnings = await warningsOf(async () => {
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
    assert.deepEqual(warnings, ["Server process 1 ended (SIGKILL); another starts in 1 s."]);
  },
});

Deno.test({
  name: "process that always ends → longer and longer waits, none after the stop",
  ignore,
  async fn() {
    let started: number[] = [];
    const warnings = await warningsOf(async (warnings) => {
      const code = await run(2, "if [ $WORKER = 1 ]; then exit 3; fi", async ({ starts, stop }) => {
        started = starts;
        await until("it has ended twice", () => warnings.length === 2);
        stop();
      });
      assert.equal(code, 0);
    });
    assert.deepEqual(started, [0, 1, 1]);
    assert.deepEqual(warnings, [
      "Server process 1 ended (code 3); another starts in 1 s.",
      "Server process 1 ended (code 3); another starts in 2 s.",
    ]);
  },
});
