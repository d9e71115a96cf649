import assert from "node:assert/strict";
import { countResults, type Result, summarize } from "./run_tests.ts";

const PLAYWRIGHT = `
  1) [full speed] › tests/browser/a_spec.mts:1:1 › 7 failed → shown

  2 failed
    [full speed] › tests/browser/a_spec.mts:1:1 › 7 failed → shown
  1 skipped
  85 passed (3.2m)`;

Deno.test("output of each runner → passed, failed, skipped", () => {
  const cases: [output: string, code: number, counts: number[]][] = [
    ["9 passed, 9 failed\nok | 12 passed (3 steps) | 0 failed (16ms)", 0, [12, 0, 0]],
    ["FAILED | 2 passed | 1 failed | 3 ignored (1s)\n\nerror: Test failed", 1, [2, 1, 3]],
    [PLAYWRIGHT, 1, [85, 2, 1]],
    ["ok     lint\n7 passed, 0 failed", 0, [7, 0, 0]],
    // It failed outside its tests, or ran none.
    ["error: Module not found", 1, [0, 1, 0]],
    ["ok | 3 passed | 0 failed", 143, [3, 1, 0]],
    ["ok | 0 passed | 0 failed | 8 ignored", 0, [0, 1, 8]],
  ];
  for (const [output, code, [passed, failed, skipped]] of cases) {
    const counts = countResults(output.split("\n"), code);
    assert.deepEqual(counts, { passed, failed, skipped }, output);
  }
});

/** What is printed of these suites, and whether it is a success. */
function summaryOf(...suites: Partial<Result>[]): { lines: string[]; ok: boolean } {
  const printed: string[] = [];
  const none = { name: "unit", seconds: 1, passed: 0, failed: 0, skipped: 0, lines: [] };
  const results = suites.map((suite) => ({ ...none, ...suite }));
  const ok = summarize(results, (text: string) => printed.push(text));
  return { lines: printed.join("\n").split("\n"), ok };
}

Deno.test("results of suites → the sum in the last line, the output of what failed", () => {
  const passed = summaryOf({ passed: 3 }, { name: "browser", passed: 4, skipped: 1 });
  assert.ok(passed.ok);
  assert.equal(passed.lines.at(-1), "7 passed, 0 failed, 1 skipped");
  const lines = [...Array(100).fill("noise of a test"), "a → b => ./a_test.ts:1:6"];
  const failed = summaryOf({ passed: 3, lines: ["fine"] }, { passed: 1, failed: 2, lines });
  assert.ok(!failed.ok);
  assert.ok(failed.lines.includes("a → b => ./a_test.ts:1:6"));
  assert.ok(!failed.lines.includes("fine"));
  assert.ok(failed.lines.length < 70);
  assert.equal(failed.lines.at(-1), "4 passed, 2 failed");
});
