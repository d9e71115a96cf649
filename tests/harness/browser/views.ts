import type { Locator, Page } from "@playwright/test";
import type { PAGE_VIEWS } from "../../../islands/shared/view.ts";

/** A view's title. */
export type ViewTitle = (typeof PAGE_VIEWS)[keyof typeof PAGE_VIEWS];

/** The link to a view. */
export function tab(page: Page, title: ViewTitle): Locator {
  return page.getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: title, exact: true });
}

/** Opens a view by its tab. */
export async function openView(page: Page, title: ViewTitle): Promise<void> {
  // Clicks are slow behind another page.
  await page.bringToFront();
  await tab(page, title).click();
}

/** Opens the menu of all envelopes in the open view: export, import, delete. */
export async function openMenu(page: Page): Promise<Locator> {
  await page.bringToFront();
  await page.getByRole("button", { name: "More", exact: true }).click();
  return page.getByRole("group", { name: "All envelopes" });
}

export const envelopesView = (page: Page) =>
  page.getByRole("region", { name: "Envelopes", exact: true });
/** The links of the list's rows, which open envelopes. */
export const envelopeLinks = (page: Page) =>
  envelopesView(page).getByRole("row").getByRole("link", { name: /^Envelope / });
export const envelopeRows = (page: Page) =>
  envelopesView(page).getByRole("row")
    .filter({ has: page.getByRole("link", { name: /^Envelope / }) });
