/** The view of logs. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectNoOverflow } from "../harness/browser/page_look.ts";
import { ATTACK, MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { LEVELS, make, openPage, shownTraceId } from "../harness/browser/signals.ts";
import { chooseFilter, openView } from "../harness/browser/views.ts";

const view = (page: Page) => page.getByRole("region", { name: "Logs", exact: true });
const tree = (page: Page) => page.getByRole("treegrid", { name: "Logs, newest first" });
/** The lines, without column heads and details. */
const lines = (page: Page) => tree(page).locator('[role="row"][aria-level="1"]');

/** The lines with a text. */
const line = (page: Page, text: string) => lines(page).filter({ hasText: text });

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
    await expect(found.getByRole("gridcell", { name: level, exact: true })).toBeVisible();
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

test("log → links to its trace, and to the logs of that trace only", async ({ page }) => {
  await openPage(page);
  const trace = await shownTraceId(page);
  await make(page, "info");
  await openView(page, "Logs");
  const own = line(page, message("info"));
  await own.click();
  await tree(page).getByRole("link", { name: "Logs of this trace" }).click();
  await expect(view(page)).toContainText(`Only logs of trace ${trace.slice(0, 8)}`);
  await expect(own).toHaveCount(1);
  // The server's log of its start belongs to another trace.
  await expect(line(page, "The server has started")).toHaveCount(0);
  await view(page).getByRole("link", { name: "Show logs of all traces" }).click();
  await expect(line(page, "The server has started")).toHaveCount(1);
  await own.getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`#/traces/${trace}(\\?span=[0-9a-f]{16})?$`));
});

test("1,000 logs, by keyboard → few are rendered, arrows move, Enter expands, End loads the oldest", async ({ page, server }) => {
  // The oldest is the server's own.
  await page.goto("/#/logs?source=all");
  for (let part = 0; part < 10; part++) {
    await post(
      server.origin,
      Array.from({ length: 100 }, (_, n) => ({ body: `number ${part * 100 + n}` })),
    );
  }
  await expect(line(page, "number 999")).toBeVisible();
  expect(await lines(page).count()).toBeLessThan(100);
  await expect(tree(page).locator('[role="row"][tabindex="0"]')).toHaveCount(1);
  await line(page, "number 999").focus();
  await page.keyboard.press("ArrowDown");
  await expect(line(page, "number 998")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(line(page, "number 998")).toHaveAttribute("aria-expanded", "true");
  await expect(tree(page).getByRole("link", { name: "Open envelope" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(line(page, "number 998")).toHaveAttribute("aria-expanded", "false");
  await expect(line(page, "number 998")).toBeFocused();
  await expect(async () => {
    await page.keyboard.press("End");
    await expect(line(page, "The server has started")).toBeFocused({ timeout: 500 });
  }).toPass();
  expect(await lines(page).count()).toBeLessThan(100);
});

test("reader has scrolled down → new logs are counted and shown on request", async ({ page, server }) => {
  await page.goto("/#/logs");
  await post(server.origin, Array.from({ length: 100 }, (_, n) => ({ body: `number ${n}` })));
  await expect(line(page, "number 99")).toBeVisible();
  await tree(page).evaluate((element) => element.scrollTo({ top: 600 }));
  await expect(line(page, "number 75")).toBeVisible();
  const position = async () => (await line(page, "number 75").boundingBox())!.y;
  const before = await position();
  await post(server.origin, [{ body: "a new log" }]);
  const button = view(page).getByRole("button", { name: /^Show 1\snew log$/ });
  await expect(button).toBeVisible();
  // Scroll positions are rounded to pixels; a row has 29.
  await expect.poll(async () => Math.abs(await position() - before)).toBeLessThan(2);
  await expect(line(page, "a new log")).toHaveCount(0);
  await button.click();
  await expect(line(page, "a new log")).toBeFocused();
  await expect(button).toHaveCount(0);
  // At the top, new logs are shown at once.
  await post(server.origin, [{ body: "newer still" }]);
  await expect(line(page, "newer still")).toBeVisible();
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
  // Escape sequences of terminals are colours, or nothing.
  const coloured = lines(page).filter({ hasText: `failed of colours ${MARKUP}` });
  await expect(coloured.locator(".sgr-red")).toHaveText("failed");
  const plain = line(page, MARKUP).filter({ hasNotText: "of colours" });
  await expect(plain).toHaveCount(1);
  await plain.click();
  await expect(tree(page).locator("dt").filter({ hasText: MARKUP })).toBeVisible();
  await expect(line(page, "mmmm")).toHaveCount(1);
  await expect(line(page, "of another time")).toHaveCount(1);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  for (const link of await tree(page).getByRole("link").all()) {
    expect(await link.getAttribute("href")).toMatch(/^#\//);
  }
  await expectNoOverflow(page, 1280, 360);
});
