/** Lists of several pages of rows: those in sight are rendered, and nothing else is different. */
import type { Locator, Page } from "@playwright/test";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { postSpans, spanId } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";

/** Three pages. */
const ROWS = 450;
/** Far fewer than {@linkcode ROWS}, more than a screen and what is rendered beyond its edges. */
const MAX_RENDERED = 80;

const START = Math.floor(Date.now() / 1000) - 600;

const span = (n: number) => ({
  trace_id: hexId(n + 1),
  span_id: spanId(n),
  name: `task ${n} ${"with a long name ".repeat(n % 3 * 4)}`,
  start_timestamp: START + n / 100,
  end_timestamp: START + n / 100 + 0.5,
  status: "ok",
});

const list = (page: Page) => page.getByRole("table", { name: "Traces, newest first" });
const rows = (page: Page) => list(page).locator("tr[data-index]");
/** The row of a trace. Row 2, after the heads, is the newest. */
const rowOf = (page: Page, n: number) => rows(page).filter({ hasText: new RegExp(`task ${n}\\b`) });

async function openAll(page: Page, origin: string): Promise<void> {
  for (let n = 0; n < ROWS; n += 50) {
    await postSpans(origin, Array.from({ length: 50 }, (_, i) => span(n + i)));
  }
  await page.goto("/#/traces");
  const older = page.getByRole("button", { name: "Older traces" });
  for (const shown of [200, 400]) {
    await expect(list(page)).toHaveAttribute("aria-rowcount", String(shown + 1));
    // By keyboard: rows that are measured on the way to it may move it away between press and release of a mouse.
    await older.press("Enter");
  }
  await expect(list(page)).toHaveAttribute("aria-rowcount", String(ROWS + 1));
}

/** Distance from the top of the window, pixels. */
const topOf = (row: Locator) => row.evaluate((row) => row.getBoundingClientRect().top);

/** Checks that rows cover the window, each below the other. */
async function expectNoBlank(page: Page): Promise<void> {
  await expect.poll(() =>
    list(page).evaluate((table) => {
      const places = [...table.querySelectorAll("tr[data-index]")]
        .map((row) => row.getBoundingClientRect())
        .filter(({ top, bottom }) => bottom > 0 && top < innerHeight);
      const covered = places.reduce((sum, { height }) => sum + height, 0);
      const { top, bottom } = table.querySelector("tbody")!.getBoundingClientRect();
      const visible = Math.min(bottom, innerHeight) - Math.max(top, 0);
      return covered >= visible - 2;
    })
  ).toBe(true);
}

for (const width of [1280, 360]) {
  test(`450 rows, ${width} pixels wide → rows in sight are rendered, keys reach all of them`, async ({ page, server }) => {
    await page.setViewportSize({ width, height: 740 });
    await openAll(page, server.origin);
    expect(await rows(page).count()).toBeLessThan(MAX_RENDERED);
    await expectNoBlank(page);
    const link = (n: number) => rowOf(page, n).locator("a.row-link");
    await link(ROWS - 1).focus();
    await page.keyboard.press("End");
    await expect(link(0)).toBeFocused();
    await expect(link(0)).toBeInViewport();
    await expect(rowOf(page, 0)).toHaveAttribute("aria-rowindex", String(ROWS + 1));
    await expectNoBlank(page);
    await page.keyboard.press("ArrowUp");
    await expect(link(1)).toBeFocused();
    await page.keyboard.press("PageUp");
    const focused = page.locator("a.row-link:focus");
    await expect(focused).not.toHaveText(/task 1\b/);
    await expect(focused).toBeInViewport();
    // The focused row stays rendered however far the list is scrolled.
    const name = (await focused.textContent())!;
    await page.evaluate(() => scrollTo(0, 0));
    await expectNoBlank(page);
    await expect(focused).toHaveText(name);
    await page.keyboard.press("Home");
    await expect(link(ROWS - 1)).toBeFocused();
    for (let y = 0; y < 9_000; y += 3_000) {
      await page.evaluate((y) => scrollTo(0, y), y);
      await expectNoBlank(page);
    }
    expect(await rows(page).count()).toBeLessThan(MAX_RENDERED);
  });
}

test("row arrives above the window → the rows in sight stay where they are", async ({ page, server }) => {
  await openAll(page, server.origin);
  await page.evaluate(() => scrollTo(0, 9_000));
  await expectNoBlank(page);
  const index = await rows(page).evaluateAll((rows) =>
    rows.find((row) => row.getBoundingClientRect().top > 300)!.getAttribute("data-index")
  );
  const n = ROWS - 1 - Number(index);
  // Heights of rows that were rendered for the first time are corrected.
  let before = NaN;
  await expect.poll(async () => Math.abs(before - (before = await topOf(rowOf(page, n)))))
    .toBeLessThan(1);
  await postSpans(server.origin, [{ ...span(ROWS), name: "a new task" }]);
  await expect(list(page)).toHaveAttribute("aria-rowcount", String(ROWS + 2));
  await expect(rowOf(page, n)).toHaveAttribute("data-index", String(Number(index) + 1));
  await expect.poll(async () => Math.abs(await topOf(rowOf(page, n)) - before)).toBeLessThan(3);
  await expectNoBlank(page);
});

test("another view and back, another width → the rows in sight are rendered", async ({ page, server }) => {
  await openAll(page, server.origin);
  await page.evaluate(() => scrollTo(0, 6_000));
  await openView(page, "Logs");
  await expect(list(page)).toBeHidden();
  await openView(page, "Traces");
  await expectNoBlank(page);
  expect(await rows(page).count()).toBeLessThan(MAX_RENDERED);
  await page.evaluate(() => scrollTo(0, 6_000));
  await page.setViewportSize({ width: 360, height: 740 });
  await expectNoBlank(page);
  // The list is higher once the heights of its last rows are known.
  await expect(async () => {
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await expect(rowOf(page, 0)).toBeInViewport({ timeout: 1_000 });
  }).toPass();
  await expectNoBlank(page);
});
