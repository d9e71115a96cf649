/** The view of logs. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout, expectNoOverflow } from "../harness/browser/page_look.ts";
import { ATTACK, MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { LEVELS, make, openPage, shownTraceId } from "../harness/browser/signals.ts";
import { chooseFilter, openView } from "../harness/browser/views.ts";

const view = (page: Page) => page.getByRole("region", { name: "Logs", exact: true });
/** The lines, without column heads. */
const lines = (page: Page) =>
  view(page).getByRole("table", { name: "Logs, newest first" }).locator(
    "tbody tr:not(.unrendered)",
  );
const detail = (page: Page) => view(page).locator(".log-detail");

/** The lines with a text. */
const line = (page: Page, text: string) => lines(page).filter({ hasText: text });
/** The link of a line, which has the focus when one moves by keyboard. */
const link = (page: Page, text: string) => line(page, text).locator("a.row-link");

const message = (level: string) => `A log of level ${level}, made on the page`;

/** Posts a container of logs. */
async function post(origin: string, logs: readonly Record<string, unknown>[]): Promise<void> {
  const items = logs.map((log, index) => ({
    timestamp: Date.now() / 1000 + index / 1000,
    level: "info",
    body: "",
    trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    attributes: {},
    ...log,
  }));
  await postEnvelope(origin, {}, ["log", { items }]);
}

test("logs of every level → listed, and filtered by level and text", async ({ page }) => {
  await openPage(page);
  for (const level of LEVELS) await make(page, level);
  await openView(page, "Logs");
  for (const level of LEVELS) {
    const found = line(page, message(level));
    await expect(found).toHaveCount(1);
    await expect(found).toContainText(/\d\d:\d\d:\d\d\.\d{3}/);
    await expect(found.getByRole("cell", { name: level, exact: true })).toBeVisible();
  }

  await chooseFilter(view(page), "Level", "error");
  await expect(line(page, message("warn"))).toHaveCount(0);
  await expect(line(page, message("error"))).toHaveCount(1);
  await expect(line(page, message("fatal"))).toHaveCount(1);
  expect(page.url()).toContain("level=error");

  await chooseFilter(view(page), "Level", "");
  await view(page).getByRole("searchbox").fill("level debug");
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page)).toContainText(message("debug"));
  // The filters are in the address.
  await page.reload();
  await expect(lines(page)).toHaveCount(1);
});

test("log → links to its trace, to that trace's logs, and to logs with its attribute", async ({ page }) => {
  await openPage(page);
  const trace = await shownTraceId(page);
  await make(page, "info");
  await openView(page, "Logs");
  const own = line(page, message("info"));
  await own.locator("a.row-link").click();
  await expect(detail(page)).toContainText(message("info"));
  await expect(detail(page).getByTitle(/, by its sender’s clock/)).toBeVisible();
  const inErrors = (name: string) =>
    detail(page).locator(".entry", { has: page.getByText(name, { exact: true }) })
      .getByRole("link", { name: "In errors" });
  await expect(inErrors("made_by")).toHaveAttribute("href", /q=made_by%3A%22signals%22$/);
  await expect(inErrors("sentry.release")).toHaveAttribute("href", /q=release%3A/);
  await expect(inErrors("sentry.sdk.name")).toHaveCount(0);
  const log = page.url();
  // By its address it is shown whatever the list has.
  await page.goto(log.replace(/\?.*|$/, "?q=nothing"));
  await page.reload();
  await expect(detail(page)).toContainText(message("info"));
  await expect(lines(page)).toHaveCount(0);
  await detail(page).getByRole("link", { name: "Logs of this trace" }).click();
  await expect(view(page).getByRole("link", { name: trace.slice(0, 8), exact: true }).first())
    .toBeVisible();
  await expect(own).toHaveCount(1);
  // The server's log of its start belongs to another trace.
  await expect(line(page, "The server has started")).toHaveCount(0);
  await view(page).getByRole("button", { name: `Remove Trace: ${trace}` }).click();
  await expect(line(page, "The server has started")).toHaveCount(1);
  await own.getByRole("button", { name: "made_by=signals" }).click();
  await view(page).getByRole("link", { name: "Only this" }).click();
  await expect(line(page, "The server has started")).toHaveCount(0);
  await own.getByTitle(/^level: /).click();
  await expect(view(page).getByRole("link", { name: "At least this" })).toBeVisible();
  await page.keyboard.press("Escape");
  await own.getByRole("link", { name: /^Trace/ }).click();
  await expect(page).toHaveURL(
    new RegExp(`#/traces/${trace}(\\?q=made_by%3A%22signals%22(&span=[0-9a-f]{16})?)$`),
  );
});

