import process from "node:process";
import { defineConfig } from "@playwright/test";

/**
 * The browser tests, run by Playwright under Deno (`deno task test --only=browser`).
 *
 * `external` keeps Playwright from compiling the imported modules to CommonJS: Deno loads them. Specs are
 * `.mts` because Playwright loads other extensions with `require`.
 */
export default defineConfig({
  testDir: "tests/browser",
  testMatch: "**/*_spec.mts",
  outputDir: "test-results",
  build: { external: ["**/*"] },
  // Many tests mostly wait: three keep two cores busy.
  workers: 3,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Minutes, because a busy machine is several times slower.
  timeout: 300_000,
  // Telemetry starts when the page is idle, a page load's span ends up to 30 s later, and both are sent in batches.
  expect: { timeout: 90_000 },
  reporter: "list",
  use: {
    browserName: "chromium",
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
    screenshot: "only-on-failure",
  },
});
