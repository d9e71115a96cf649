/** The view of endpoints and queries. */
import type { Page } from "@playwright/test";
import {
  ALL_PRODUCTS,
  CHECKOUT,
  CHECKOUTS,
  FAILED,
  postRequests,
  PRODUCT,
  PRODUCTS,
} from "../harness/browser/endpoint_runs.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout, expectNoOverflow } from "../harness/browser/page_look.ts";
import { openView } from "../harness/browser/views.ts";

const view = (page: Page) => page.getByRole("region", { name: "Endpoints", exact: true });
const list = (page: Page) => view(page).getByRole("table", { name: "Endpoints, slowest first" });
const detail = (page: Page) => view(page).getByRole("article");
const both = CHECKOUTS["1.4.1"] + CHECKOUTS["1.4.2"];

test("slower release → the endpoint's change, runs, queries and errors lead to trace and error", async ({ page, server, watch }) => {
  watch.allow("404");
  await postRequests(server.origin);
  await page.goto("/");
  await openView(page, "Endpoints");
  const row = list(page).getByRole("row", { name: CHECKOUT });
  await expect(row).toContainText(/12 →\s*4\s*failed of 18/);
  await expect(row).toContainText(/2\.3× slower/);
  await expect(list(page).getByRole("row", { name: "GET /api/products" })).toContainText(
    "not slower",
  );
  await expect(list(page).getByRole("row", { name: "GET /api/report" })).toContainText(
    "one release",
  );
  await expectAccessibleLayout(page, "list");
  await page.setViewportSize({ width: 1280, height: 800 });

  await row.getByRole("link", { name: CHECKOUT }).click();
  await expect(detail(page).getByRole("heading", { name: CHECKOUT })).toBeFocused();
  await expect(detail(page)).toContainText("1 of 3");
  const queries = detail(page).getByRole("table", { name: /^Its queries/ });
  const cellsOf = (statement: string) =>
    queries.getByRole("row", { name: statement }).getByRole("cell");
  await expect(cellsOf(PRODUCT)).toHaveText(["–", `${PRODUCTS}in 18 of 18`, /ms\d+ %$/]);
  await expect(cellsOf(ALL_PRODUCTS)).toHaveText(["1in 12 of 12", "–", /ms\d+ %$/]);
  await expect(detail(page).locator(".request-chart .mark")).toHaveCount(FAILED);
  await expect(detail(page)).toContainText("line: median, of others pale");
  await expect(detail(page).locator(".request-chart path.median.before")).toHaveCount(1);
  await expectAccessibleLayout(page, "endpoint");
  await page.setViewportSize({ width: 1280, height: 800 });

  await page.reload();
  await expect(cellsOf(PRODUCT)).toHaveCount(3);
  const errors = detail(page).getByRole("region", { name: "Errors of its runs" });
  await expect(errors).toContainText(`TypeError: Cannot read 'percent' of null${FAILED}×`);
  const slowest = detail(page).getByRole("region", { name: "Slowest runs" }).getByRole("link");
  await expect(slowest).toHaveCount(5);
  await slowest.first().click();
  await expect(page.getByRole("treegrid")).toContainText(`×${PRODUCTS} (2 queries)`);
  await page.goBack();

  // A dot is where its run is: the last one, of all.
  const plot = detail(page).locator(".dots .plot");
  const box = (await plot.boundingBox())!;
  const decades = Math.log10(593 / 190) + 1;
  const position = { x: box.width * (1 - 0.02 / 1.04), y: box.height * 0.5 / decades };
  await plot.hover({ position });
  await expect(plot.locator(".point-tip")).toContainText("593");
  await plot.click({ position });
  await expect(page).toHaveURL(/#\/traces\/[\da-f]{32}/);
  await page.goBack();
  await expect(slowest).toHaveCount(5);
  // Of a part of the runs: what is chosen is named, and can be removed.
  await page.goto(`${page.url()}?q=nothing&release=shop-api%401.4.1`);
  await expect(detail(page)).toContainText("never received, or left out by the filter");
  await detail(page).getByRole("button", { name: "Remove Search: nothing" }).click();
  await expect(detail(page)).toContainText("one release");
  await detail(page).getByRole("button", { name: "Remove Release: shop-api@1.4.1" }).click();
  await expect(detail(page)).toContainText("2.3× slower");
  await detail(page).getByRole("link", { name: "Its traces" }).click();
  await expect(page.getByRole("region", { name: "Traces", exact: true }).locator(".list-foot"))
    .toContainText(`${both} traces`);
});

test("queries → by statement, to the request that repeats one most; none; fits a phone", async ({ page, server, watch }) => {
  watch.allow("404");
  await page.goto("/#/endpoints?as=queries");
  await expect(view(page)).toContainText("No queries");
  await postRequests(server.origin);
  const table = view(page).getByRole("table", { name: "Queries, those that took most time first" });
  const row = table.getByRole("row", { name: PRODUCT });
  await expect(row).toContainText("180");
  await expect(row).toContainText("720 ms");
  await expectAccessibleLayout(page, "queries");
  await expectNoOverflow(page, 390);
  await row.getByRole("link", { name: `×${PRODUCTS}` }).click();
  await expect(page.getByRole("treegrid")).toContainText(`×${PRODUCTS} (2 queries)`);
  await page.goBack();
  await page.setViewportSize({ width: 1280, height: 800 });
  await view(page).getByRole("searchbox").fill("carts");
  await expect(table.locator("tbody tr")).toHaveCount(1);
  await page.goto("/#/endpoints?q=nothing");
  await expect(view(page)).toContainText("No endpoints match the filter.");
  await page.goto(`/#/endpoints/${"0".repeat(14)}/none`);
  await expect(view(page)).toContainText("Endpoint not found.");
});
