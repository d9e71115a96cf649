/** Rows of the lists: text can be selected and has tooltips, and a click still opens the row. */
import type { Locator, Page } from "@playwright/test";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { postEnvelope, postEvents, postSpans, spanId } from "../harness/browser/posted.ts";
import { setHidden } from "../harness/browser/signals.ts";

const TRACE = hexId(0xace);
const REPLAY = hexId(0x4e9);
const DAY_S = 86_400;

/** The row that contains a text. */
const row = (page: Page, text: string) => page.locator("tbody tr").filter({ hasText: text });

/** Selects the first text node of an element with the mouse. Repeated if a new row moves it meanwhile. */
async function expectSelectable(page: Page, element: Locator, text: string): Promise<void> {
  await expect(async () => expect(await selectText(page, element)).toBe(text)).toPass();
}

async function selectText(page: Page, element: Locator): Promise<string> {
  const box = await element.evaluate((element) => {
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const range = document.createRange();
    range.selectNodeContents(texts.find((node) => node.nodeValue?.trim())!);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    return { left, right, y: (top + bottom) / 2 };
  });
  await page.mouse.move(box.left + 1, box.y);
  await page.mouse.down();
  await page.mouse.move(box.right - 1, box.y, { steps: 4 });
  await page.mouse.up();
  return await page.evaluate(() => String(getSelection()));
}

/** Checks that the pointer in the middle of an element shows its tooltip: no other element covers it. */
async function expectTooltip(element: Locator, title: string): Promise<void> {
  expect(
    await element.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      return hit?.closest<HTMLElement>("[title]")?.title;
    }),
  ).toBe(title);
}