test("1,000 logs, by keyboard → few are rendered, arrows move, Enter opens, older ones on request", async ({ page, server }) => {
  // The oldest is the server's own.
  await page.goto("/#/logs?application=all");
  for (let part = 0; part < 10; part++) {
    await post(
      server.origin,
      Array.from({ length: 100 }, (_, n) => ({ body: `number ${part * 100 + n}` })),
    );
  }
  await expect(line(page, "number 999")).toBeVisible();
  expect(await lines(page).count()).toBeLessThan(100);
  await expect(lines(page).locator('a.row-link[tabindex="0"]')).toHaveCount(1);
  await link(page, "number 999").focus();
  await page.keyboard.press("ArrowDown");
  await expect(link(page, "number 998")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(detail(page)).toContainText("number 998");
  await page.keyboard.press("j");
  await expect(detail(page)).toContainText("number 997");
  await page.keyboard.press("Escape");
  await expect(detail(page)).toHaveCount(0);
  await expect(link(page, "number 997")).toBeFocused();
  await page.keyboard.press("End");
  const older = view(page).getByRole("button", { name: "Older logs" });
  await expect(async () => {
    if (await older.isVisible()) await older.click();
    await view(page).locator(".rows").evaluate((rows) => rows.scrollTo({ top: rows.scrollHeight }));
    await expect(line(page, "The server has started")).toBeVisible({ timeout: 500 });
  }).toPass();
  expect(await lines(page).count()).toBeLessThan(100);
  await page.goto("/#/logs?as=patterns&q=number");
  await expect(view(page).locator(".note")).toHaveText("1 pattern of the newest 200 logs.");
  await expect(view(page).locator(".list-foot .end")).toHaveText("1 pattern");
  await expect(view(page).getByRole("button", { name: "Older logs" })).toBeVisible();
});

test("reader has scrolled down → new logs are counted and shown on request", async ({ page, server }) => {
  await page.goto("/#/logs");
  await post(server.origin, Array.from({ length: 100 }, (_, n) => ({ body: `number ${n}` })));
  await expect(line(page, "number 99")).toBeVisible();
  await view(page).locator(".rows").evaluate((element) => element.scrollTo({ top: 600 }));
  await expect(line(page, "number 75")).toBeVisible();
  const position = async () => (await line(page, "number 75").boundingBox())!.y;
  const before = await position();
  await post(server.origin, [{ body: "a new log" }]);
  const button = view(page).getByRole("button", { name: /^Show 1\snew log$/ });
  await expect(button).toBeVisible();
  // Scroll positions are rounded to pixels; a row has 29.
  await expect.poll(async () => Math.abs(await position() - before)).toBeLessThan(2);
  await expect(line(page, "a new log")).not.toBeInViewport();
  await button.click();
  await expect(link(page, "a new log")).toBeFocused();
  await expect(button).toHaveCount(0);
  // At the top, new logs are shown at once.
  await post(server.origin, [{ body: "newer still" }]);
  await expect(line(page, "newer still")).toBeVisible();
});

test("logs by their patterns → one row for messages that differ in values; it leads to them", async ({ page, server }) => {
  await page.goto("/#/logs");
  const orders = Array.from({ length: 12 }, (_, n) => ({ body: `Charged order ${n}` }));
  await post(server.origin, [...orders, { body: "Charged order late", level: "warn" }]);
  for (const release of ["web@1", "api@1", "worker@1", "mail@1"]) {
    const attributes = { "sentry.release": { value: release, type: "string" } };
    await post(server.origin, [{ body: "Charged order 12", attributes }]);
  }
  await view(page).getByRole("link", { name: "Patterns", exact: true }).click();
  const row = view(page).getByRole("row").filter({ hasText: "Charged order …" });
  await expect(row).toHaveCount(1);
  await expect(row).toContainText("info");
  await expect(row).toContainText(/16×/);
  const tiles = await row.locator(".tile:visible").all();
  expect(tiles).toHaveLength(3);
  const { x } = (await row.getByRole("link").boundingBox())!;
  for (const tile of tiles) {
    const box = (await tile.boundingBox())!;
    expect(box.x + box.width).toBeLessThanOrEqual(x);
  }
  await expectAccessibleLayout(page, "patterns of logs");
  await row.getByRole("link").click();
  await expect(page).toHaveURL(/q=%22Charged\+order%22\+-level%3Awarn/);
  await expect(line(page, "Charged order 3")).toBeVisible();
  await expect(view(page).locator(".list-foot .end")).toHaveText("16 logs");
});

test("hostile logs → shown as text, nothing is executed", async ({ page, server }) => {
  await page.goto("/#/logs");
  await post(server.origin, [
    { body: MARKUP, attributes: { [MARKUP]: { value: MARKUP, type: "string" } } },
    { body: "m".repeat(300_000), level: MARKUP },
    { body: { deep: [[[[[]]]]] }, timestamp: "yesterday", trace_id: 7, attributes: "none" },
    { body: "of another time", timestamp: 1e300 },
    { body: `\x1b[1;31mfailed\x1b[0m of colours \x1b]0;a title\x07\x1b[35m${MARKUP}\x1b[2J` },
    { body: "link", trace_id: `javascript:${ATTACK}`, span_id: "../../x" },
  ]);
  await expect(lines(page).filter({ hasText: `failed of colours ${MARKUP}` })).toHaveCount(1);
  const plain = line(page, MARKUP).filter({ hasNotText: "of colours" });
  await expect(plain).toHaveCount(1);
  await plain.click();
  await expect(detail(page).locator("dt").filter({ hasText: MARKUP })).toBeVisible();
  await expect(line(page, "mmmm")).toHaveCount(1);
  await expect(line(page, "of another time")).toHaveCount(1);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  for (const link of await view(page).getByRole("link").all()) {
    expect(await link.getAttribute("href")).toMatch(/^#\//);
  }
  await expectNoOverflow(page, 1280, 360);
});

test("long message → cut in its row, whole in its detail, or from there in its envelope", async ({ page, server }) => {
  const bodyOf = (words: number) => `${"word ".repeat(words)}end of ${words}`;
  await post(server.origin, [{ body: bodyOf(300) }, { body: bodyOf(600) }]);
  await page.setViewportSize({ width: 1024, height: 740 });
  await page.goto("/#/logs");
  await lines(page).last().locator("a.row-link").click();
  await expect(detail(page).locator("pre")).toHaveText(bodyOf(300));
  await page.goBack();
  await lines(page).first().locator("a.row-link").click();
  await expect(detail(page).locator("pre")).toHaveText(/ word…$/);
  await detail(page).getByRole("link", { name: "Open envelope" }).click();
  await expect(page.locator(".envelopes .payload").first()).toContainText("end of 600");
});
