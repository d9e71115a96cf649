import type { Page } from "@playwright/test";
import type { InboxPage } from "../../monitoring/protocol/inbox_row.ts";
import { expect, test } from "./fixtures.ts";
import { nodeEvent, postEvents } from "./posted_errors.ts";
import { make, openPage } from "./signals.ts";

const inboxOf = (page: Page) => page.getByRole("region", { name: "Arrived in the inbox" });
const rowsOf = (page: Page) =>
  inboxOf(page).getByRole("row").filter({ has: page.getByRole("link") });

// The server logs its start: waits for it, and starts each test with an empty inbox.
test.beforeEach(async ({ server, serverEnv, serverArrivals }) => {
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  const emptied = await fetch(`${server.origin}/monitoring/inbox`, {
    method: "DELETE",
    headers: { Authorization: `Bearer ${serverEnv.INBOX_TOKEN}` },
  });
  expect(emptied.status).toBe(204);
});

test("envelope arrives → listed first, can be downloaded as it was before compression", async ({ page, arrivals }) => {
  await openPage(page);
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  await expect(rowsOf(page).filter({ hasText: "log" })).toBeVisible();

  const download = page.waitForEvent("download");
  await rowsOf(page).filter({ hasText: "log" }).getByRole("link").click();
  const path = await (await download).path();
  const bytes = await Deno.readFile(path);
  const stored = (await arrivals.envelopes()).map(({ decoded }) => [...decoded].join());
  expect(stored).toContain([...bytes].join());
});

test("two tabs → one stream; its tab closes → the other opens one", async ({ page, context, sent, server }) => {
  const streams = () =>
    sent.all.filter(({ url, kind }) =>
      url.pathname === "/monitoring/inbox" && kind === "eventsource"
    );
  await openPage(page);
  const second = await context.newPage();
  await openPage(second);
  await make(page, "warn");
  await expect(rowsOf(second).filter({ hasText: "log" })).toBeVisible();
  await make(second, "fatal");
  await expect(rowsOf(page).filter({ hasText: "log" })).toHaveCount(2);
  expect(streams()).toHaveLength(1);

  await page.close();
  await expect.poll(() => streams().length).toBe(2);
  const third = await context.newPage();
  await third.goto(server.origin);
  await openPage(third);
  await make(third, "debug");
  await expect(rowsOf(second).filter({ hasText: "log" })).toHaveCount(3);
  expect(streams()).toHaveLength(2);
});

test("Delete all, confirmed → empty in every tab", async ({ page, context, server }) => {
  await openPage(page);
  const second = await context.newPage();
  await openPage(second);
  await make(page, "info");
  await expect(rowsOf(second).filter({ hasText: "log" })).toBeVisible();
  const { cursor } = await (await fetch(`${server.origin}/monitoring/inbox`)).json();
  await inboxOf(page).getByRole("button", { name: "Delete all" }).click();
  await page.getByRole("group", { name: "Delete all?" })
    .getByRole("button", { name: "Delete all" }).click();
  for (const tab of [page, second]) {
    await expect(rowsOf(tab).filter({ hasText: "log" })).toHaveCount(0);
  }
  // Pages may have sent envelopes since.
  const left: InboxPage = await (await fetch(`${server.origin}/monitoring/inbox`)).json();
  expect(left.envelopes.filter(({ id }) => id <= cursor)).toEqual([]);
});

test("Pause → list unchanged; Resume → new rows", async ({ page, arrivals }) => {
  await openPage(page);
  await make(page, "info");
  await expect(rowsOf(page).filter({ hasText: "log" })).toHaveCount(1);
  await inboxOf(page).getByRole("button", { name: "Pause" }).click();
  const before = await rowsOf(page).count();
  await make(page, "warn");
  await arrivals.waitFor(
    "two logs",
    (items) => items.filter(({ type }) => type === "log").length > 1,
  );
  await expect(inboxOf(page)).toContainText(/Paused; [1-9]/);
  expect(await rowsOf(page).count()).toBe(before);
  await inboxOf(page).getByRole("button", { name: "Resume" }).click();
  await expect(rowsOf(page).filter({ hasText: "log" })).toHaveCount(2);
});

test.describe("INBOX_TOKEN set", () => {
  test.use({ serverEnv: { INBOX_TOKEN: "open-sesame" } });

  for (const name of ["127.0.0.1", "sightglass.localhost"]) {
    test(`page opened as ${name} → asks for the token, and shows the inbox once it is entered`, async ({ page, server, watch }) => {
      watch.allow("403");
      await page.goto(`http://${name}:${server.port}/`);
      const field = inboxOf(page).getByLabel(/token/i);
      await field.fill("wrong");
      await inboxOf(page).getByRole("button", { name: "Open the inbox" }).click();
      await expect(inboxOf(page).getByRole("alert")).toHaveText("Wrong token.");
      // The focus is where a keyboard user continues.
      await expect(field).toBeFocused();
      await field.fill("open-sesame");
      await field.press("Enter");
      await expect(inboxOf(page)).toContainText(/Live/);
      await expect(inboxOf(page).getByRole("button", { name: "Pause" })).toBeFocused();
      // HttpOnly.
      expect(await page.evaluate(() => document.cookie)).toBe("");
      await page.reload();
      await expect(inboxOf(page)).toContainText(/Live/);
      // Lists are read with the cookie, too.
      await postEvents(server.origin, nodeEvent());
      await page.goto(`http://${name}:${server.port}/#/errors`);
      await expect(page.locator(".view:visible")).toContainText("All servers failed");
    });
  }
});
