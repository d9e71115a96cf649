/** The errors view, with errors of the page itself and of other SDKs. */
import type { Locator, Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { expectGoodLook } from "./page_look.ts";
import { MARKUP, postEnvelope } from "./posted_envelopes.ts";
import {
  hostileEvent,
  javaEvent,
  messageEvent,
  nodeEvent,
  postEvents,
  pythonEvent,
} from "./posted_errors.ts";
import { ERRORS, make, openPage, shownTraceId } from "./signals.ts";
import { openView } from "./views.ts";

const list = (page: Page) => page.getByRole("table", { name: "Errors, last seen first" });
/** A group's row, by its text. */
const row = (page: Page, text: string) => list(page).getByRole("row").filter({ hasText: text });
const detail = (page: Page) => page.getByRole("article");
const open = async (page: Page, text: string) => {
  await row(page, text).getByRole("link").click();
  await expect(detail(page)).toBeVisible();
};
/** A frame of a stack trace, by its text. */
const frame = (within: Locator, text: string | RegExp) =>
  within.locator("summary, .frame-line").filter({ hasText: text }).first();

/** Number and text of the source line that contains `text`. */
function lineWith(path: string, text: string): { number: number; line: string } {
  const lines = Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url)).split("\n");
  const index = lines.findIndex((line) => line.includes(text));
  expect(index, `${text} in ${path}`).toBeGreaterThan(-1);
  return { number: index + 1, line: lines[index]! };
}

/** Expects the detail to show this source line, marked, in the frame that is open at first. */
async function expectSourceLine(page: Page, path: string, text: string): Promise<void> {
  const { number, line } = lineWith(path, text);
  await expect(detail(page)).toContainText(new RegExp(`${path}:${number}(:\\d+)? in app`));
  const marked = detail(page).getByRole("group", { name: "Source" }).first().locator("mark");
  await expect(marked).toHaveText(line.trim());
  await expect(marked).toHaveAttribute("data-line", String(number));
}

test("errors of an island → file, line, function and source text of the TypeScript", async ({ page, watch }) => {
  watch.allow(...Object.values(ERRORS));
  await openPage(page);
  const thrown = [
    {
      control: "Handled error",
      text: ERRORS.handled,
      in: "islands/overview/signal_actions.ts",
      by: "handleError",
    },
    {
      control: "Uncaught error",
      text: ERRORS.uncaught,
      in: "islands/overview/signal_actions.ts",
      by: "(anonymous)",
    },
    {
      control: "Component error",
      text: ERRORS.component,
      in: "islands/overview/Signals.tsx",
      by: "ExampleComponent",
    },
  ];
  for (const { control } of thrown) await make(page, control);
  for (const { text, in: path, by } of thrown) {
    await openView(page, "Errors");
    await open(page, text);
    await expectSourceLine(page, path, `new Error("${text}`);
    await expect(frame(detail(page), path)).toContainText(by);
  }
  // React's frames are folded at first.
  const folded = detail(page).getByText(/^\d+\slibrary frames$/).first();
  const react = frame(detail(page), /node_modules\/react-dom\/.*:\d+:\d+ library/);
  await expect(react).toBeHidden();
  await folded.click();
  await expect(react).toBeVisible();
});

