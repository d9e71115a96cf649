/** The page as a person meets it: without scripts, on a phone, by keyboard, with a screen reader. */
import { expect, test } from "./fixtures.ts";
import { expectAccessible, expectNoOverflow } from "./page_look.ts";
import { ERRORS, makeEverySignal, openPage } from "./signals.ts";

for (const mode of ["inbox", "relay"] as const) {
  for (const colorScheme of ["light", "dark"] as const) {
    test.describe(`${mode}, ${colorScheme}`, () => {
      test.use({ mode, colorScheme });

      test("axe finds nothing, and nothing overflows at 360 px, empty and full", async ({ page, watch }) => {
        watch.allow(...Object.values(ERRORS), "status of 503");
        await openPage(page);
        for (const state of ["empty", "full"]) {
          if (state === "full") await makeEverySignal(page);
          await expectNoOverflow(page, 1280, 768, 360);
          await expectAccessible(page);
        }
      });
    });
  }
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false, serverEnv: { SENTRY_ENVIRONMENT: "staging" } });

  test("the page says what it is and what is in force", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1, name: "Sightglass" })).toBeVisible();
    // By its box: what stands in <noscript> is no text to the test runner's own search.
    const note = page.locator("noscript p");
    expect(await note.textContent()).toContain("JavaScript is off");
    expect((await note.boundingBox())?.height).toBeGreaterThan(0);
    const force = page.getByRole("region", { name: "In force" });
    for (const said of ["staging", "the embedded inbox", "masked", "blocked", "0.1"]) {
      await expect(force).toContainText(said);
    }
    await expect(page.getByRole("button", { name: "Uncaught error" })).toBeDisabled();
  });
});

test.describe("by keyboard", () => {
  test.use({ viewport: { width: 1280, height: 900 } });

  test("the first stop skips to the content, and every control is reached in order", async ({ page }) => {
    await openPage(page);
    await page.keyboard.press("Tab");
    await expect(page.locator(":focus")).toHaveText(/skip/i);
    const reached: string[] = [];
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement?.textContent ?? "");
      reached.push(name);
    }
    const names = [
      "Uncaught error",
      "Unhandled rejection",
      "Component error",
      "Handled error",
      "trace",
      "fatal",
      "Slow request",
      "Long task",
      "Span with a fetch",
    ];
    const at = names.map((name) => reached.findIndex((text) => text.startsWith(name)));
    expect(at, reached.join(" | ")).not.toContain(-1);
    expect([...at].sort((a, b) => a - b)).toEqual(at);
  });
});

test("a component that fails leaves a fallback that can be tried again", async ({ page, watch }) => {
  watch.allow(ERRORS.component);
  await openPage(page);
  await page.getByRole("button", { name: "Component error" }).click();
  const again = page.getByRole("button", { name: /try again/i });
  await expect(again).toBeFocused();
  await again.press("Enter");
  await expect(page.getByRole("button", { name: "Component error" })).toBeFocused();
});

test("an address that is not there says so", async ({ page, watch }) => {
  watch.allow("404");
  const response = await page.goto("/nowhere");
  expect(response?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Nothing at this address");
});
