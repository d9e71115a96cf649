/** Parts of the errors view, for its tests. */
import { expect, type Locator, type Page } from "@playwright/test";

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
