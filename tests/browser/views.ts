import type { Locator, Page } from "@playwright/test";
import type { VIEWS } from "../../islands/shared/view.ts";

/** The titles of the console's views. */
export type ViewTitle = (typeof VIEWS)[keyof typeof VIEWS];

/** The link to a view. */
export function tab(page: Page, title: ViewTitle): Locator {
  return page.getByRole("navigation", { name: "Views" })
    .getByRole("link", { name: title, exact: true });
}

/** Opens a view as a person does. */
export async function openView(page: Page, title: ViewTitle): Promise<void> {
  await tab(page, title).click();
}