test("id in a row of envelopes → can be selected; a click opens the row", async ({ page, server }) => {
  await postEnvelope(server.origin, { trace: { trace_id: TRACE, replay_id: REPLAY } }, [
    "session",
    {},
  ]);
  await page.goto("/#/envelopes");
  const own = row(page, "session");
  const id = own.locator("td.recording code");
  await expectTooltip(id, REPLAY);
  await expectTooltip(
    own.locator("time"),
    await own.locator("time").getAttribute("title") ?? "",
  );
  await expectSelectable(page, id, REPLAY.slice(0, 8));
  await expect(page).toHaveURL(/#\/envelopes$/);
  await id.click();
  await expect(page).toHaveURL(/#\/envelopes\/\d+$/);
  await page.goBack();
  await own.locator("td.size").click();
  await expect(page).toHaveURL(/#\/envelopes\/\d+$/);
  await page.goBack();
  await own.getByRole("link", { name: /^Trace/ }).click();
  await expect(page).toHaveURL(new RegExp(`#/traces/${TRACE}$`));
});

test("message in a row of errors → can be selected; a click opens the error", async ({ page, server }) => {
  await postEvents(server.origin, { exception: { values: [{ type: "Oops", value: "no flour" }] } });
  await page.goto("/#/errors");
  await expect(row(page, "Oops").getByRole("link")).toHaveAccessibleName("Oops no flour");
  const message = row(page, "Oops").locator("td.what > span");
  await expectSelectable(page, message, "no flour");
  await expect(page).toHaveURL(/#\/errors$/);
  await message.click();
  await expect(page).toHaveURL(/#\/errors\/[\da-f]{14}$/);
});

test("Ctrl and click on a row → opens in a new tab", async ({ page, context, server }) => {
  await postEvents(server.origin, { exception: { values: [{ type: "Oops", value: "no flour" }] } });
  await page.goto("/#/errors");
  const opened = context.waitForEvent("page");
  await row(page, "Oops").locator("td.last").click({ modifiers: ["ControlOrMeta"] });
  await expect(await opened).toHaveURL(/#\/errors\/[\da-f]{14}$/);
  await expect(page).toHaveURL(/#\/errors$/);
});

test("rows of a list → one tab stop; arrow keys move from row to row", async ({ page, server }) => {
  for (const n of [1, 2, 3]) {
    await postSpans(server.origin, [{ trace_id: hexId(n), span_id: spanId(n), name: `walk ${n}` }]);
    await postEvents(server.origin, { exception: { values: [{ type: `E${"abc"[n - 1]}` }] } });
  }
  for (const view of ["traces", "errors", "envelopes"]) {
    await page.goto(`/#/${view}`);
    const links = page.locator("tbody a.row-link:visible");
    await expect.poll(() => links.count()).toBeGreaterThan(2);
    await expect(page.locator('tbody a.row-link[tabindex="0"]:visible')).toHaveCount(1);
    // Again if a new row arrives in between.
    const reach = (keys: readonly string[], target: Locator) =>
      expect(async () => {
        for (const key of keys) await page.keyboard.press(key);
        await expect(target).toBeFocused({ timeout: 1_000 });
      }).toPass();
    await links.first().focus();
    await reach(["Home", "ArrowDown"], links.nth(1));
    await expect(page.locator("a.row-link:focus")).toHaveAttribute("tabindex", "0");
    await reach(["End"], links.last());
    await reach(["End", "ArrowDown"], links.last());
    await reach(["Home"], links.first());
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(new RegExp(`#/${view}/.`));
  }
});

/** The notation of a date and of an exact time. */
const DATE = "\\d{1,2}\\s[A-Z][a-z]{2}( \\d{4})?";
const EXACT = new RegExp(`^${DATE} \\d\\d:\\d\\d:\\d\\d\\.120$`);

test("times in lists → how long ago; the exact time on hover and focus", async ({ page, server }) => {
  const at = Math.floor(Date.now() / 1000) - 2 * DAY_S + 0.12;
  const iso = new Date(at * 1000).toISOString();
  await postEvents(server.origin, { timestamp: at, exception: { values: [{ type: "Oops" }] } });
  await postSpans(server.origin, [{
    trace_id: TRACE,
    span_id: spanId(1),
    name: "an old walk",
    start_timestamp: at,
    end_timestamp: at + 1,
  }]);
  await postEnvelope(server.origin, {}, ["log", {
    items: [{ timestamp: at, level: "info", body: "an old log" }],
  }]);
  for (
    const [view, text, shown] of [
      ["errors", "Oops", /^2\sd\sago$/],
      ["traces", "an old walk", /^2\sd\sago$/],
      // The order of logs matters to the millisecond.
      ["logs", "an old log", EXACT],
    ] as const
  ) {
    await page.goto(`/#/${view}`);
    const line = page.getByRole("row").filter({ hasText: text });
    const time = line.locator("time").first();
    await expect(time).toHaveText(shown);
    await expect(time).toHaveAttribute("datetime", iso);
    await expect(time).toHaveAttribute("title", EXACT);
    if (view === "logs") continue;
    await line.locator("a.row-link").focus();
    await page.keyboard.press("Shift");
    expect(await time.evaluate((time) => getComputedStyle(time, "::after").content))
      .toContain(await time.getAttribute("title"));
  }
});

test("time passes → times in lists follow; not while the page is hidden", async ({ page, server }) => {
  await postEvents(server.origin, { exception: { values: [{ type: "Oops" }] } });
  await page.clock.install();
  await page.goto("/#/errors");
  const time = row(page, "Oops").locator("td.last time");
  await expect(time).toHaveText(/^\d+\ss\sago$/);
  const text = (await time.textContent())!;
  await page.clock.runFor(2_000);
  await expect(time).not.toHaveText(text);
  await page.clock.fastForward(5 * 60_000);
  await expect(time).toHaveText(/^5\smin\sago$/);
  await setHidden(page, true);
  await page.clock.fastForward(60 * 60_000);
  await expect(time).toHaveText(/^5\smin\sago$/);
  await setHidden(page, false);
  await expect(time).toHaveText(/^1\sh\sago$/);
});
