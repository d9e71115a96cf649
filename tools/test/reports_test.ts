import assert from "node:assert/strict";
import {
  countJUnit,
  countPlaywright,
  countsLine,
  filesWithoutReport,
  playwrightTimes,
  suiteResult,
  sumCounts,
  unitTimes,
} from "./reports.ts";

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

Deno.test("JUnit report → counted by tests, steps belong to their test", () => {
  assert.deepEqual(countJUnit(JUNIT), { passed: 2, failed: 2, skipped: 1 });
});

Deno.test("file that did not run → missing in the report", () => {
  assert.deepEqual(filesWithoutReport(JUNIT, ["a_test.ts", "sub/a_test.ts", "b_test.ts"]), [
    "sub/a_test.ts",
  ]);
});

Deno.test("report of a real run → the same counts as Deno prints", async () => {
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

Deno.test("Playwright: flaky test, spec that does not load → failed", () => {
  const stats = { expected: 5, unexpected: 1, flaky: 2, skipped: 3 };
  const report = JSON.stringify({ stats, errors: [{ message: "no such module" }] });
  assert.deepEqual(countPlaywright(report), { passed: 5, failed: 4, skipped: 3 });
});

Deno.test("not a report → error", () => {
  assert.throws(() => countJUnit(""), /not a JUnit report/);
  assert.throws(() => countPlaywright("{}"), /not a report of Playwright/);
});

Deno.test("last line → skipped only if there are any", () => {
  assert.equal(countsLine({ passed: 12, failed: 1, skipped: 0 }), "12 passed, 1 failed");
  assert.equal(countsLine({ passed: 1, failed: 0, skipped: 2 }), "1 passed, 0 failed, 2 skipped");
});

Deno.test("suites → counts are added", () => {
  const sum = sumCounts([{ passed: 1, failed: 2, skipped: 3 }, {
    passed: 4,
    failed: 5,
    skipped: 6,
  }]);
  assert.deepEqual(sum, { passed: 5, failed: 7, skipped: 9 });
  assert.deepEqual(sumCounts([]), NONE);
});

Deno.test("suite that passed → the counts of its report", () => {
  const reported = { passed: 3, failed: 0, skipped: 1 };
  assert.deepEqual(suiteResult({ code: 0, counts: reported, filtered: false }), reported);
});

Deno.test("suite failed outside its tests → one more failure", () => {
  const reported = { passed: 3, failed: 0, skipped: 0 };
  const { failed, problem } = suiteResult({ code: 1, counts: reported, filtered: false });
  assert.equal(failed, 1);
  assert.match(problem ?? "", /outside its tests/);
});

Deno.test("suite without a report or a test → failed", () => {
  assert.equal(suiteResult({ code: 0, counts: undefined, filtered: false }).failed, 1);
  assert.equal(suiteResult({ code: 1, counts: undefined, filtered: true }).failed, 1);
  assert.equal(suiteResult({ code: 0, counts: NONE, filtered: false }).failed, 1);
  const skipped = { passed: 0, failed: 0, skipped: 4 };
  assert.equal(suiteResult({ code: 0, counts: skipped, filtered: false }).failed, 1);
});

Deno.test("filter matches nothing in one suite → not a failure", () => {
  const reported = { passed: 0, failed: 0, skipped: 400 };
  const ending = suiteResult({ code: 0, counts: reported, filtered: true });
  assert.deepEqual(ending, { ...NONE, problem: "no test matched" });
  assert.equal(suiteResult({ code: 1, counts: NONE, filtered: true }).failed, 0);
});

Deno.test("durations → added for each file, slowest first, steps not twice", () => {
  assert.deepEqual(unitTimes(JUNIT.replace('classname="./b_test.ts" time="0.000"', 'time="2.5"')), [
    { file: "b_test.ts", seconds: 2.5 },
    { file: "a_test.ts", seconds: 0.007 },
  ]);
  const spec = (file: string, ...durations: number[]) => ({
    file,
    tests: [{ projectName: "slow", results: durations.map((duration) => ({ duration })) }],
  });
  const report = {
    suites: [
      { specs: [spec("a_spec.mts", 1_000)] },
      { suites: [{ specs: [spec("b_spec.mts", 1_000, 500)] }] },
    ],
  };
  assert.deepEqual(playwrightTimes(JSON.stringify(report)), [
    { file: "b_spec.mts (slow)", seconds: 1.5 },
    { file: "a_spec.mts (slow)", seconds: 1 },
  ]);
});
