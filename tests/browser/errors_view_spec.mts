/** The list of errors: groups, occurrences, addresses. */
import { expect, test } from "../harness/browser/fixtures.ts";
import {
  errorEvent,
  javaEvent,
  messageEvent,
  nodeEvent,
  postEnvelope,
  postEvents,
  pythonEvent,
} from "../harness/browser/posted.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { errorDetail, errorList, errorRow, openError, openView } from "../harness/browser/views.ts";

test("links to an error without its group → the address with the group", async ({ page, server, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "handled");
  await openView(page, "Errors");
  await openError(page, ERRORS.handled);
  const address = page.url();
  const [, envelope] = address.match(/#\/errors\/[\da-f]{14}(?:\/(\d+))?$/) ?? [];
  expect(envelope, "the group alone is the address").toBeUndefined();
  await openView(page, "Envelopes");
  await page.getByRole("row")
    .getByRole("link", { name: /^Envelope \d+: event/ }).click();
  await page.locator(".details").getByRole("link", { name: ERRORS.handled }).click();
  await expect(page.getByRole("navigation", { name: "Occurrences" })).toContainText(
    "1 of 1",
  );
  await expect(page).toHaveURL(new RegExp(`^${address}/\\d+/[\\da-f]{32}$`));

  const event = await (await fetch(new URL("/monitoring/inbox?view=occurrences", address))).json();
  // Newer errors that mention the id fill the first page of the search.
  const mention = errorEvent("E", event.rows[0].event_id);
  await postEnvelope(server.origin, {}, ...Array(201).fill(["event", mention]));
  // A filter that leaves it out, as links from other views keep it.
  await page.goto(`/#/errors/${event.rows[0].event_id}?q=another`);
  await expect(errorDetail(page)).toContainText(ERRORS.handled);
  await expect(page).toHaveURL(new RegExp(`^${address}/\\d+/[\\da-f]{32}$`));
  await page.goto(`/#/errors/${"e".repeat(32)}`);
  await expect(page.getByText("Error not found.")).toBeVisible();
});

test("an error that occurs again → one row, its count rises, and it moves to the top; none while paused", async ({ page, server }) => {
  await page.goto("/#/errors");
  await expect(page.getByText("No open errors.")).toBeVisible();
  await postEvents(server.origin, pythonEvent(), javaEvent());
  const rows = errorList(page).locator("tbody tr");
  await expect(rows).toContainText([/fatal.*IllegalStateException.*1×/, /CheckoutError.*1×/]);
  await expect(errorRow(page, "CheckoutError")).toContainText(/unhandled.*no price for sku-991/);
  await postEvents(server.origin, pythonEvent());
  await expect(rows).toContainText([/CheckoutError.*2×/, /IllegalStateException.*1×/]);
  await page.getByRole("button", { name: "Pause" }).click();
  await postEvents(server.origin, nodeEvent());
  await expect(page.getByRole("region", { name: "Errors", exact: true })).toContainText("Paused");
  await expect(rows).toHaveCount(2);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(errorRow(page, "All servers failed")).toBeVisible();
  await page.getByRole("searchbox").fill("basket");
  await expect(errorList(page).getByRole("link")).toHaveCount(1);
});

test("a new occurrence → does not replace the one shown; older and newer are linked", async ({ page, server }) => {
  const lowStock = (sku: number) => ({
    ...messageEvent(),
    logentry: { message: `Stock of ${sku} is low` },
    tags: { warehouse: "north\n", ...sku === 3 && { shift: "late" } },
  });
  await postEvents(server.origin, lowStock(1), lowStock(2));
  await page.goto("/#/errors");
  await openError(page, "Stock of … is low");
  const occurrences = page.getByRole("navigation", { name: "Occurrences" });
  await expect(occurrences).toContainText("1 of 2");
  await postEvents(server.origin, lowStock(3));
  await expect(occurrences).toContainText("2 of 3");
  await expect(errorDetail(page).getByRole("heading").first()).toHaveText(
    "Message: Stock of … is low",
  );
  await expect(errorDetail(page)).toContainText("Stock of 2 is low");
  await occurrences.getByRole("link", { name: "Older" }).click();
  await expect(errorDetail(page)).toContainText("Stock of 1 is low");
  await expect(occurrences).toContainText("3 of 3");
  await expect(occurrences.getByRole("link", { name: "Older" })).toHaveCount(0);
  // The address names the occurrence.
  await page.reload();
  await expect(errorDetail(page)).toContainText("Stock of 1 is low");
  await occurrences.getByRole("link", { name: "Newer" }).click();
  await expect(occurrences).toContainText("2 of 3");
  await occurrences.getByRole("link", { name: "Newer" }).click();
  await expect(errorDetail(page)).toContainText("Stock of 3 is low");

  const tags = errorDetail(page).getByRole("region", { name: /^Tags of the group/ });
  await expect(tags).toContainText(/late\s*1 of 3.*others, or none\s*2 of 3/);
  // Two of one envelope, which name no id.
  const both = [4, 5].map((sku) => ["event", lowStock(sku)] as const);
  await postEnvelope(server.origin, {}, ...both);
  await expect(occurrences).toContainText("3 of 5");
  await occurrences.getByRole("link", { name: "Newer" }).click();
  await expect(errorDetail(page)).toContainText("Stock of 4 is low");
  await occurrences.getByRole("link", { name: "Newer" }).click();
  await expect(errorDetail(page)).toContainText("Stock of 5 is low");
  await page.reload();
  await expect(occurrences).toContainText("1 of 5");
  const warehouse = tags.getByRole("definition").filter({ hasText: "north" });
  await warehouse.hover();
  await warehouse.getByRole("link", { name: "Not this" }).click();
  await expect(page).toHaveURL(/q=-warehouse%3A%22north%22/);
  await expect(page.getByText("No open errors match the filter")).toBeVisible();
});

test("other time chosen at an error → the newest of that time; one outside leads to it", async ({ page, server }) => {
  const now = Date.now();
  const lowStock = (sku: number, minutes: number) => ({
    ...messageEvent(),
    logentry: { message: `Stock of ${sku} is low` },
    timestamp: now / 1_000 - minutes * 60,
  });
  await postEvents(server.origin, lowStock(1, 60), lowStock(2, 1));
  await page.goto("/#/errors");
  await openError(page, "Stock of … is low");
  const occurrences = page.getByRole("navigation", { name: "Occurrences" });
  await expect(occurrences).toContainText("1 of 2");
  const address = page.url();
  const middle = now - 30 * 60_000;
  await page.goto(`${address}?until=${middle}`);
  await expect(occurrences).toContainText("1 of 1");
  await expect(errorDetail(page)).toContainText("Stock of 1 is low");
  await page.goto(address);
  await expect(occurrences).toContainText("1 of 2");
  await occurrences.getByRole("link", { name: "Older" }).click();
  await expect(occurrences).toContainText("2 of 2");
  await page.goto(`${page.url()}?since=${middle}`);
  await occurrences.getByRole("link", { name: "Newer" }).click();
  await expect(errorDetail(page)).toContainText("Stock of 2 is low");
  // Filters that leave out all are named, and can be removed.
  await page.goto(`${address}?q=nothing&application=sightglass`);
  await expect(occurrences).toHaveText("‹›");
  await page.reload();
  await expect(errorDetail(page)).toContainText("never received, or left out by the filter");
  await errorDetail(page).getByRole("button", { name: "Remove Application: Sightglass" }).click();
  await errorDetail(page).getByRole("button", { name: "Remove Search: nothing" }).click();
  await expect(occurrences).toContainText("1 of 2");
  await expect(errorDetail(page).getByRole("link", { name: "Clear all" })).toHaveCount(0);
});

test("open error resolved → its button is busy meanwhile; j opens the one after it, k the one before", async ({ page, server }) => {
  const now = Date.now() / 1000;
  for (const [n, type] of ["A", "B", "C", "D", "E"].entries()) {
    await postEvents(server.origin, errorEvent(`${type}Error`, "x", { timestamp: now - n }));
  }
  await page.goto("/#/errors");
  const rows = errorList(page).locator("tbody tr");
  await expect(rows).toHaveCount(5);
  const heading = (type: string) => page.getByRole("heading", { name: `${type}Error: x` });
  let answer = () => {};
  await page.route("**/monitoring/inbox?group=*", async (route) => {
    if (route.request().method() === "PATCH") {
      await new Promise<void>((resolve) => answer = resolve);
    }
    await route.continue();
  });
  for (const [open, key, next] of [["B", "j", "C"], ["D", "k", "C"]] as const) {
    const count = await rows.count();
    await openError(page, `${open}Error`);
    const resolve = page.getByRole("button", { name: "Resolve", exact: true });
    const request = page.waitForRequest((request) => request.method() === "PATCH");
    await resolve.press("Enter");
    await request;
    await expect(resolve).toHaveAttribute("aria-busy", "true");
    await expect(resolve).toBeDisabled();
    await expect(resolve).toBeFocused();
    answer();
    const reopen = page.getByRole("button", { name: "Reopen" });
    await expect(reopen).toBeFocused();
    await expect(reopen).toHaveAttribute("aria-busy", "false");
    // It has no place in the list any more.
    await expect(page.getByRole("navigation", { name: "Errors of the list" })).toHaveText("‹›");
    await page.keyboard.press(key);
    await expect(heading(next)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(rows).toHaveCount(count - 1);
  }
});

test("a right-to-left override in a message → does not affect other text", async ({ page, server }) => {
  await page.goto("/#/errors");
  await postEvents(server.origin, errorEvent("\u202eepyt", "\u202eeulav"));
  await expect(errorRow(page, "epyt")).toBeVisible();
  const leaks = await page.locator("main").evaluate((main) =>
    [...main.querySelectorAll("*")]
      .filter(({ childNodes }) =>
        [...childNodes].some((node) => node.nodeType === 3 && /\u202e/.test(node.nodeValue ?? ""))
      )
      .filter((element) => !/isolate|plaintext/.test(getComputedStyle(element).unicodeBidi))
      .map(({ outerHTML }) => outerHTML)
  );
  expect(leaks).toEqual([]);
});
