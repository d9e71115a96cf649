/** Drives the masking report of an open recording. */
import { expect, type Page } from "@playwright/test";

/** Opens the report and waits until it is made. */
export async function openMaskingReport(page: Page): Promise<void> {
  // By keyboard: what loads above it may move it during a click.
  await page.locator(".masking summary").press("Enter");
  await expect(page.getByText(/^Read .* of this visit/)).toBeVisible();
}

/** Searches for texts. Returns the kinds of the places of each, such as "Input". */
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
      [...one.querySelectorAll("li p:nth-child(2)")].map((place) =>
        place.firstChild!.textContent!.trim()
      ),
    ])
  );
  return Object.fromEntries(found.map(([text, places]) => [text, [...new Set(places)]]));
}
