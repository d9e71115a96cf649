import assert from "node:assert/strict";
import { runChecks } from "./check.ts";

Deno.test("one check throws → all others run, each counts once", async () => {
  const printed: string[] = [];
  const checks = [
    { name: "two things", run: (root: string) => [`first in ${root}`, "second"] },
    { name: "broken", run: () => Promise.reject(new Error("no")) },
    { name: "nothing", run: () => [] },
  ];
  const counts = await runChecks("/project", checks, (line) => printed.push(line));
  assert.deepEqual(counts, { passed: 1, failed: 2, skipped: 0 });
  assert.deepEqual(printed.map((line) => line.trim()), [
    "FAILED two things",
    "first in /project",
    "second",
    "FAILED broken",
    "The check itself failed: Error: no",
    "ok     nothing",
  ]);
});
