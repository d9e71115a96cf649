/** How the tests of a suite ended. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The counts of all suites together. */
export function sumCounts(all: readonly Counts[]): Counts {
  return all.reduce((sum, { passed, failed, skipped }) => ({
    passed: sum.passed + passed,
    failed: sum.failed + failed,
    skipped: sum.skipped + skipped,
  }), { passed: 0, failed: 0, skipped: 0 });
}

/** `12 passed, 1 failed`, and `, 2 skipped` where there are any: the last line that the test task prints. */
export function countsLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * Counts the tests in what `deno test --junit-path` writes. A step (`test > step`) is part of its test
 * and not counted by itself, as Deno's own summary does it.
 *
 * @param xml the whole file
 * @throws if it is no JUnit report
 */
export function countJUnit(xml: string): Counts {
  if (!xml.includes("<testsuites")) throw new Error("Cannot count tests: not a JUnit report.");
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [, suite = ""] of xml.matchAll(/<testsuite [^>]*>([\s\S]*?)<\/testsuite>/g)) {
    const names: string[] = [];
    const cases = suite.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g);
    for (const [, name = "", body = ""] of cases) {
      if (names.some((test) => name.startsWith(`${test} &gt; `) || name.startsWith(`${test} > `))) {
        continue;
      }
      names.push(name);
      if (/<(failure|error)\b/.test(body)) counts.failed++;
      else if (/<skipped\b/.test(body)) counts.skipped++;
      else counts.passed++;
    }
  }
  return counts;
}

/**
 * Test files that should be in a JUnit report and are not: Deno reports no test of a module that fails
 * while it is loaded.
 *
 * @param files paths relative to where the tests were run
 */
export function filesWithoutReport(xml: string, files: readonly string[]): string[] {
  return files.filter((path) => !xml.includes(`<testsuite name="./${path}"`));
}

/**
 * Counts the tests in what Playwright's JSON reporter writes. A flaky test has failed once, so it counts
 * as failed; an error outside any test (a spec that does not load) counts as one failure.
 *
 * @param json the whole file
 * @throws if it is no such report
 */
export function countPlaywright(json: string): Counts {
  const { stats, errors = [] } = JSON.parse(json) as {
    stats?: { expected: number; unexpected: number; flaky: number; skipped: number };
    errors?: unknown[];
  };
  if (stats === undefined) throw new Error("Cannot count tests: not a report of Playwright.");
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    skipped: stats.skipped,
  };
}

/** What is known of a suite once its process has ended. */
export interface Ending {
  /** Exit code. */
  readonly code: number;
  /** What its report says; undefined if it wrote none. */
  readonly reported: Counts | undefined;
  /** Whether the suite was asked for some of its tests only. */
  readonly filtered: boolean;
}

/**
 * The counts of a suite, never better than its process ended: a suite that failed outside its tests, or
 * that ran none, counts as one failure.
 */
export function settle({ code, reported, filtered }: Ending): Counts & { problem?: string } {
  const { passed = 0, failed = 0, skipped = 0 } = reported ?? {};
  // What a filter leaves out was not skipped by anyone.
  const counts = { passed, failed, skipped: filtered ? 0 : skipped };
  const ran = passed + failed;
  const fails = (problem: string) => ({ ...counts, failed: failed + 1, problem });
  if (ran === 0 && filtered && (code === 0 || reported !== undefined)) {
    return { ...counts, problem: "no test matched" };
  }
  if (reported === undefined) return fails(`ended with ${code} before it reported`);
  if (ran === 0) return fails("ran no test");
  if (code !== 0 && failed === 0) return fails(`failed outside its tests, with ${code}`);
  return counts;
}
