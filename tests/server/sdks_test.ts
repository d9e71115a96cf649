/** Applications with real SDKs send to the inbox. `tests/sdks/` has the applications and the versions of the SDKs. */
import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";
import { isAvailable } from "../harness/is_available.ts";
import { runProgram } from "../harness/run_program.ts";
import { installSdks, modulesOf, SDKS } from "../sdks/installed.ts";

/** An application ends in some seconds; a busy machine takes longer. */
const TIMEOUT_MS = 60_000;

const server = await startServer();
const { origin, port } = server;

Deno.test.afterAll(async () => void await server.stop());

/** Runs a program in `tests/sdks/`. */
async function run(program: string, args: string[], env: Record<string, string>): Promise<void> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const { code, output } = await runProgram(program, args, { cwd: SDKS, env, signal });
  assert.equal(code, 0, `${program} failed:\n${output}`);
}

// deno-lint-ignore no-explicit-any
async function rows(query: string): Promise<any[]> {
  return (await (await fetch(`${origin}/monitoring/inbox?${query}`)).json()).rows;
}

/** The trace with this name, and the item types in its envelopes. */
async function traceNamed(name: string) {
  const trace = (await rows("view=traces")).find((row) => row.name === name);
  assert.ok(trace, `no trace is named ${name}`);
  const envelopes = await rows(`view=envelopes&trace=${trace.trace_id}`);
  const types = envelopes.flatMap(({ items }) => items.map(({ type }: { type: string }) => type));
  return { trace, types: [...new Set(types)].sort() };
}

/** Runs the application with that version of `@sentry/node`. */
async function runNode(version: string, env: Record<string, string>): Promise<void> {
  const folder = `${modulesOf("@sentry/node", version)}/@sentry/node`;
  await run("node", ["node_app.cjs", folder], env);
}

Deno.test({
  name: "@sentry/node 8 by its DSN, 11 by SENTRY_SPOTLIGHT → all it sent is shown",
  ignore: !await isAvailable("node", "--version"),
  async fn() {
    await installSdks();
    await Promise.all([
      runNode("8.55.0", { SENTRY_DSN: `http://dev@127.0.0.1:${port}/1` }),
      runNode("11.12.0", { SENTRY_SPOTLIGHT: `${origin}/stream` }),
    ]);
    const errors = await rows("view=errors");
    const sent = await rows("view=envelopes");
    for (const version of ["8.55.0", "11.12.0"]) {
      const { trace, types } = await traceNamed(`checkout ${version}`);
      assert.equal(trace.op, "task");
      assert.equal(trace.spans, 2, "the transaction and the span in it");
      assert.equal(trace.errors, 1);
      assert.ok(types.includes("event"), types.join());
      assert.ok(types.includes(version.startsWith("8") ? "transaction" : "span"), types.join());
      const occurrences = await rows(`view=occurrences&trace=${trace.trace_id}`);
      assert.deepEqual(occurrences.map(({ value }) => value), [`payment failed ${version}`]);
    }
    assert.equal(errors.length, 1, "the version does not split the group");
    const types = new Set(
      sent.flatMap(({ items }) => items.map(({ type }: { type: string }) => type)),
    );
    for (const type of ["session", "check_in", "attachment", "feedback"]) {
      assert.ok(types.has(type), type);
    }
    assert.equal((await rows("view=logs&q=cart+loaded+11")).length, 1);
    assert.deepEqual(await rows("view=refusals"), []);
  },
});

Deno.test({
  name: "sentry-sdk for Python by its DSN → its transaction is a trace",
  ignore: !await isAvailable("python3", "-c", "import sentry_sdk"),
  async fn() {
    const SENTRY_DSN = `http://dev@127.0.0.1:${port}/1`;
    await run("python3", ["python_app.py"], { SENTRY_DSN });
    const { trace, types } = await traceNamed("import prices");
    assert.equal(trace.spans, 2);
    assert.ok(types.includes("transaction"));
  },
});
