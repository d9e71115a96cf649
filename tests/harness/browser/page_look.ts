import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";

/** Expects no horizontal overflow of the page at these widths (CSS pixels). */
export async function expectNoOverflow(page: Page, ...widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    // The page may render again for the width, and show more meanwhile.
    await expect.poll(
      () =>
        page.evaluate(() =>
          document.documentElement.scrollWidth - document.documentElement.clientWidth
        ),
      `${width} px`,
    ).toBe(0);
  }
}

/** Expects no accessibility violations that axe finds in the current state, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await expectNoViolations(page);
  // The same document in other colours: the rules that read colours are enough.
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(page, ["color-contrast", "link-in-text-block"]);
}

/** Expects no overflow at desktop and phone width, and at phone width no accessibility violations. */
export function expectAccessibleLayout(page: Page, state: string): Promise<void> {
  return test.step(state, async () => {
    await expectNoOverflow(page, 1280, 360);
    await expectAccessible(page);
  });
}

/** @param rules default: all that axe runs by default */
async function expectNoViolations(page: Page, rules?: string[]): Promise<void> {
  // What fades in has less contrast until it has appeared.
  await page.evaluate(async () => {
    const finite = document.getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(finite.map(({ finished }) => finished));
  });
  // Only frames need the other mode, which opens a blank page for each result.
  const isWhole = page.frames().length === 1;
  // Axe's 500 KB are evaluated once a document: that takes longer than to examine it.
  const hasAxe = isWhole && await page.evaluate(() => "axe" in globalThis);
  const { violations } = await new AxeBuilder({ page, ...hasAxe && { axeSource: "0" } })
    .options({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) })
    .setLegacyMode(isWhole)
    .analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
