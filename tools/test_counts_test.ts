import assert from "node:assert/strict";
import {
  countJUnit,
  countPlaywright,
  countsLine,
  filesWithoutReport,
  settle,
  sumCounts,
} from "./test_counts.ts";

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="3" errors="0" time="0.306">
    <testsuite name="./a_test.ts" tests="6" disabled="2" errors="0" failures="3">
        <testcase name="says &quot;&lt;ok&gt;&quot;" classname="./a_test.ts" time="0.001">
        </testcase>
        <testcase name="fails" classname="./a_test.ts" time="0.001">
            <failure message="boom">&lt;testcase&gt;</failure>
        </testcase>
        <testcase name="ignored" classname="./a_test.ts" time="0.000">
            <skipped/>
        </testcase>
        <testcase name="steps" classname="./a_test.ts" time="0.005">
            <failure message="1 test step failed">1 test step failed.</failure>
        </testcase>
        <testcase name="steps &gt; one" classname="./a_test.ts" time="0.000">
        </testcase>
        <testcase name="steps &gt; two" classname="./a_test.ts" time="0.000">
            <failure message="n">n</failure>
        </testcase>
    </testsuite>
    <testsuite name="./b_test.ts" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="steps &gt; elsewhere" classname="./b_test.ts" time="0.000" />
    </testsuite>
</testsuites>`;

const NONE = { passed: 0, failed: 0, skipped: 0 };

Deno.test("a JUnit report is counted by tests, steps belong to theirs", () => {
  assert.deepEqual(countJUnit(JUNIT), { passed: 2, failed: 2, skipped: 1 });
});

Deno.test("a file that did not run is missed", () => {
  assert.deepEqual(filesWithoutReport(JUNIT, ["a_test.ts", "sub/a_test.ts", "b_test.ts"]), [
    "sub/a_test.ts",
  ]);
});

Deno.test("what Deno itself writes is counted as Deno itself counts", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(
      `${folder}/some_test.ts`,
      `Deno.test("one > two", () => {});
       Deno.test("steps", async (t) => { await t.step("a", () => {}); await t.step("b", () => {}); });
       Deno.test("fails", () => { throw new Error("wanted"); });
       Deno.test.ignore("ignored", () => {});`,
    );
    const { code } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "--no-config", `--junit-path=${folder}/report.xml`, `${folder}/some_test.ts`],
      stdout: "null",
      stderr: "null",
    }).output();
    assert.equal(code, 1);
    const report = await Deno.readTextFile(`${folder}/report.xml`);
    assert.deepEqual(countJUnit(report), { passed: 2, failed: 1, skipped: 1 });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("in Playwright's report flaky tests and specs that do not load count as failed", () => {
  const stats = { expected: 5, unexpected: 1, flaky: 2, skipped: 3 };
  const report = JSON.stringify({ stats, errors: [{ message: "no such module" }] });
  assert.deepEqual(countPlaywright(report), { passed: 5, failed: 4, skipped: 3 });
});

Deno.test("what is no report is not counted as an empty one", () => {
  assert.throws(() => countJUnit(""), /not a JUnit report/);
  assert.throws(() => countPlaywright("{}"), /not a report of Playwright/);
});

Deno.test("the last line names the skipped only where there are any", () => {
  assert.equal(countsLine({ passed: 12, failed: 1, skipped: 0 }), "12 passed, 1 failed");
  assert.equal(countsLine({ passed: 1, failed: 0, skipped: 2 }), "1 passed, 0 failed, 2 skipped");
});

Deno.test("suites are summed", () => {
  const sum = sumCounts([{ passed: 1, failed: 2, skipped: 3 }, {
    passed: 4,
    failed: 5,
    skipped: 6,
  }]);
  assert.deepEqual(sum, { passed: 5, failed: 7, skipped: 9 });
  assert.deepEqual(sumCounts([]), NONE);
});

Deno.test("a suite counts as its report says", () => {
  const reported = { passed: 3, failed: 0, skipped: 1 };
  assert.deepEqual(settle({ code: 0, reported, filtered: false }), reported);
});

Deno.test("a suite that failed outside its tests has a failure all the same", () => {
  const reported = { passed: 3, failed: 0, skipped: 0 };
  const { failed, problem } = settle({ code: 1, reported, filtered: false });
  assert.equal(failed, 1);
  assert.match(problem ?? "", /outside its tests/);
});

Deno.test("a suite without a report or without a test has failed", () => {
  assert.equal(settle({ code: 0, reported: undefined, filtered: false }).failed, 1);
  assert.equal(settle({ code: 1, reported: undefined, filtered: true }).failed, 1);
  assert.equal(settle({ code: 0, reported: NONE, filtered: false }).failed, 1);
  const skipped = { passed: 0, failed: 0, skipped: 4 };
  assert.equal(settle({ code: 0, reported: skipped, filtered: false }).failed, 1);
});

Deno.test("a filter that matches nothing in one suite is no failure of that suite", () => {
  const reported = { passed: 0, failed: 0, skipped: 400 };
  const ending = settle({ code: 0, reported, filtered: true });
  assert.deepEqual(ending, { ...NONE, problem: "no test matched" });
  assert.equal(settle({ code: 1, reported: NONE, filtered: true }).failed, 0);
});
