/** The list of errors: groups, occurrences, addresses, keyboard. */
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import {
  javaEvent,
  messageEvent,
  nodeEvent,
  postEnvelope,
  postEvents,
  pythonEvent,
} from "../harness/browser/posted.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import {
  errorDetail,
  errorList,
  errorRow,
  openError,
  openView,
  sourceLine,
  stackFrame,
} from "../harness/browser/views.ts";

test("an error of a built script → the list shows its location in the sources", async ({ page, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  const { number } = sourceLine(
    "islands/overview/signal_actions.ts",
    `new Error("${ERRORS.handled}`,
  );
  await expect(errorRow(page, ERRORS.handled)).toContainText(
    `handleError (islands/overview/signal_actions.ts:${number}`,
  );
});

test("links to an error without its group → the address with the group", async ({ page, server, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  await openError(page, ERRORS.handled);
  const address = page.url();
  const [, envelope] = address.match(/#\/errors\/[\da-f]{14}(?:\/(\d+))?$/) ?? [];
  expect(envelope, "the group alone is the address").toBeUndefined();
  await openView(page, "Envelopes");
  await page.getByRole("row")
    .getByRole("link", { name: /^Envelope \d+: event/ }).click();
  await page.getByRole("link", { name: ERRORS.handled }).click();
  await expect(page.getByRole("navigation", { name: "Occurrences" })).toContainText(
    "1 of 1",
  );
  await expect(page).toHaveURL(new RegExp(`^${address}/\\d+$`));

  const event = await (await fetch(new URL("/monitoring/inbox?view=occurrences", address))).json();
  // Newer errors that mention the id fill the first page of the search.
  const mention = { exception: { values: [{ type: "E", value: event.rows[0].event_id }] } };
  await postEnvelope(server.origin, {}, ...Array(201).fill(["event", mention]));
  await page.goto(`/#/errors/${event.rows[0].event_id}`);
  await expect(errorDetail(page)).toContainText(ERRORS.handled);
  await expect(page).toHaveURL(new RegExp(`^${address}/\\d+$`));
  await page.goto(`/#/errors/${"e".repeat(32)}`);
  await expect(page.getByText("Error not found: deleted, or never received.")).toBeVisible();
});

test("the last older errors loaded → a text replaces the button and has the focus", async ({ page, server }) => {
  const letters = [..."abcdefghijklmnop"];
  const types = letters.flatMap((a) => letters.map((b) => `Of${a}${b}Error`)).slice(0, 201);
  await postEvents(
    server.origin,
    ...types.map((type) => ({ exception: { values: [{ type, value: "fails" }] } })),
  );
  await openPage(page);
  await openView(page, "Errors");
  const older = page.getByRole("button", { name: "Older errors" });
  await older.focus();
  await page.keyboard.press("Enter");
  await expect(page.getByText("No older errors.")).toBeFocused();
  await expect(errorList(page)).toHaveAttribute("aria-rowcount", String(1 + types.length));
});

test("an error that occurs again → one row, its count rises, and it moves to the top", async ({ page, server }) => {
  await page.goto("/#/errors");
  await expect(page.getByText("No open errors.")).toBeVisible();
  await postEvents(server.origin, pythonEvent(), javaEvent());
  const python = errorRow(page, "CheckoutError");
  await expect(python).toContainText("no price for sku-991");
  await expect(python).toContainText("checkout (shop/views.py)");
  await expect(python.getByRole("cell").nth(1)).toHaveText("unhandled");
  await expect(python.getByRole("cell").nth(2)).toHaveText("1×");
  await expect(errorRow(page, "IllegalStateException").getByRole("cell").nth(1)).toHaveText(
    "fatal",
  );
  await expect(errorList(page).getByRole("row").nth(1)).toContainText("IllegalStateException");

  await postEvents(server.origin, pythonEvent());
  await expect(python.getByRole("cell").nth(2)).toHaveText("2×");
  await expect(errorList(page).getByRole("row").nth(1)).toContainText("CheckoutError");
  await expect(python.getByRole("cell").nth(3)).toHaveText(/^\d+\s(s|min)\sago$/);

  await page.getByRole("searchbox").fill("basket");
  await expect(errorList(page).getByRole("link")).toHaveCount(1);
  await page.getByRole("searchbox").fill("nowhere to be found");
  await expect(page.getByText("No open errors match the filter.")).toBeVisible();
});

test("errors at the top of the window occur again → the page does not scroll with their rows", async ({ page, server }) => {
  const eventOf = (group: number) => ({
    exception: {
      values: [{ type: `Error${"abcdefghijklmnopqrstuvwxyz"[group]}`, value: "empty" }],
    },
  });
  const groups = Array.from({ length: 26 }, (_, group) => group);
  await postEvents(server.origin, ...groups.map(eventOf));
  await page.goto("/#/errors");
  const rows = errorList(page).locator("tbody tr[data-index]");
  await expect(errorList(page)).toHaveAttribute("aria-rowcount", String(1 + groups.length));
  await page.evaluate(() => scrollTo(0, 500));
  const top = await page.evaluate(() => scrollY);
  expect(top).toBeGreaterThan(200);
  // The browser may keep any of them in its place. Row n has group 25 - n.
  const visible = await rows.evaluateAll((rows) =>
    rows.flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return bottom > 0 && top < 150 ? [25 - Number(row.getAttribute("data-index"))] : [];
    })
  );
  expect(visible.length).toBeGreaterThan(0);
  await postEvents(server.origin, ...visible.map(eventOf));
  await expect(errorList(page).locator(`[aria-rowindex="${visible.length + 1}"]`))
    .toContainText("2×");
  // Counts above the list may change its position by a pixel; a row has 29.
  expect(Math.abs(await page.evaluate(() => scrollY) - top)).toBeLessThan(5);
});

test("pointer moves over the list → its rows keep their places until it rests", async ({ page, server }) => {
  const eventOf = (type: string, secondsAgo = 0) => ({
    timestamp: Date.now() / 1000 - secondsAgo,
    exception: { values: [{ type, value: "empty" }] },
  });
  await postEvents(server.origin, eventOf("StockError", 2), eventOf("PriceError", 1));
  await page.goto("/#/errors");
  const rows = errorList(page).locator("tbody tr");
  await expect(rows).toContainText(["PriceError", "StockError"]);
  // In the page: on a slow machine the mouse would rest between two moves.
  const moving = await rows.nth(1).evaluateHandle((row) =>
    setInterval(() => row.dispatchEvent(new PointerEvent("pointermove", { bubbles: true })), 50)
  );
  await expect(rows).toHaveCount(2);
  await postEvents(server.origin, eventOf("StockError"));
  const envelopes = page.getByRole("link", { name: /^Envelopes/ });
  await expect(envelopes).toContainText("3");
  await expect(rows).toContainText(["PriceError", "StockError"]);
  await expect(rows.nth(1)).not.toContainText("2×");

  await moving.evaluate((timer) => clearInterval(timer));
  await expect(rows).toContainText(["StockError", "PriceError"]);
  await expect(rows.first()).toContainText("2×");
});

test("a new occurrence → does not replace the one shown; older and newer are linked", async ({ page, server }) => {
  const lowStock = (sku: number) => ({
    ...messageEvent(),
    logentry: { message: `Stock of ${sku} is low` },
  });
  await postEvents(server.origin, lowStock(1), lowStock(2));
  await page.goto("/#/errors");
  await openError(page, "Stock of 2 is low");
  const occurrences = page.getByRole("navigation", { name: "Occurrences" });
  await expect(occurrences).toContainText("1 of 2");
  await postEvents(server.origin, lowStock(3));
  await expect(occurrences).toContainText("2 of 3");
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
});

test("a right-to-left override in a message → does not affect other text", async ({ page, server }) => {
  await page.goto("/#/errors");
  await postEvents(server.origin, {
    exception: { values: [{ type: "\u202eepyt", value: "\u202eeulav" }] },
  });
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

test("keyboard only → list, error, folded frames, back to the same row", async ({ page, server }) => {
  await postEvents(server.origin, pythonEvent(), javaEvent(), nodeEvent(Date.now() - 1_000));
  await page.goto("/#/errors");
  await expect(errorList(page).getByRole("link")).toHaveCount(3);
  await errorList(page).getByRole("link").first().focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await expect(errorRow(page, "CheckoutError").getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(errorDetail(page)).toBeVisible();
  await expect(errorDetail(page).getByRole("heading", { level: 3 })).toBeFocused();

  const library = errorDetail(page).getByText("4 library frames");
  const inner = stackFrame(errorDetail(page), "handle_request");
  await expect(inner).toBeHidden();
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press("Tab");
    if (await library.evaluate((place) => place === document.activeElement)) break;
  }
  await page.keyboard.press("Enter");
  await expect(inner).toBeVisible();

  await page.keyboard.press("Escape");
  await expect(errorRow(page, "CheckoutError").getByRole("link")).toBeFocused();
});

test("empty, a list, each error → accessible, no overflow at 360 px", async ({ page, server }) => {
  await page.goto("/#/errors");
  await expect(page.getByText("No open errors.")).toBeVisible();
  await expectAccessibleLayout(page, "empty");
  await postEvents(server.origin, nodeEvent(), pythonEvent(), messageEvent());
  await expect(errorList(page).getByRole("link")).toHaveCount(3);
  await expectAccessibleLayout(page, "list");
  for (const text of ["All servers failed", "CheckoutError", "Stock of"]) {
    await openError(page, text);
    await expectAccessibleLayout(page, text);
    await page.keyboard.press("Escape");
  }
});
