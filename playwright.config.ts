import process from "node:process";
import { defineConfig } from "@playwright/test";
import type { Options } from "./tests/browser/fixtures.ts";

/**
 * The browser tests, run by Playwright under Deno (`deno task test --only=browser`).
 *
 * Playwright would compile every module that it loads by itself, to CommonJS. `external` leaves that to Deno,
 * so that tests import the project's modules as they are; specs are `.mts` because Playwright loads
 * others by `require`. The browser is chosen in `tests/browser/fixtures.ts`.
 */
export default defineConfig<Pick<Options, "cpuRate">>({
  testDir: "tests/browser",
  testMatch: "**/*_spec.mts",
  outputDir: "test-results",
  build: { external: ["**/*"] },
  // Each test has a server and a browser: more of them at once than a small machine can run is slower.
  workers: 1,
  // A test that passes at the second try has found something.
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 90_000,
  // Telemetry starts when the page is idle and is sent in batches: seconds, on a busy machine more.
  expect: { timeout: 20_000 },
  reporter: "list",
  projects: [
    { name: "full speed" },
    // The delivery tests once more on a slow processor, where storing and sending take longer.
    {
      name: "CPU 6 ×",
      testMatch: ["**/delivery_*_spec.mts", "**/outage_spec.mts"],
      use: { cpuRate: 6 },
    },
  ],
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    screenshot: "only-on-failure",
  },
});
