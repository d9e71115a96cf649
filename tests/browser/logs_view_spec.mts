/** The view of logs. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectNoOverflow } from "../harness/browser/page_look.ts";
import { ATTACK, MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { LEVELS, make, openPage, shownTraceId } from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

const view = (page: Page) => page.getByRole("region", { name: "Logs", exact: true });
const tree = (page: Page) => page.getByRole("treegrid", { name: "Logs, newest first" });
/** The lines, without column heads and details. */
const lines = (page: Page) => tree(page).locator('[role="row"][aria-level="1"]');

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

for (const mode of ["inbox", "relay"] as const) {
  test.describe(mode, () => {
    test.use({ mode });

    test("logs of every level → listed, and filtered by level and text", async ({ page }) => {
      await openPage(page);
      for (const level of LEVELS) await make(page, level);
      await openView(page, "Logs");
      for (const level of LEVELS) {
        const line = lines(page).filter({ hasText: message(level) });
        await expect(line).toHaveCount(1);
        await expect(line.getByRole("gridcell", { name: level, exact: true })).toBeVisible();
        await expect(line.getByRole("gridcell").first()).toHaveText(/^\d\d:\d\d:\d\d\.\d{3}$/);
        await expect(line).toContainText("made_by=signals");
      }

      await view(page).getByRole("combobox", { name: "Level" }).selectOption("error");
      await expect(lines(page).filter({ hasText: message("warn") })).toHaveCount(0);
      await expect(lines(page).filter({ hasText: message("error") })).toHaveCount(1);
      await expect(lines(page).filter({ hasText: message("fatal") })).toHaveCount(1);
      expect(page.url()).toContain("level=error");

      await view(page).getByRole("combobox", { name: "Level" }).selectOption("");
      await view(page).getByRole("searchbox").fill("level debug");
      await expect(lines(page)).toHaveCount(1);
      await expect(lines(page)).toContainText(message("debug"));
      if (mode === "relay") return;
      // The filters are in the address.
      await page.reload();
      await expect(lines(page)).toHaveCount(1);
    });
  });
}

test("log → links to its trace, and to the logs of that trace only", async ({ page }) => {
  await openPage(page);
  const trace = await shownTraceId(page);
  await make(page, "info");
  await openView(page, "Logs");
  const line = lines(page).filter({ hasText: message("info") });
  await line.click();
  await expect(line).toHaveAttribute("aria-expanded", "true");
  await expect(tree(page)).toContainText("made_by");
  await tree(page).getByRole("link", { name: "Logs of this trace" }).click();
  await expect(view(page)).toContainText(`Only logs of trace ${trace.slice(0, 8)}`);
  await expect(lines(page).filter({ hasText: message("info") })).toHaveCount(1);
  // The server's log of its start belongs to another trace.
  await expect(lines(page).filter({ hasText: "The server has started" })).toHaveCount(0);
  await view(page).getByRole("link", { name: "Show logs of all traces" }).click();
  await expect(lines(page).filter({ hasText: "The server has started" })).toHaveCount(1);

  await lines(page).filter({ hasText: message("info") }).getByRole("link").click();
  await expect(page).toHaveURL(new RegExp(`#/traces/${trace}(\\?span=[0-9a-f]{16})?$`));
});

test("keyboard only → one tab stop, arrows move, Enter expands, Escape collapses", async ({ page }) => {
  await openPage(page);
  for (const level of LEVELS) await make(page, level);
  await openView(page, "Logs");
  // Lines that arrive later would move the focused one.
  for (const level of LEVELS) {
    await expect(lines(page).filter({ hasText: message(level) })).toHaveCount(1);
  }
  await view(page).getByRole("combobox", { name: "Level" }).focus();
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.getAttribute("role")) === "row") break;
  }
  await expect(lines(page).first()).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(lines(page).nth(1)).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(lines(page).nth(1)).toHaveAttribute("aria-expanded", "true");
  await expect(tree(page).getByRole("link", { name: "Open envelope" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(lines(page).nth(1)).toHaveAttribute("aria-expanded", "false");
  await expect(lines(page).nth(1)).toBeFocused();
  await page.keyboard.press("Home");
  await expect(lines(page).first()).toBeFocused();
});

test("1,000 logs → few are rendered, older ones load, End focuses the last", async ({ page, server }) => {
  // The last one is the server's own.
  await page.goto("/#/logs?source=all");
  for (let part = 0; part < 10; part++) {
    await post(
      server.origin,
      Array.from({ length: 100 }, (_, n) => ({ body: `number ${part * 100 + n}` })),
    );
  }
  await expect(lines(page).filter({ hasText: "number 999" })).toBeVisible();
  expect(await lines(page).count()).toBeLessThan(100);
  await lines(page).first().focus();
  await expect(async () => {
    await page.keyboard.press("End");
    // The oldest log.
    await expect(lines(page).filter({ hasText: "The server has started" }))
      .toBeFocused({ timeout: 500 });
  }).toPass();
  expect(await lines(page).count()).toBeLessThan(100);
});

test("reader has scrolled down → new logs are counted and shown on request", async ({ page, server }) => {
  await page.goto("/#/logs");
  await post(server.origin, Array.from({ length: 100 }, (_, n) => ({ body: `number ${n}` })));
  await expect(lines(page).filter({ hasText: "number 99" })).toBeVisible();
  const frame = tree(page);
  const cut = () =>
    frame.evaluate((frame) => {
      const rowPx = frame.querySelector<HTMLElement>(".log")!.offsetHeight;
      const headsPx = frame.querySelector<HTMLElement>(".heads")!.offsetHeight;
      return (frame.clientHeight - headsPx) % rowPx;
    });
  await expect.poll(cut, "pixels of a row at the lower edge").toBe(0);
  await frame.evaluate((element) => element.scrollTo({ top: 600 }));
  await expect(lines(page).filter({ hasText: "number 75" })).toBeVisible();
  const position = async () =>
    (await lines(page).filter({ hasText: "number 75" }).boundingBox())!.y;
  const before = await position();
  await post(server.origin, [{ body: "a new log" }]);
  const button = view(page).getByRole("button", { name: /^Show 1\snew log$/ });
  await expect(button).toBeVisible();
  // Scroll positions are rounded to pixels; a row has 29.
  await expect.poll(async () => Math.abs(await position() - before)).toBeLessThan(2);
  await expect(lines(page).filter({ hasText: "a new log" })).toHaveCount(0);
  await button.click();
  await expect(lines(page).filter({ hasText: "a new log" })).toBeFocused();
  await expect(button).toHaveCount(0);
  // At the top, new logs are shown at once.
  await post(server.origin, [{ body: "newer still" }]);
  await expect(lines(page).filter({ hasText: "newer still" })).toBeVisible();
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
  await expect(coloured.locator(".sgr-red")).toHaveCSS("font-weight", "600");
  const line = lines(page).filter({ hasText: MARKUP }).filter({ hasNotText: "of colours" });
  await expect(line).toHaveCount(1);
  await line.click();
  await expect(tree(page).locator("dt").filter({ hasText: MARKUP })).toBeVisible();
  await expect(lines(page).filter({ hasText: "mmmm" })).toHaveCount(1);
  await expect(lines(page).filter({ hasText: "of another time" })).toHaveCount(1);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  for (const link of await tree(page).getByRole("link").all()) {
    expect(await link.getAttribute("href")).toMatch(/^#\//);
  }
  await expectNoOverflow(page, 1280, 360);
});
