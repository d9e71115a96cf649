/** Keyboard focus: skip link, tabs, the search. */
import { VIEWS } from "../../islands/shell/registry.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import {
  errorEvent,
  largeTrace,
  postBody,
  postEnvelope,
  postEvents,
  postSpans,
  spanId,
} from "../harness/browser/posted.ts";
import { pageEvents, segmentEnvelope } from "../harness/recorded_segments.ts";
import { spanRow, tab } from "../harness/browser/views.ts";

const TRACE = "0123456789abcdef0123456789abcdef";

test("skip link → focus in the current view, address unchanged; a tab keeps the focus", async ({ page }) => {
  await page.goto("/");
  // Until the inbox is known to be empty the overview has other controls.
  await expect(page.locator(".overview")).toContainText("Point any Sentry SDK here");
  for (const { id: name, title } of VIEWS) {
    await tab(page, title).focus();
    await page.keyboard.press("Enter");
    await expect(page.locator("html")).toHaveAttribute("data-view", name);
    // Views have controls once they are loaded.
    await expect(page.locator(`.${name}`).locator("button, input").first()).toBeEnabled();
    await expect(tab(page, title)).toBeFocused();
    const address = page.url();
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(":focus")).toHaveClass(new RegExp(`\\b${name}\\b`));
    await page.keyboard.press("Tab");
    await expect(page.locator(`.${name} :focus`), title).toHaveCount(1);
    expect(page.url()).toBe(address);
  }
});

test("Tab key → skip link first, then every control in order", async ({ page }) => {
  await page.goto("/#/settings");
  await expect(page.getByRole("switch", { name: "Errors" })).toBeEnabled();
  const names = ["Prove that it arrives", "Send test signals", "Copy trace id", "Run the proof"];
  // Parts of the view load one after the other.
  for (const name of names) {
    const control = page.locator(".settings :is(a, button)").filter({ hasText: name });
    await expect(control.first()).toBeVisible();
  }
  await page.keyboard.press("Tab");
  await expect(page.locator(":focus")).toHaveText(/skip/i);
  const reached: string[] = [];
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ""));
  }
  const at = names.map((name) => reached.findIndex((text) => text.startsWith(name)));
  expect(at, reached.join(" | ")).not.toContain(-1);
  expect([...at].sort((a, b) => a - b)).toEqual(at);
});

test("definition of a figure → by pointer, click and keyboard; Escape hides it and nothing else", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 40));
  const address = `/#/traces/${TRACE}?span=${spanId(3)}`;
  await page.goto(address);
  const word = page.getByRole("button", { name: "Self time", exact: true });
  await expect(word).toHaveAccessibleDescription(/^The time of a span/);
  const definition = page.locator(":popover-open", { hasText: /^The time of a span/ });
  const focusByKeyboard = async () => {
    await page.getByRole("heading", { name: "step 0" }).focus();
    await expect(async () => {
      await page.keyboard.press("Tab");
      await expect(word).toBeFocused({ timeout: 1 });
    }).toPass();
  };
  for (const show of [() => word.hover(), () => word.click(), focusByKeyboard]) {
    await show();
    await expect(definition).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(definition).toHaveCount(0);
    await expect(word).toBeVisible();
    expect(page.url().endsWith(address)).toBe(true);
    await page.mouse.move(0, 0);
  }
});

test("the key / → focuses the search of the open view, not while typing", async ({ page }) => {
  for (const title of ["Logs", "Errors"] as const) {
    await page.goto(`/?${title}#/${title.toLowerCase()}`);
    const search = page.getByRole("searchbox", { name: `Search ${title.toLowerCase()}` });
    await expect(search).toBeEnabled();
    await page.keyboard.press("Control+/");
    await expect(search).not.toBeFocused();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("a/b");
    await expect(search).toHaveValue("a/b");
  }
});