test("an error of a built script → the list shows its location in the sources", async ({ page, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  const { number } = lineWith("islands/overview/signal_actions.ts", `new Error("${ERRORS.handled}`);
  await expect(row(page, ERRORS.handled)).toContainText(
    `handleError (islands/overview/signal_actions.ts:${number}`,
  );
});

test("links to an error without its group → the address with the group", async ({ page, server, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  await open(page, ERRORS.handled);
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
  expect(page.url()).toMatch(new RegExp(`^${address}/\\d+$`));

  const event = await (await fetch(new URL("/monitoring/inbox?view=occurrences", address))).json();
  // Newer errors that mention the id fill the first page of the search.
  const mention = { exception: { values: [{ type: "E", value: event.rows[0].event_id }] } };
  await postEnvelope(server.origin, {}, ...Array(201).fill(["event", mention]));
  await page.goto(`/#/errors/${event.rows[0].event_id}`);
  await expect(detail(page)).toContainText(ERRORS.handled);
  expect(page.url()).toMatch(new RegExp(`^${address}/\\d+$`));
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
  await expect(list(page).getByRole("row")).toHaveCount(1 + types.length);
});

test("an error of the server → file, line and source text", async ({ page, server }) => {
  await (await fetch(`${server.origin}/signal?throw=true`)).body?.cancel();
  await page.goto("/#/errors");
  const path = "routes/signal.ts";
  const { number, line } = lineWith(path, "throw new Error(");
  await list(page).getByRole("link").first().click();
  await expect(frame(detail(page), `${path}:${number}`)).toBeVisible();
  await expect(detail(page).locator("mark").first()).toHaveText(line.trim());
});

test("an error that occurs again → one row, its count rises, and it moves to the top", async ({ page, server }) => {
  await page.goto("/#/errors");
  await expect(page.getByText("No open errors.")).toBeVisible();
  await postEvents(server.origin, pythonEvent(), javaEvent());
  const python = row(page, "CheckoutError");
  await expect(python).toContainText("no price for sku-991");
  await expect(python).toContainText("checkout (shop/views.py)");
  await expect(python.getByRole("cell").nth(1)).toHaveText("unhandled");
  await expect(python.getByRole("cell").nth(2)).toHaveText("1×");
  await expect(row(page, "IllegalStateException").getByRole("cell").nth(1)).toHaveText("fatal");
  await expect(list(page).getByRole("row").nth(1)).toContainText("IllegalStateException");

  await postEvents(server.origin, pythonEvent());
  await expect(python.getByRole("cell").nth(2)).toHaveText("2×");
  await expect(list(page).getByRole("row").nth(1)).toContainText("CheckoutError");
  await expect(python.getByRole("cell").nth(3)).toHaveText(/^\d+\s(s|min)\sago$/);

  await page.getByRole("searchbox").fill("basket");
  await expect(list(page).getByRole("link")).toHaveCount(1);
  await page.getByRole("searchbox").fill("nowhere to be found");
  await expect(page.getByText("No open errors match the filter.")).toBeVisible();
});

test("events of other SDKs → variables and context (Python), packages (Java), a message", async ({ page, server }) => {
  await postEvents(server.origin, pythonEvent(), javaEvent(), messageEvent());
  await page.goto("/#/errors");
  await open(page, "CheckoutError");
  const python = detail(page);
  await expect(python.getByRole("heading", { level: 3 })).toHaveText(
    "shop.errors.CheckoutError: no price for sku-991",
  );
  await expect(python).toContainText("shop/views.py:42 in app");
  await expect(python.locator("mark").first()).toHaveText(
    'raise CheckoutError(f"no price for {sku}")',
  );
  await expect(python.getByRole("definition").filter({ hasText: "'sku-991'" })).toBeVisible();
  await expect(python.getByText("4 library frames")).toBeVisible();
  await expect(python.getByRole("heading", { level: 4, name: "While handling: KeyError" }))
    .toBeVisible();
  await python.getByText("modules", { exact: true }).click();
  await expect(python.getByRole("definition").filter({ hasText: "5.1" })).toBeVisible();

  await page.keyboard.press("Escape");
  await open(page, "IllegalStateException");
  await expect(detail(page).getByRole("heading", { level: 3 }))
    .toHaveText(/^java\.lang\.IllegalStateException: ./);
  await expect(detail(page)).toContainText("checkout Cart.java:88 in app");
  await expect(detail(page)).toContainText("The event contains no source lines.");

  await page.keyboard.press("Escape");
  await open(page, "Stock of sku-991 is low");
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText(
    /^Message: Stock of sku-991 is low/,
  );
  await expect(detail(page)).toContainText("warning");
});

test("an AggregateError → members and causes, breadcrumbs, what failed before in its trace", async ({ page, server }) => {
  const contexts = { trace: { trace_id: "c0ffee".padEnd(32, "0") } };
  const event = { ...nodeEvent(), contexts };
  const time = Date.parse(event.timestamp) / 1000;
  const cause = {
    contexts,
    timestamp: time - 0.012,
    exception: { values: [{ type: "DnsError", value: "no such host" }] },
  };
  await postEvents(server.origin, event, cause, { ...cause, timestamp: time + 1 });
  await page.goto("/#/errors");
  await open(page, "All servers failed");
  await expect(detail(page).locator("h4").filter({ hasText: ":" })).toHaveText([
    "errors[0] of AggregateError: MailError",
    "errors[1] of AggregateError: MailError",
    "Caused by: Error",
  ]);
  const before = detail(page).getByRole("region", { name: "In the same trace" });
  await expect(before.getByRole("listitem")).toHaveCount(1);
  await expect(before).toContainText(/12\sms before\s+DnsError no such host/);
  expect(await before.getByRole("link").getAttribute("href")).toMatch(/^#\/errors\/[\da-f]+\/\d+$/);
  const crumbs = detail(page).getByRole("region", { name: "Breadcrumbs" }).getByRole("listitem");
  await expect(crumbs).toContainText([
    /3\.0\d\ss before.*console.*Sending a mail/,
    /1\.0\d\ss before http 421/,
    "AggregateError: All servers failed",
  ]);
  await expect(detail(page).getByRole("region", { name: "Tags" })).toContainText("mail");
});

test("an error → links to trace and recording, copied text, downloaded envelope", async ({ page, context, watch }) => {
  watch.allow(ERRORS.handled);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page);
  const trace = await shownTraceId(page);
  await make(page, "Handled error");
  await openView(page, "Errors");
  await open(page, ERRORS.handled);
  await expectSourceLine(
    page,
    "islands/overview/signal_actions.ts",
    `new Error("${ERRORS.handled}`,
  );
  const aside = detail(page).getByRole("complementary");
  await expect(aside.getByRole("link", { name: "Open trace" }))
    .toHaveAttribute("href", new RegExp(`^#/traces/${trace}(\\?span=[\\da-f]{16})?$`));
  await expect(aside.getByRole("definition").locator('a[href^="#/recordings/"]')).toBeVisible();

  await page.getByRole("button", { name: "Copy", exact: true }).click();
  const menu = page.getByRole("group", { name: "Copy the error" });
  await menu.getByRole("button", { name: "Copy as text" }).click();
  await expect(menu.getByText("copied", { exact: true })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain(
    `Error: ${ERRORS.handled}\n    at handleError (islands/overview/signal_actions.ts:`,
  );
  expect(text).toContain(`trace: ${trace}`);

  await menu.getByRole("button", { name: "Copy for an assistant" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^Everything between the fences .* untrusted[^]*> \d+ .*new Error[^]*## Trace\n/);

  const download = page.waitForEvent("download");
  await menu.getByRole("button", { name: "Download envelope" }).click();
  const saved = await Deno.readTextFile(await (await download).path());
  expect(saved).toContain(ERRORS.handled);
});

test("a new occurrence → does not replace the one shown; older and newer are linked", async ({ page, server }) => {
  const at = (sku: number) => ({
    ...messageEvent(),
    logentry: { message: `Stock of ${sku} is low` },
  });
  await postEvents(server.origin, at(1), at(2));
  await page.goto("/#/errors");
  await open(page, "Stock of 2 is low");
  const place = page.getByRole("navigation", { name: "Occurrences" });
  await expect(place).toContainText("1 of 2");
  await postEvents(server.origin, at(3));
  await expect(place).toContainText("2 of 3");
  await expect(detail(page)).toContainText("Stock of 2 is low");
  await place.getByRole("link", { name: "Older" }).click();
  await expect(detail(page)).toContainText("Stock of 1 is low");
  await expect(place).toContainText("3 of 3");
  await expect(place.getByRole("link", { name: "Older" })).toHaveCount(0);
  // The address names the occurrence.
  await page.reload();
  await expect(detail(page)).toContainText("Stock of 1 is low");
  await place.getByRole("link", { name: "Newer" }).click();
  await place.getByRole("link", { name: "Newer" }).click();
  await expect(detail(page)).toContainText("Stock of 3 is low");
});

test("hostile events → shown as text, bounded, nothing runs", async ({ page, server }) => {
  await postEvents(
    server.origin,
    hostileEvent(),
    new TextEncoder().encode("[]"),
    new TextEncoder().encode('{"exception":{"values":"none"},"message":{"formatted":[]}}'),
  );
  await page.goto("/#/errors");
  await open(page, "Hostile");
  await expect(detail(page)).toContainText(MARKUP);
  await detail(page).getByRole("button", { name: /^Show all \(9\d\d KiB\)/ }).click();
  await expect(detail(page).getByRole("button", { name: "Show less" })).toBeVisible();
  await detail(page).evaluate((article) => {
    for (const details of article.querySelectorAll("details")) details.open = true;
  });
  expect(await detail(page).locator("img, script, iframe, object, svg, style").count()).toBe(0);
  for (const link of await page.locator(".errors a").all()) {
    expect(await link.getAttribute("href")).toMatch(/^#\//);
  }
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(15_000);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);

  await page.keyboard.press("Escape");
  // The two empty events are one group.
  await expect(list(page).getByRole("link")).toHaveCount(2);
  for (const nth of [0, 1]) {
    await list(page).getByRole("link").nth(nth).click();
    await expect(detail(page)).toBeVisible();
    await page.keyboard.press("Escape");
  }
});

test("a right-to-left override in a message → does not affect other text", async ({ page, server }) => {
  await page.goto("/#/errors");
  await postEvents(server.origin, {
    exception: { values: [{ type: "\u202eepyt", value: "\u202eeulav" }] },
  });
  await expect(row(page, "epyt")).toBeVisible();
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

test("an event that is not JSON → an error message and a download link", async ({ page, server }) => {
  await postEvents(server.origin, messageEvent(), new TextEncoder().encode("no JSON"));
  await page.goto("/#/errors");
  const href = await list(page).getByRole("link").first().getAttribute("href");
  const { envelopes } = await (await fetch(`${server.origin}/monitoring/inbox?type=event`)).json();
  await page.goto(`/${href}/${envelopes.at(-1).id}`);
  await expect(page.getByRole("alert")).toContainText("not valid JSON");
  await expect(page.getByRole("link", { name: "Download the envelope" }))
    .toHaveAttribute("href", `/monitoring/inbox?id=${envelopes.at(-1).id}`);
});

test("keyboard only → list, error, folded frames, back to the same row", async ({ page, server }) => {
  await postEvents(server.origin, pythonEvent(), javaEvent(), nodeEvent(Date.now() - 1_000));
  await page.goto("/#/errors");
  await expect(list(page).getByRole("link")).toHaveCount(3);
  await list(page).getByRole("link").first().focus();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await expect(row(page, "CheckoutError").getByRole("link")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(detail(page)).toBeVisible();
  await expect(detail(page).getByRole("heading", { level: 3 })).toBeFocused();

  const library = detail(page).getByText("4 library frames");
  const inner = frame(detail(page), "handle_request");
  await expect(inner).toBeHidden();
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press("Tab");
    if (await library.evaluate((place) => place === document.activeElement)) break;
  }
  await page.keyboard.press("Enter");
  await expect(inner).toBeVisible();

  await page.keyboard.press("Escape");
  await expect(row(page, "CheckoutError").getByRole("link")).toBeFocused();
});

test.describe("in relay mode", () => {
  test.use({ mode: "relay" });

  test("an error of this visit → shown without source, with the reason", async ({ page, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    await make(page, "Handled error");
    await openView(page, "Errors");
    await open(page, ERRORS.handled);
    await expect(detail(page)).toContainText("in relay mode the server provides no source maps");
    await expect(frame(detail(page), /\/assets\/\w+\.js:\d+:\d+/)).toBeVisible();
  });
});

test("empty, a list, each error → accessible, no overflow at 360 px", async ({ page, server }) => {
  await page.goto("/#/errors");
  await expect(page.getByText("No open errors.")).toBeVisible();
  await expectGoodLook(page, "empty");
  await postEvents(server.origin, nodeEvent(), pythonEvent(), messageEvent());
  await expect(list(page).getByRole("link")).toHaveCount(3);
  await expectGoodLook(page, "list");
  for (const text of ["All servers failed", "CheckoutError", "Stock of"]) {
    await open(page, text);
    await expectGoodLook(page, text);
    await page.keyboard.press("Escape");
  }
});
