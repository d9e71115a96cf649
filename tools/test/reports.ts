/** Reads the reports of the test runners: counts, durations and failures. */

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

/** A failed test or step. */
export interface Failure {
  readonly file: string;
  readonly title: string;
  /** The error. */
  readonly message: string;
}

/** What is known from the report of a test runner. */
export interface Report {
  readonly counts: Counts;
  /** Slowest first. */
  readonly times: readonly FileTime[];
  readonly failures: readonly Failure[];
}

/** The result of a suite. */
export interface SuiteResult extends Counts {
  /** Why the counts differ from the report. */
  readonly problem?: string;
  readonly times?: readonly FileTime[];
  readonly failures?: readonly Failure[];
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

/** Playwright names its project as the host. */
const TEST_SUITE =
  /<testsuite name="([^"]*)"(?:[^>]*? hostname="([^"]*)")?[^>]*>([\s\S]*?)<\/testsuite>/g;
const TEST_CASE =
  /<testcase name="([^"]*)"(?:[^>]*? time="([\d.]+)")?[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g;
const FAILURE = /<(failure|error)\b[^>]*>([\s\S]*?)<\/\1>/;

/**
 * Reads the report of `deno test --junit-path`, or of Playwright's JUnit reporter. Tests count as in Deno's own
 * summary: a step (`test > step`) is part of its test.
 *
 * @throws the text is not a JUnit report
 */
export function readJUnit(xml: string): Report {
  if (!xml.includes("<testsuites")) throw new Error("Cannot count tests: not a JUnit report.");
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const times: FileTime[] = [];
  const failures: Failure[] = [];
  for (const [, suiteName = "", project, suite = ""] of xml.matchAll(TEST_SUITE)) {
    const file = suiteName.replace(/^\.\//, "") + (project ? ` (${unescapeXml(project)})` : "");
    const names: string[] = [];
    for (const [, escaped = "", seconds, body = ""] of suite.matchAll(TEST_CASE)) {
      const title = unescapeXml(escaped);
      const failure = FAILURE.exec(body)?.[2];
      if (failure !== undefined) failures.push({ file, title, message: textOf(failure) });
      if (names.some((test) => title.startsWith(`${test} > `))) continue;
      names.push(title);
      counts[failure !== undefined ? "failed" : /<skipped\b/.test(body) ? "skipped" : "passed"]++;
      times.push({ file, seconds: Number(seconds ?? 0) });
    }
  }
  return { counts, times: slowestFirst(times), failures };
}

const XML_ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
};

/** Text of an element, which Playwright does not escape but puts into a CDATA section. */
function textOf(content: string): string {
  const literal = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(content)?.[1];
  return literal === undefined ? unescapeXml(content) : literal.trim();
}

function unescapeXml(text: string): string {
  return text.replace(/&(\w+);/g, (entity, name: string) => XML_ENTITIES[name] ?? entity);
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
  if (ran === 0 && filtered && code === 0) return { ...counts, problem: "no test matched" };
  if (reported === undefined) return fail(`exited with ${code} before it wrote a report`);
  if (code !== 0 && failed === 0) return fail(`failed outside its tests, with ${code}`);
  if (ran === 0) return fail("ran no test");
  return counts;
}
