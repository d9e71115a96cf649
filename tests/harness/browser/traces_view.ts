/** Parts of the view of traces, for its tests. */
import type { Page } from "@playwright/test";

export const traceList = (page: Page) => page.getByRole("table", { name: "Traces, newest first" });
export const traceLink = (page: Page, traceId: string) => page.locator(`a[data-row="${traceId}"]`);
export const waterfall = (page: Page) => page.getByRole("treegrid", { name: "Spans of the trace" });
export const spanRow = (page: Page, name: string | RegExp) =>
  waterfall(page).getByRole("row", { name });
export const spanDetail = (page: Page, name: string | RegExp) =>
  page.getByRole("complementary", { name });
