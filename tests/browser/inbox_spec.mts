/** The inbox on the overview: live in every tab, paused and emptied. */
import type { Page } from "@playwright/test";
import type { InboxPage } from "../../monitoring/protocol/inbox_row.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { nodeEvent, postEvents } from "../harness/browser/posted.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { errorRow, openMenu, openView } from "../harness/browser/views.ts";

/** Opens the overview once telemetry runs. */
async function openOverview(page: Page): Promise<void> {
  await openPage(page);
  await openView(page, "Overview");
}

const newestErrors = (page: Page) => page.getByRole("region", { name: "Newest errors" });
const error = (page: Page) =>
  newestErrors(page).getByRole("listitem").filter({ hasText: "All servers failed" });

// The server logs its start: waits for it, and starts each test with an empty inbox.
test.beforeEach(async ({ server, serverArrivals, watch }) => {
  watch.allow(ERRORS.handled);
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  const emptied = await fetch(`${server.origin}/monitoring/inbox`, { method: "DELETE" });
  expect(emptied.status).toBe(204);
});

test("two tabs → one stream; its tab closes → the other opens one", async ({ page, context, server, sent }) => {
  const streams = () =>
    sent.all.filter(({ url, kind }) =>
      url.pathname === "/monitoring/inbox" && kind === "eventsource"
    );
  await openOverview(page);
  await expect(page.getByRole("heading", { name: "Point any Sentry SDK here" })).toBeVisible();
  const second = await context.newPage();
  await openOverview(second);
  await postEvents(server.origin, nodeEvent());
  await expect(error(second)).toContainText("1×");
  await postEvents(server.origin, nodeEvent());
  await expect(error(page)).toContainText("2×");
  expect(streams()).toHaveLength(1);

  await page.close();
  await expect.poll(() => streams().length).toBe(2);
  const third = await context.newPage();
  await openOverview(third);
  await postEvents(server.origin, nodeEvent());
  await expect(error(second)).toContainText("3×");
  expect(streams()).toHaveLength(2);
});

test("Pause, Resume → rows stay, then follow; Delete all → empty in every tab", async ({ page, context, server }) => {
  await openPage(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  await expect(errorRow(page, ERRORS.handled)).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await postEvents(server.origin, nodeEvent());
  await expect(page.getByRole("region", { name: "Errors", exact: true }))
    .toContainText(/Paused, [1-9]/);
  await expect(errorRow(page, "All servers failed")).toHaveCount(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(errorRow(page, "All servers failed")).toBeVisible();
  const second = await context.newPage();
  await openOverview(second);
  await expect(newestErrors(second)).toContainText("All servers failed");

  const { cursor } = await (await fetch(`${server.origin}/monitoring/inbox`)).json();
  const menu = await openMenu(page);
  await menu.getByRole("button", { name: "Delete all" }).click();
  await menu.getByRole("group", { name: "Delete all?" })
    .getByRole("button", { name: "Delete all" }).click();
  await expect(error(second)).toHaveCount(0);
  await expect(errorRow(page, "All servers failed")).toHaveCount(0);
  // Pages may have sent envelopes since.
  const left: InboxPage = await (await fetch(`${server.origin}/monitoring/inbox`)).json();
  expect(left.envelopes.filter(({ id }) => id <= cursor)).toEqual([]);
});
