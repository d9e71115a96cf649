import assert from "node:assert/strict";
import { temporaryFolder } from "../tests/harness/temporary_folder.ts";
import {
  countResults,
  denoTest,
  PLAYWRIGHT_TEST,
  type Result,
  runFailedAgain,
  runSuite,
  summarize,
} from "./run_tests.ts";

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
    [
      "  4 failed\n  1 skipped\n  1 did not run\n  1 error was not a part of any test, see above for details\n  1 passed",
      1,
      [1, 6, 1],
    ],
    // It failed outside its tests, or ran none.
    ["error: Module not found", 1, [0, 1, 0]],
    ["ok | 3 passed | 0 failed", 143, [3, 1, 0]],
    ["FAILED | 3 passed | 1 failed", 143, [3, 2, 0]],
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
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const none = { name: "unit", args: [], seconds: 1, ...counts, lines: [], tests: [] };
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

const ALWAYS = `throw new Error("always")`;
/** Fails if no file of this name is in the folder, and makes it. */
const once = (folder: string, name: string) =>
  `if (!fs.existsSync("${folder}/${name}")) {
     fs.writeFileSync("${folder}/${name}", "");
     throw new Error("once & <again>");
   }`;
const FS = `import fs from "node:fs";\n`;

/** What is printed after the second attempt of a suite of these files, which are written first. */
async function attemptTwice(
  folder: string,
  files: Record<string, string>,
  args: readonly string[],
): Promise<{ lines: string[]; ok: boolean }> {
  for (const [name, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${folder}/${name}`, text);
  }
  const [result] = await runFailedAgain([await runSuite("again", args)]);
  return summaryOf(result!);
}

Deno.test("suite fails once, always, four times, crashes → only the first is a success", async (t) => {
  const denoTestOf = (name: string, body: string) => `Deno.test('${name}', () => { ${body} });\n`;
  const passes = denoTestOf("passes", "");
  const cases: [title: string, tests: (folder: string) => string, last: string, again?: string][] =
    [
      [
        "one test fails once",
        (folder) => passes + denoTestOf('a "b" → c', once(folder, "a")),
        "2 passed, 0 failed",
        'a "b" → c',
      ],
      [
        "a step fails once",
        (folder) =>
          `Deno.test("a", async (t) => void await t.step("b", () => { ${once(folder, "step")} }));`,
        "1 passed, 0 failed",
        "a",
      ],
      [
        "one fails once, one always",
        (folder) => denoTestOf("a", once(folder, "a")) + denoTestOf("b", ALWAYS),
        "0 passed, 2 failed",
      ],
      [
        "four tests fail once",
        (folder) =>
          ["a", "b", "c", "d"].map((name) => denoTestOf(name, once(folder, name))).join(""),
        "0 passed, 4 failed",
      ],
      ["a file fails outside its tests", () => passes + ALWAYS, "0 passed, 1 failed"],
      ["a file cannot be loaded", () => `import "./none.ts";\n${passes}`, "0 passed, 1 failed"],
      [
        "the process is killed",
        () => denoTestOf("a", `Deno.kill(Deno.pid, "SIGKILL")`),
        "0 passed, 1 failed",
      ],
    ];
  for (const [title, tests, last, again] of cases) {
    await t.step(title, async () => {
      using folder = temporaryFolder();
      const files = { "a_test.ts": FS + tests(folder.path) };
      const { lines, ok } = await attemptTwice(folder.path, files, denoTest([folder.path]));
      assert.equal(lines.at(-1), last);
      assert.equal(ok, again !== undefined);
      const passed = lines.indexOf("Passed at the second attempt:");
      if (again === undefined) assert.equal(passed, -1);
      else assert.ok(lines[passed + 1]?.endsWith(`a_test.ts › ${again}`), lines[passed + 1]);
    });
  }
});

Deno.test("browser suite: a test fails once → passes alone; an error outside its tests → failed", async () => {
  using folder = temporaryFolder();
  const args = [...PLAYWRIGHT_TEST, `--config=${folder.path}/playwright.config.ts`];
  const config = `export default {
    testMatch: "*_spec.mts", outputDir: "results", build: { external: ["**/*"] }, projects: [{ name: "p" }],
  };`;
  const spec = `import { test } from "@playwright/test";\n${FS}
    test("passes", () => {});
    test("fails", () => { ${once(folder.path, "a")} });`;
  const files = { "playwright.config.ts": config, "a_spec.mts": spec };
  const passed = await attemptTwice(folder.path, files, args);
  assert.ok(passed.ok, passed.lines.join("\n"));
  assert.ok(passed.lines.includes("[p] a_spec.mts › fails"));
  assert.equal(passed.lines.at(-1), "2 passed, 0 failed");
  const broken = await attemptTwice(folder.path, { "b_spec.mts": ALWAYS }, args);
  assert.ok(!broken.ok);
});
