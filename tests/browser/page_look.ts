import AxeBuilder from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";

/** Expects no horizontal overflow of the page at these widths (CSS pixels). */
export async function expectNoOverflow(page: Page, ...widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const beyond = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth
    );
    expect(beyond, `${width} px`).toBe(0);
  }
}

/** Expects no accessibility violations that axe finds in the current state, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "light" });
  await expectNoViolations(new AxeBuilder({ page }));
  // The same document in other colours: the rules that read colours are enough.
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNoViolations(
    new AxeBuilder({ page }).withRules(["color-contrast", "link-in-text-block"]),
  );
}

/** Expects no overflow at desktop and phone width, and at phone width no accessibility violations. */
export function expectAccessibleLayout(page: Page, state: string): Promise<void> {
  return test.step(state, async () => {
    await expectNoOverflow(page, 1280, 360);
    await expectAccessible(page);
  });
}

async function expectNoViolations(axe: AxeBuilder): Promise<void> {
  const { violations } = await axe.analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}
