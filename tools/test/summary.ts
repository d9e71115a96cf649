/** Results of a suite. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface Result extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Why it failed, beside or instead of failed tests. */
  readonly problem?: string;
  /** The part of its output that names what failed. */
  readonly failures: readonly string[];
}

/** Lines of a suite's failures that are printed again at the end. */
const MAX_FAILURE_LINES = 60;

/**
 * Reads the counts of Deno (`ok | 12 passed | 0 failed | 1 ignored`), Playwright (one count a line) or
 * `deno task check` (`7 passed, 0 failed`) at the end of their output. The exit code decides what is failed.
 *
 * @param isFiltered a text selects tests: other tests are not skipped ones, and a suite may have none
 */
export function countResults(
  lines: readonly string[],
  code: number,
  isFiltered: boolean,
): Omit<Result, "name" | "seconds"> {
  const text = lines.join("\n");
  const last = (words: string) =>
    Number(
      [...text.matchAll(new RegExp(`(?:^ *|\\| |, )(\\d+) (?:${words})\\b`, "gm"))].at(-1)?.[1] ??
        0,
    );
  const passed = last("passed");
  const reported = code === 0 ? 0 : last("failed");
  const skipped = isFiltered ? 0 : last("ignored|skipped");
  if (code === 0) {
    const ranNone = passed === 0 && !isFiltered;
    return {
      passed,
      failed: ranNone ? 1 : 0,
      skipped,
      failures: [],
      ...ranNone && { problem: "ran no test" },
    };
  }
  const heading = lines.findLastIndex((line) => /^ ERRORS *$|^ {2}\d+ failed$/.test(line));
  return {
    passed,
    failed: Math.max(1, reported),
    skipped,
    ...reported === 0 && { problem: `exited with ${code}` },
    failures: lines.slice(heading === -1 ? -MAX_FAILURE_LINES : heading).slice(
      0,
      MAX_FAILURE_LINES,
    ),
  };
}

/** `12 passed, 1 failed`, and `, 2 skipped` if there are any. */
export function countLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** Prints what failed, a line for each suite and the last line. Returns whether tests ran and all passed. */
export function summarize(results: readonly Result[], print = console.log): boolean {
  for (const { name, failures } of results) {
    if (failures.length > 0) print(`\nFailed, ${name}:\n${failures.join("\n")}`);
  }
  print();
  for (const result of results) {
    const { name, seconds, problem } = result;
    const line = `${name.padEnd(8)} ${seconds.toFixed(1).padStart(7)} s  ${countLine(result)}`;
    print(problem === undefined ? line : `${line} (${problem})`);
  }
  const sum = (count: keyof Counts) => results.reduce((total, result) => total + result[count], 0);
  const total = { passed: sum("passed"), failed: sum("failed"), skipped: sum("skipped") };
  const ranNone = total.passed + total.failed === 0;
  if (ranNone) print("No test ran.");
  print(countLine(total));
  return total.failed === 0 && !ranNone;
}
