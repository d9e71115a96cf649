/** `LOG_FORMAT=json`: what a process of the server prints, from its first line to its last. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { HTTP_CLIENT_VARIABLES } from "../../tools/run/permissions.ts";
import { runDeno } from "../harness/run_program.ts";
import { startServer } from "../harness/server_process.ts";
import { fetchToEnd } from "./_reporting_server.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const crashingMain = `${root}tests/runtime/testdata/crashing_main.ts`;

interface Line {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly attributes?: unknown;
}

/** Fails for an output with a line that is no object of the documented form. */
function readLines(output: string): Line[] {
  return output.trim().split("\n").map((text) => {
    const line: Line = JSON.parse(text);
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.match(line.level, /^(debug|info|warn|error)$/);
    assert.equal(typeof line.message, "string");
    return line;
  });
}

Deno.test("LOG_FORMAT=json → each line is one object, also output of other modules", async () => {
  const server = await startServer({ env: { LOG_FORMAT: "json", SOURCE_MAP_ORIGINS: "" } });
  const { status } = await fetchToEnd(`${server.origin}/signal?throw=true`);
  assert.equal(status, 500);
  await server.stop();
  const lines = readLines(server.output());
  assert.ok(lines.length >= 4, server.output());
  const find = (text: string) => lines.find(({ message }) => message.includes(text));
  assert.equal(find("Listening on")?.message, `Listening on http://127.0.0.1:${server.port}/`);
  assert.deepEqual(find("has started")?.attributes, { mode: "inbox" });
  // An uncaught error of a route, with its stack in the same line.
  assert.match(lines.find(({ level }) => level === "error")!.message, /\n +at /);
});

Deno.test("LOG_FORMAT=json, the process crashes → the error with its stack is one object", async () => {
  for (const path of ["/throw", "/reject"]) {
    const server = await startServer({ main: crashingMain, env: { LOG_FORMAT: "json" } });
    await fetchToEnd(server.origin + path).catch(() => {
      // The process may end before it answers.
    });
    // Waits until it ends by itself: SIGCONT has no effect.
    const { code } = await server.stop("SIGCONT");
    assert.equal(code, 1);
    const crash = readLines(server.output()).find(({ level }) => level === "error");
    assert.match(
      crash!.message,
      /^error: Uncaught .*Error: un(caught error|handled rejection)\n +at /,
    );
  }
});

Deno.test("LOG_FORMAT=json, the start fails → one object, code 1", async () => {
  const invalid = { PORT: "many" };
  const cases: [string[], Record<string, string>, RegExp][] = [
    [["-A", "tools/run/start.ts"], invalid, /^Cannot start: PORT is "many"\. Use /],
    [["-A", "main.ts"], invalid, /^Cannot start: PORT is "many"\. Use /],
    // An error that is not expected: the environment cannot be read.
    [
      ["--no-prompt", `--allow-env=${["LOG_FORMAT", ...HTTP_CLIENT_VARIABLES].join()}`, "main.ts"],
      {},
      /^error: Uncaught \(in promise\) NotCapable: /,
    ],
  ];
  for (const [args, env, message] of cases) {
    const { code, stdout, stderr } = await runDeno(["run", ...args], {
      cwd: root,
      env: { ...env, LOG_FORMAT: "json", NO_COLOR: "1" },
    });
    assert.deepEqual([code, stdout], [1, ""]);
    const [line, ...more] = readLines(stderr);
    assert.deepEqual([line!.level, more], ["error", []]);
    assert.match(line!.message, message);
  }
});