test("Enter in a search → j moves to its first row; Escape leaves the empty field", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 9));
  await page.goto("/#/traces");
  const search = page.getByRole("searchbox", { name: "Search traces" });
  const row = page.locator(`a[data-row="${TRACE}"]`);
  await expect(row).toBeVisible();
  await page.keyboard.press("/");
  await page.keyboard.type("step");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/q=step$/);
  await expect(search).not.toBeFocused();
  await page.keyboard.press("j");
  await expect(row).toBeFocused();
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  await expect(search).toHaveValue("");
  await expect(search).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(search).not.toBeFocused();
  await page.keyboard.press("j");
  await expect(row).toBeFocused();
});

for (const width of [390, 1280]) {
  test(`trace over or beside its list, ${width} pixels wide → has the keys /, j and k`, async ({ page, server }) => {
    await page.setViewportSize({ width, height: 900 });
    await postSpans(server.origin, ...largeTrace("d".repeat(32), 9), ...largeTrace(TRACE, 40));
    await page.goto("/#/traces");
    await page.locator(`a[data-row="${TRACE}"]`).press("Enter");
    const heading = page.getByRole("heading", { name: "step 0" });
    await expect(heading).toBeFocused();
    await page.keyboard.press("/");
    const search = page.getByRole("searchbox", { name: "Search this trace" });
    await expect(search).toBeFocused();
    await page.keyboard.type("jk");
    await expect(search).toHaveValue("jk");
    await heading.focus();
    for (const [key, n] of [["j", 0], ["j", 1], ["j", 6], ["k", 1]] as const) {
      await page.keyboard.press(key);
      await expect(spanRow(page, new RegExp(`step ${n}\\W`))).toBeFocused();
    }
    await expect(spanRow(page, /step 1\W/)).toBeInViewport();
    await expect(page).toHaveURL(new RegExp(`#/traces/${TRACE}$`));
  });
}

test("link followed that is not shown afterwards → focus on the heading of what is shown", async ({ page, server }) => {
  const replayId = "6".repeat(32);
  const start = Date.now() - 60_000;
  const events = pageEvents(start, []);
  await postBody(server.origin, segmentEnvelope({ replayId, number: 0, events }));
  await postSpans(server.origin, ...largeTrace(TRACE, 9));
  const contexts = { trace: { trace_id: TRACE, span_id: spanId(1) } };
  await postEvents(server.origin, errorEvent("Oops", "no flour", { contexts }));
  const attributes = {
    cart: { value: "5", type: "string" },
    "sentry.replay_id": { value: replayId, type: "string" },
  };
  // Within the recording.
  const timestamp = start / 1000;
  const log = { timestamp, level: "info", trace_id: TRACE, attributes };
  const items = [{ ...log, body: "one" }, { ...log, body: "two" }];
  await postEnvelope(server.origin, {}, ["log", { items }]);

  await page.goto("/#/logs");
  const address = await page.locator(".logs a.row-link").first().getAttribute("href");
  /** @param heading default: the row whose detail was closed has the focus */
  const follow = async (from: string, link: string, heading?: string | RegExp) => {
    await page.goto(from);
    const view = page.locator("section.view:visible");
    await expect(view.getByRole("link", { name: link, exact: true }).first()).toBeVisible();
    await expect(page.locator(":focus")).toHaveCount(0);
    await view.getByRole("link", { name: link, exact: true }).first().press("Enter");
    const shown = heading === undefined
      ? page.locator(`a.row-link[href^="${address}"]`)
      : page.getByRole("heading", { name: heading, exact: true });
    await expect(shown, link).toBeFocused();
  };
  await follow(`/?1${address}`, "Logs of this trace");
  await follow(`/?2${address}`, "Only this");
  await follow(`/?3${address}`, "Open trace", "step 0");
  await page.goBack();
  await expect(page.getByRole("heading", { name: /^(one|two)$/ })).toBeFocused();
  await follow(`/?4${address}`, "Play at this moment", /^Recording of/);
  await follow(`/?5#/traces/${TRACE}`, "Compare", "Traces");
  await follow("/?6#/", "All errors", "Errors");
  await follow("/?7#/", "Oops no flour", "Oops: no flour");
});
