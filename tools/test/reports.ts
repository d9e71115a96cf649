/** Reads the reports of the test runners: counts and durations. */

/** The results of tests. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Duration of all tests of one file. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

/** The result of a suite. */
export interface SuiteResult extends Counts {
  /** Why the counts differ from the report. */
  readonly problem?: string;
  /** Slowest first. */
  readonly times?: readonly FileTime[];
}

/** Adds up the counts of suites. */
export function sumCounts(all: readonly Counts[]): Counts {
  return all.reduce((sum, { passed, failed, skipped }) => ({
    passed: sum.passed + passed,
    failed: sum.failed + failed,
    skipped: sum.skipped + skipped,
  }), { passed: 0, failed: 0, skipped: 0 });
}

/** The last line of the test task: `12 passed, 1 failed`, and `, 2 skipped` if there are any. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

interface JUnitTest {
  readonly file: string;
  readonly seconds: number;
  readonly result: keyof Counts;
}

/** The tests in a JUnit report of Deno. A step (`test > step`) is part of its test. */
function junitTests(xml: string): JUnitTest[] {
  if (!xml.includes("<testsuites")) throw new Error("Cannot count tests: not a JUnit report.");
  const tests: JUnitTest[] = [];
  for (const [, file = "", suite = ""] of xml.matchAll(TEST_SUITE)) {
    const names: string[] = [];
    for (const [, name = "", seconds, body = ""] of suite.matchAll(TEST_CASE)) {
      if (names.some((test) => name.startsWith(`${test} &gt; `) || name.startsWith(`${test} > `))) {
        continue;
      }
      names.push(name);
      const result = /<(failure|error)\b/.test(body)
        ? "failed"
        : /<skipped\b/.test(body)
        ? "skipped"
        : "passed";
      tests.push({ file: file.replace(/^\.\//, ""), seconds: Number(seconds ?? 0), result });
    }
  }
  return tests;
}

const TEST_SUITE = /<testsuite name="([^"]*)"[^>]*>([\s\S]*?)<\/testsuite>/g;
const TEST_CASE =
  /<testcase name="([^"]*)"(?:[^>]*? time="([\d.]+)")?[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;

/**
 * Counts the tests in the report of `deno test --junit-path`, as Deno's own summary does.
 *
 * @throws the text is not a JUnit report
 */
export function countJUnit(xml: string): Counts {
  const tests = junitTests(xml);
  const count = (result: keyof Counts) => tests.filter((test) => test.result === result).length;
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped") };
}

/** Durations of the files in a JUnit report, slowest first. */
export function unitTimes(xml: string): FileTime[] {
  return slowestFirst(junitTests(xml));
}

/**
 * Test files that are missing in a JUnit report. Deno reports no tests of a module that fails while it
 * is loaded.
 *
 * @param files paths relative to the folder in which the tests ran
 */
export function filesWithoutReport(xml: string, files: readonly string[]): string[] {
  return files.filter((path) => !xml.includes(`<testsuite name="./${path}"`));
}

/** The used part of the report of Playwright's JSON reporter. */
interface PlaywrightReport {
  readonly stats?: { expected: number; unexpected: number; flaky: number; skipped: number };
  readonly errors?: readonly unknown[];
  readonly suites?: readonly PlaywrightSuite[];
}

interface PlaywrightSuite {
  readonly file?: string;
  readonly suites?: readonly PlaywrightSuite[];
  readonly specs?: readonly {
    readonly file: string;
    readonly tests: readonly {
      readonly projectName: string;
      /** Milliseconds. */
      readonly results: readonly { readonly duration: number }[];
    }[];
  }[];
}

/**
 * Counts the tests in the report of Playwright's JSON reporter. A flaky test counts as failed. An error
 * outside tests (a spec that does not load) counts as one failure.
 *
 * @throws the text is not such a report
 */
export function countPlaywright(json: string): Counts {
  const { stats, errors = [] } = JSON.parse(json) as PlaywrightReport;
  if (stats === undefined) throw new Error("Cannot count tests: not a Playwright report.");
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  };
}

/** Durations of the files in a report of Playwright for each of its projects, slowest first. */
export function playwrightTimes(json: string): FileTime[] {
  const { suites = [] } = JSON.parse(json) as PlaywrightReport;
  const testTimes = ({ specs = [], suites = [] }: PlaywrightSuite): FileTime[] => [
    ...specs.flatMap(({ file, tests }) =>
      tests.flatMap(({ projectName, results }) =>
        results.map(({ duration }) => ({
          file: `${file} (${projectName})`,
          seconds: duration / 1000,
        }))
      )
    ),
    ...suites.flatMap(testTimes),
  ];
  return slowestFirst(suites.flatMap(testTimes));
}

function slowestFirst(tests: readonly FileTime[]): FileTime[] {
  const sums = new Map<string, number>();
  for (const { file, seconds } of tests) sums.set(file, (sums.get(file) ?? 0) + seconds);
  return Array.from(sums, ([file, seconds]) => ({ file, seconds }))
    .sort((a, b) => b.seconds - a.seconds);
}

/** What is known of a suite when its process has ended. */
export interface Ending {
  /** Exit code. */
  readonly code: number;
  /** From its report; undefined if there is none. */
  readonly counts: Counts | undefined;
  /** Whether only some of its tests were selected. */
  readonly filtered: boolean;
}

/** The counts of a suite. One more failure if it failed outside its tests, or ran none. */
export function suiteResult({ code, counts: reported, filtered }: Ending): SuiteResult {
  const { passed = 0, failed = 0, skipped = 0 } = reported ?? {};
  // Tests excluded by a filter are not skipped tests.
  const counts = { passed, failed, skipped: filtered ? 0 : skipped };
  const ran = passed + failed;
  const fail = (problem: string) => ({ ...counts, failed: failed + 1, problem });
  if (ran === 0 && filtered && (code === 0 || reported !== undefined)) {
    return { ...counts, problem: "no test matched" };
  }
  if (reported === undefined) return fail(`exited with ${code} before it wrote a report`);
  if (ran === 0) return fail("ran no test");
  if (code !== 0 && failed === 0) return fail(`failed outside its tests, with ${code}`);
  return counts;
}
