/** Errors that end the process: logged, reported and delivered before it ends. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startServer } from "../harness/server_process.ts";
import { startStandInIngest } from "../harness/stand_in_ingest.ts";
import { fetchToEnd, MODES, relayEnv } from "./_reporting_server.ts";
import { reportsAtIngest, reportsInInbox } from "./_reports.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

const main = fileURLToPath(new URL("./testdata/crashing_main.ts", import.meta.url));

const CRASHES = [
  { path: "/reject", message: "unhandled rejection", logged: "error: Uncaught (in promise) Error" },
  { path: "/throw", message: "uncaught error", logged: "error: Uncaught Error" },
];

for (const mode of MODES) {
  for (const { path, message, logged } of CRASHES) {
    Deno.test(`${mode} mode: ${message} → reported as fatal, exit code 1`, async () => {
      using folder = temporaryFolder();
      await using ingest = startStandInIngest();
      const env = mode === "relay" ? relayEnv(ingest) : {};
      const server = await startServer({ main, dataDir: folder.path, env });
      await fetchToEnd(server.origin + path).catch(() => {
        // The process may end before it answers.
      });
      // Waits until it ends by itself: SIGCONT has no effect.
      const { code } = await server.stop("SIGCONT");
      assert.equal(code, 1);
      assert.ok(server.output().includes(`${logged}: ${message}\n    at `), server.output());

      await using next = mode === "inbox" ? await startServer({ dataDir: folder.path }) : undefined;
      const readReports = next ? reportsInInbox(next) : reportsAtIngest(() => ingest.requests);
      const { errors } = await readReports();
      assert.deepEqual(errors.map(({ exception }) => exception.values[0]?.value), [message]);
      assert.equal((errors[0] as unknown as { level: string }).level, "fatal");
      assert.equal(errors[0]?.exception.values[0]?.mechanism?.handled, false);
    });
  }
}
