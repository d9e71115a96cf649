import assert from "node:assert/strict";
import { countResults, type Result, summarize } from "./summary.ts";

/** What the suite's result is, of this output. */
const count = (output: string, code: number, isFiltered = false) => {
  const { failures: _, ...counts } = countResults(output.split("\n"), code, isFiltered);
  return counts;
};

const PLAYWRIGHT = `
  1) [full speed] › tests/browser/a_spec.mts:1:1 › 7 failed → shown

  2 failed
    [full speed] › tests/browser/a_spec.mts:1:1 › 7 failed → shown
    [full speed] › tests/browser/b_spec.mts:1:1 › other
  1 skipped
  85 passed (3.2m)`;

Deno.test("output of each runner → its counts", () => {
  assert.deepEqual(count("9 passed, 9 failed\nok | 12 passed (3 steps) | 0 failed (16ms)", 0), {
    passed: 12,
    failed: 0,
    skipped: 0,
  });
  assert.deepEqual(
    count("FAILED | 2 passed | 1 failed | 3 ignored (1s)\n\nerror: Test failed", 1),
    {
      passed: 2,
      failed: 1,
      skipped: 3,
    },
  );
  assert.deepEqual(count(PLAYWRIGHT, 1), { passed: 85, failed: 2, skipped: 1 });
  assert.deepEqual(count("ok     lint\n7 passed, 0 failed", 0), {
    passed: 7,
    failed: 0,
    skipped: 0,
  });
});

Deno.test("suite fails outside its tests, or runs none → one failure with the reason", () => {
  const none = { passed: 0, skipped: 0, failed: 1 };
  assert.deepEqual(count("error: Module not found", 1), { ...none, problem: "exited with 1" });
  assert.deepEqual(count("ok | 3 passed | 0 failed", 143), {
    ...none,
    passed: 3,
    problem: "exited with 143",
  });
  assert.deepEqual(count("ok | 0 passed | 0 failed", 0), { ...none, problem: "ran no test" });
  assert.deepEqual(count("ok | 0 passed | 0 failed | 8 ignored", 0), {
    ...none,
    skipped: 8,
    problem: "ran no test",
  });
});

Deno.test("text that no test of a suite has → neither passed nor failed", () => {
  const output = "ok | 0 passed | 0 failed | 8 ignored | 30 filtered out (1s)";
  assert.deepEqual(count(output, 0, true), { passed: 0, failed: 0, skipped: 0 });
});

/** What is printed of these suites, and whether it is a success. */
function summaryOf(...suites: Partial<Result>[]): { lines: string[]; ok: boolean } {
  const printed: string[] = [];
  const none = { name: "unit", seconds: 1, passed: 0, failed: 0, skipped: 0, failures: [] };
  const ok = summarize(
    suites.map((suite) => ({ ...none, ...suite })),
    (text = "") => printed.push(text),
  );
  return { lines: printed.join("\n").split("\n"), ok };
}

Deno.test("all passed → success, the sum in the last line", () => {
  const { lines, ok } = summaryOf({ passed: 3 }, { name: "browser", passed: 4, skipped: 1 });
  assert.ok(ok);
  assert.equal(lines.at(-1), "7 passed, 0 failed, 1 skipped");
});

Deno.test("something failed → no success, its output again, the sum in the last line", () => {
  const { failures } = countResults(
    ["noise", " ERRORS ", "", "a → b => ./a_test.ts:1:6"],
    1,
    false,
  );
  const { lines, ok } = summaryOf({ passed: 3 }, { passed: 1, failed: 2, failures });
  assert.ok(!ok);
  assert.ok(lines.includes("a → b => ./a_test.ts:1:6"));
  assert.ok(!lines.includes("noise"));
  assert.equal(lines.at(-1), "4 passed, 2 failed");
});

Deno.test("no test ran → no success", () => {
  const { lines, ok } = summaryOf({ passed: 0 });
  assert.ok(!ok);
  assert.deepEqual(lines.slice(-2), ["No test ran.", "0 passed, 0 failed"]);
});
