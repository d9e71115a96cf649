import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../tests/harness/until.ts";
import { runWorkers } from "./workers.ts";

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name);

interface RunningWorkers {
  readonly folder: string;
  /** Numbers of the processes that were started. */
  readonly starts: number[];
  /** Lines that are printed. */
  readonly output: string[];
  stop(): void;
  reload(): void;
  /** The pid that a process has reported. */
  pid(worker: number): number;
  /** Lines of the processes that were asked to stop. */
  signals(): string;
  /** Waits until so many processes have reported. */
  run(count: number): Promise<void>;
}

/**
 * Starts `sh` for each process: runs the script, "listens" by writing its report, and waits for a signal.
 *
 * @returns the exit code
 */
async function run(
  workers: number,
  script: string,
  act: (running: RunningWorkers) => Promise<void>,
): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "workers-" });
  const countsDir = join(folder, "counts");
  const { log, warn, error } = console;
  const output: string[] = [];
  const print = (text: string) => void output.push(text);
  Object.assign(console, { log: print, warn: print, error: print });
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
    await act({
      folder,
      starts,
      output,
      stop: () => stopping.abort("SIGTERM"),
      reload: () => reload(),
      pid: (worker) => Number(Deno.readTextFileSync(`${countsDir}/${worker}.json`)),
      signals: () =>
        namesIn(folder).includes("signals") ? Deno.readTextFileSync(`${folder}/signals`) : "",
      run: (count) =>
        until(`${count} run`, () => starts.length === count && namesIn(countsDir).length === count),
    });
    return await code;
  } finally {
    stopping.abort("SIGKILL");
    await code;
    Object.assign(console, { log, warn, error });
    await Deno.remove(folder, { recursive: true });
  }
}

const test = (name: string, fn: () => Promise<void>) =>
  Deno.test({ name, ignore: Deno.build.os !== "linux", fn });

test("process that always ends → replaced each time, not after the stop", async () => {
  const script = "if [ $WORKER = 1 ]; then exit 3; fi";
  const code = await run(2, script, async ({ starts, output, stop }) => {
    await until("it has ended twice", () => output.length === 2);
    stop();
    assert.deepEqual(starts, [0, 1, 1]);
    assert.deepEqual(
      output,
      Array(2).fill("Server process 1 ended (code 3); another starts in 1 s."),
    );
  });
  assert.equal(code, 0);
});

test("reload, new process fails → one message, the old ones run; next reload works", async () => {
  const script = "if [ $WORKER = 2 ] && [ -e $FOLDER/broken ]; then exit 3; fi";
  const code = await run(
    2,
    script,
    async ({ folder, starts, output, reload, stop, signals, run }) => {
      await run(2);
      Deno.writeTextFileSync(`${folder}/broken`, "");
      reload();
      await until("it is reported", () => output.length === 1);
      assert.deepEqual(starts, [0, 1, 2]);
      assert.equal(signals(), "");
      Deno.removeSync(`${folder}/broken`);
      reload();
      await until("they are new", () => output.length === 2);
      assert.deepEqual(output, [
        "Cannot reload: a new server process did not start. The old ones run.",
        "Reloaded: all server processes are new.",
      ]);
      stop();
    },
  );
  assert.equal(code, 0);
});
