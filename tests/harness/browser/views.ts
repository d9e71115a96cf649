/** Parts of the console's views, and what a user does with them. */
import { expect, type Locator, type Page } from "@playwright/test";

/** The link to a view. */
export function tab(page: Page, title: string): Locator {
  return page.getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: title, exact: true });
}

/** Opens a view by its tab. */
export async function openView(page: Page, title: string): Promise<void> {
  // Clicks are slow behind another page.
  await page.bringToFront();
  // On phones some are behind a button.
  const more = page.getByRole("button", { name: "More views" });
  if (!await tab(page, title).isVisible() && await more.isVisible()) await more.click();
  await tab(page, title).click();
}

/** The pipeline: its mark in the sidebar, and its counts, which are hidden until they are opened. */
export const pipeline = (page: Page) => page.getByRole("region", { name: "Pipeline status" });
export const pipelineMark = (page: Page) => pipeline(page).locator("[popovertarget]");

/** A count of this page's envelopes, such as "Waiting in this browser". */
export const ownCount = (page: Page, state: string) =>
  pipeline(page).locator("tr", { hasText: state }).locator("td").first();

/** Opens the menu of all envelopes in the open view: export, import, delete. */
export async function openMenu(page: Page): Promise<Locator> {
  await page.bringToFront();
  await page.getByRole("button", { name: "More", exact: true }).click();
  return page.getByRole("group", { name: "All envelopes" });
}

/** Chooses a value of a list's filter, by keyboard, as a pointer could be over a row. */
export async function chooseFilter(within: Locator, label: string, value: string): Promise<void> {
  const page = within.page();
  await page.bringToFront();
  await within.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await within.getByRole("group", { name: "Filters" }).getByLabel(label).selectOption(value);
  await page.keyboard.press("Escape");
}

/** The choice of an application, for all views. */
export const switcher = (page: Page) => page.getByRole("combobox", { name: "Application" });

export const envelopesView = (page: Page) =>
  page.getByRole("region", { name: "Envelopes", exact: true });
export const envelopeRows = (page: Page) =>
  envelopesView(page).getByRole("row")
    .filter({ has: page.getByRole("link", { name: /^Envelope / }) });

export const errorList = (page: Page) =>
  page.getByRole("table", { name: "Errors, last seen first" });
/** A group's row, by its text. */
export const errorRow = (page: Page, text: string) =>
  errorList(page).getByRole("row").filter({ hasText: text });
export const errorDetail = (page: Page) => page.getByRole("article");
/** A frame of a stack trace, by its text. */
export const stackFrame = (within: Locator, text: string | RegExp) =>
  within.locator("summary, .frame-line").filter({ hasText: text }).first();

/** Opens an error by its row in the list. */
export async function openError(page: Page, text: string): Promise<void> {
  await errorRow(page, text).getByRole("link").click();
  await expect(errorDetail(page)).toBeVisible();
}

/** Number and text of the source line that contains `text`. */
export function sourceLine(path: string, text: string): { number: number; line: string } {
  const lines = Deno.readTextFileSync(new URL(`../../../${path}`, import.meta.url)).split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  expect(index, `${text} in ${path}`).toBeGreaterThan(-1);
  return { number: index + 1, line: lines[index]! };
}

export const traceList = (page: Page) => page.getByRole("table", { name: "Traces, newest first" });
export const traceLink = (page: Page, traceId: string) => page.locator(`a[data-row="${traceId}"]`);
export const waterfall = (page: Page) => page.getByRole("treegrid", { name: "Spans of the trace" });
export const spanRow = (page: Page, name: string | RegExp) =>
  waterfall(page).getByRole("row", { name });
export const spanDetail = (page: Page, name: string | RegExp) =>
  page.getByRole("complementary", { name });

/** Opens the report and waits until it is made. */
export async function openMaskingReport(page: Page): Promise<void> {
  // By keyboard: what loads above it may move it during a click.
  await page.locator(".masking summary").press("Enter");
  await expect(page.getByText(/^Read .* of this session/)).toBeVisible();
}

/** Searches for texts. Returns the places of each, such as `input: text`. */
export async function searchReport(
  page: Page,
  texts: readonly string[],
): Promise<Record<string, string[]>> {
  const search = page.getByRole("region", { name: "Texts that must not appear" });
  await search.getByRole("textbox").fill(texts.join("\n"));
  await search.getByRole("button", { name: "Search" }).click();
  const results = search.getByRole("status").locator("> div");
  await expect(results).toHaveCount(texts.length);
  const found = await results.evaluateAll((all) =>
    all.map((one) => [
      one.querySelector("p")!.textContent!.split("”")[0]!.slice(1),
      [...one.querySelectorAll("li code")].map((place) => place.textContent!),
    ])
  );
  return Object.fromEntries(found);
}
