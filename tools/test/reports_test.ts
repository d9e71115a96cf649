import assert from "node:assert/strict";
import {
  countsLine,
  type Ending,
  filesWithoutReport,
  readJUnit,
  suiteResult,
  sumCounts,
} from "./reports.ts";
import { temporaryFolder } from "../../tests/temporary_folder.ts";

const JUNIT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="deno test" tests="6" failures="3" errors="0" time="0.306">
    <testsuite name="./a_test.ts" tests="6" disabled="2" errors="0" failures="3">
        <testcase name="prints &quot;&lt;ok&gt;&quot;" classname="./a_test.ts" time="0.001">
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
  assert.deepEqual(readJUnit(JUNIT).counts, { passed: 2, failed: 2, skipped: 1 });
});

Deno.test("file that did not run → missing in the report", () => {
  assert.deepEqual(filesWithoutReport(JUNIT, ["a_test.ts", "sub/a_test.ts", "b_test.ts"]), [
    "sub/a_test.ts",
  ]);
});

Deno.test("JUnit report of a real run → the counts of Deno's own summary", async () => {
  using folder = temporaryFolder();
  await Deno.writeTextFile(
    `${folder.path}/some_test.ts`,
    `Deno.test("one > two", () => {});
     Deno.test("steps", async (t) => { await t.step("a", () => {}); await t.step("b", () => {}); });
     Deno.test("fails", () => { throw new Error("wanted"); });
     Deno.test.ignore("ignored", () => {});`,
  );
  const { code, stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--no-config",
      `--junit-path=${folder.path}/report.xml`,
      `${folder.path}/some_test.ts`,
    ],
    env: { NO_COLOR: "1" },
    stderr: "null",
  }).output();
  assert.equal(code, 1);
  const summary = new TextDecoder().decode(stdout);
  // For example: FAILED | 2 passed (2 steps) | 1 failed | 1 ignored (3ms)
  const printed = (word: string) => Number(new RegExp(`\\| (\\d+) ${word}`).exec(summary)?.[1]);
  const counts = readJUnit(await Deno.readTextFile(`${folder.path}/report.xml`)).counts;
  assert.deepEqual(counts, { passed: 2, failed: 1, skipped: 1 });
  assert.deepEqual(counts, {
    passed: printed("passed"),
    failed: printed("failed"),
    skipped: printed("ignored"),
  }, summary);
});

Deno.test("JUnit: failed tests and steps → listed with file, title, message", () => {
  assert.deepEqual(readJUnit(JUNIT).failures, [
    { file: "a_test.ts", title: "fails", message: "<testcase>" },
    { file: "a_test.ts", title: "steps", message: "1 test step failed." },
    { file: "a_test.ts", title: "steps > two", message: "n" },
  ]);
});

const PLAYWRIGHT =
  `<testsuites id="" name="" tests="2" failures="1" skipped="0" errors="0" time="2.2">
<testsuite name="a_spec.mts" timestamp="2026" hostname="CPU 6 ×" tests="2" failures="1" time="0.1">
<testcase name="one &gt; two" classname="a_spec.mts" time="0.5">
</testcase>
<testcase name="fails" classname="a_spec.mts" time="1">
<system-out>
<![CDATA[Output of the server]]>
</system-out>
<failure message="Expected: 1" type="expect.toBe">
<![CDATA[  a_spec.mts:4:3 › fails

    Expected: "<b>&amp;"
]]>
</failure>
</testcase>
</testsuite>
</testsuites>`;

Deno.test("Playwright's JUnit report → files with their project, unescaped messages", () => {
  const file = "a_spec.mts (CPU 6 ×)";
  assert.deepEqual(readJUnit(PLAYWRIGHT), {
    counts: { passed: 1, failed: 1, skipped: 0 },
    times: [{ file, seconds: 1.5 }],
    failures: [
      { file, title: "fails", message: 'a_spec.mts:4:3 › fails\n\n    Expected: "<b>&amp;"' },
    ],
  });
});

Deno.test("text that is not a report → error", () => {
  assert.throws(() => readJUnit(""), /not a JUnit report/);
});

Deno.test("no skipped tests → the summary line does not mention them", () => {
  assert.equal(countsLine({ passed: 12, failed: 1, skipped: 0 }), "12 passed, 1 failed");
  assert.equal(countsLine({ passed: 1, failed: 0, skipped: 2 }), "1 passed, 0 failed, 2 skipped");
});

Deno.test("counts of several suites → added; of no suite → zeros", () => {
  const [first, second] = [
    { passed: 1, failed: 2, skipped: 3 },
    { passed: 4, failed: 5, skipped: 6 },
  ];
  assert.deepEqual(sumCounts([first, second]), { passed: 5, failed: 7, skipped: 9 });
  assert.deepEqual(sumCounts([]), NONE);
});

Deno.test("suite that passed → the counts of its report", () => {
  const reported = { passed: 3, failed: 0, skipped: 1 };
  assert.deepEqual(suiteResult({ code: 0, counts: reported, filtered: false }), reported);
});

Deno.test("all tests passed, but exit code 1 → one failure", () => {
  const reported = { passed: 3, failed: 0, skipped: 0 };
  const { failed, problem } = suiteResult({ code: 1, counts: reported, filtered: false });
  assert.equal(failed, 1);
  assert.match(problem ?? "", /outside its tests/);
});

const FAILED_SUITES: Readonly<Record<string, readonly [ending: Ending, problem: RegExp]>> = {
  "no report": [{ code: 0, counts: undefined, filtered: false }, /before it wrote a report/],
  "no report, with a filter": [
    { code: 1, counts: undefined, filtered: true },
    /before it wrote a report/,
  ],
  "report without tests": [{ code: 0, counts: NONE, filtered: false }, /ran no test/],
  "all tests skipped": [
    { code: 0, counts: { ...NONE, skipped: 4 }, filtered: false },
    /ran no test/,
  ],
};
for (const [name, [ending, problem]] of Object.entries(FAILED_SUITES)) {
  Deno.test(`suite: ${name} → one failure`, () => {
    const result = suiteResult(ending);
    assert.equal(result.failed, 1);
    assert.match(result.problem ?? "", problem);
  });
}

Deno.test("filter matches nothing in one suite → not a failure", () => {
  const reported = { passed: 0, failed: 0, skipped: 400 };
  const result = suiteResult({ code: 0, counts: reported, filtered: true });
  assert.deepEqual(result, { ...NONE, problem: "no test matched" });
});

Deno.test("filter, and a spec that does not load → one failure", () => {
  assert.equal(suiteResult({ code: 1, counts: NONE, filtered: true }).failed, 1);
});

Deno.test("JUnit durations → added for each file without steps, slowest first", () => {
  const report = `<testsuites>
    <testsuite name="./fast_test.ts">
        <testcase name="one" time="0.001"></testcase>
        <testcase name="steps" time="0.005"></testcase>
        <testcase name="steps &gt; a" time="0.004"></testcase>
    </testsuite>
    <testsuite name="./slow_test.ts">
        <testcase name="long" time="2.5" />
    </testsuite>
  </testsuites>`;
  assert.deepEqual(readJUnit(report).times, [
    { file: "slow_test.ts", seconds: 2.5 },
    { file: "fast_test.ts", seconds: 0.006 },
  ]);
});
