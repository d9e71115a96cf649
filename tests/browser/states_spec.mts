/** Loading, empty, failed and forbidden states of each view, checked by axe and at phone width. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import {
  hostileTrace,
  largeTrace,
  nodeEvent,
  postBody,
  postEnvelope,
  postEvents,
  postSpans,
  spanId,
} from "../harness/browser/posted.ts";
import { LEVELS } from "../harness/browser/signals.ts";
import { pageEvents, segmentEnvelope } from "../harness/recorded_segments.ts";

const TRACE = "0123456789abcdef0123456789abcdef";
const LISTS = ["traces", "errors", "logs", "envelopes"] as const;
type List = typeof LISTS[number];

/** Every kind of place that reads the inbox. */
const PLACES = [
  "#/",
  ...LISTS.map((name) => `#/${name}`),
  `#/traces/${TRACE}`,
  "#/errors/0123456789abcd",
  "#/errors/zzzz",
  "#/envelopes/1",
];

/** Addresses of details that do not exist. */
const MISSING = [
  `#/traces/${"e".repeat(32)}`,
  "#/errors/0123456789abcd",
  "#/envelopes/999999",
  ...["errors", "envelopes", "recordings"].map((view) => `#/${view}/zzzz`),
];

const view = (page: Page, name: List) => page.locator(`section.${name}`);
const rows = (page: Page, name: List) => view(page, name).locator("a.row-link");
const INBOX = /\/monitoring\/inbox/;

/** Posts a trace, an error and logs of every level. */
async function postRows(origin: string): Promise<void> {
  await postSpans(origin, ...largeTrace(TRACE, 40));
  await postEvents(origin, nodeEvent());
  const items = LEVELS.map((level) => ({
    timestamp: Date.now() / 1000,
    level,
    body: `A message of level ${level} that is long enough to reach the end of a narrow line`,
    trace_id: TRACE,
    attributes: { made_by: { value: "a test", type: "string" } },
  }));
  await postEnvelope(origin, {}, ["log", { items }]);
}

test("no response yet → loading states", async ({ page }) => {
  // No response at all.
  await page.route(INBOX, () => {});
  // Each text appears slowly, and another may follow the first: half transparent, it has too little contrast.
  await page.addInitScript(() => {
    const styles = new CSSStyleSheet();
    styles.replaceSync(".loading { animation: none !important }");
    // The page sets its own while it is read.
    addEventListener("DOMContentLoaded", () => document.adoptedStyleSheets.push(styles));
  });
  // Lists are alike.
  for (const place of PLACES.filter((place) => /traces|s\//.test(place))) {
    await page.goto(`/?${place.length}${place}`);
    await expect(page.locator(".view:visible")).toContainText(/(Loading|Reading|Connecting)/);
    await expect(page.locator(".loading").first()).toHaveCSS("animation-name", "none");
    await expectAccessibleLayout(page, place);
  }
});

test("overview loads slowly → cards and charts do not move, loading is stated once", async ({ page, server }) => {
  await postRows(server.origin);
  await page.addInitScript(() => {
    const shifts: number[] = Object.assign(globalThis, { shifts: [] }).shifts;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) shifts.push((entry as unknown as Shift).value);
    }).observe({ type: "layout-shift", buffered: true });
  });
  const { promise: answer, resolve } = Promise.withResolvers<void>();
  await page.route(INBOX, async (route) => {
    await answer;
    await route.continue();
  });
  await page.goto("/");
  await expect(page.locator(".overview").getByText(/Connecting|Loading/)).toHaveCount(1);
  resolve();
  await expect(page.locator(".applications .sparkline")).toBeVisible();
  await expect(page.locator(".charts .plot")).toHaveCount(3);
  const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: number[] }).shifts);
  expect(shifts.reduce((sum, value) => sum + value, 0)).toBeLessThan(0.05);
});

/** An entry of the Layout Instability API, which TypeScript does not have. */
interface Shift {
  readonly value: number;
}

test("lists with rows, lists without matches → accessible, no overflow", async ({ page, server }) => {
  await postRows(server.origin);
  for (const name of LISTS) {
    await page.goto(`/#/${name}`);
    await expect(rows(page, name).first()).toBeVisible();
    await expectAccessibleLayout(page, name);
    await page.goto(`/#/${name}?q=nothing+has+this+in+it`);
    await expect(view(page, name)).toContainText(
      new RegExp(`No (open )?${name} match the filter.`),
    );
  }
  await expectAccessibleLayout(page, "none matching");
  await page.getByRole("button", { name: "Remove Search: nothing has this in it" }).click();
  await expect(rows(page, "envelopes").first()).toBeVisible();
});

test("details of existing and of missing entries → accessible, no overflow", async ({ page, server, watch }) => {
  watch.allow("404");
  await postRows(server.origin);
  const hostile = "f".repeat(32);
  await postSpans(server.origin, hostileTrace(hostile));
  for (const trace of [TRACE, hostile]) {
    await page.goto(`/#/traces/${trace}?span=${spanId(3)}`);
    await expect(page.locator(".span-detail")).toBeVisible();
    await expectAccessibleLayout(page, `a span of ${trace}`);
  }
  const contents = {
    errors: page.getByRole("article"),
    logs: page.getByRole("link", { name: "Open envelope" }),
    envelopes: page.getByText("Envelope header"),
  };
  for (const [name, content] of Object.entries(contents)) {
    await page.goto(`/#/${name}`);
    await rows(page, name as List).first().click();
    await expect(content).toBeVisible();
    const head = page.locator(".detail-head:visible");
    await expect(head.getByRole("button", { name: "Copy", exact: true })).toBeVisible();
    await expectAccessibleLayout(page, `one of ${name}`);
  }
  for (const place of MISSING) {
    await page.goto(`/${place}`);
    await expect(page.locator(".view:visible .empty", { hasText: /not found/ })).toBeVisible();
    await expectAccessibleLayout(page, place);
  }
});

test("inbox answers again → a detail that could not be read is shown", async ({ page, server, watch }) => {
  watch.allow("ERR_INTERNET_DISCONNECTED");
  const replayId = "fedcba9876543210fedcba9876543210";
  const events = pageEvents(Date.now(), []);
  await postBody(server.origin, segmentEnvelope({ replayId, number: 0, events }));
  await page.route(INBOX, (route) => route.abort("internetdisconnected"));
  await page.goto(`/#/recordings/${replayId}`);
  const view = page.locator(".view:visible");
  await expect(view.getByRole("button", { name: "Try again" })).toHaveCount(1);
  // The errors alone state why.
  await expect(view).not.toContainText("Offline");
  await expectAccessibleLayout(page, "an error");
  await page.unroute(INBOX);
  await expect(view.getByRole("slider", { name: "Position" })).toBeVisible();
});

test("server stops → each view and a trace state of when their data is", async ({ context, server, watch }) => {
  watch.allow("ERR_");
  await postRows(server.origin);
  const tabs = await Promise.all(["#/", "#/errors", `#/traces/${TRACE}`].map(async (place) => {
    const tab = await context.newPage();
    await tab.goto(`${server.origin}/${place}`);
    return tab;
  }));
  for (const tab of tabs) {
    await tab.bringToFront();
    await expect(tab.locator(".view:visible")).toContainText(/step 0|All servers failed/);
    const live = tab.locator(".view:visible button", { hasText: "Live" });
    await expect(live.first()).toBeAttached();
  }
  await server.stop("SIGKILL");
  for (const tab of tabs) {
    await tab.bringToFront();
    const mark = tab.locator(".view:visible .offline:visible").first();
    await expect(mark).toHaveText(/^Offline: data of \d\d:\d\d:\d\d\. Retrying\.$/);
  }
  await expectAccessibleLayout(tabs[2]!, "a trace, offline");
});

test.describe("INBOX_TOKEN set", () => {
  test.use({ serverEnv: { INBOX_TOKEN: "open-sesame-sesame" } });

  test("access denied → each view shows one form for the token, which leads to what was asked", async ({ page, context, server, watch }) => {
    watch.allow("403");
    await postRows(server.origin);
    const origin = `http://sightglass.localhost:${server.port}`;
    for (const place of PLACES) {
      await page.goto(`${origin}/${place}`);
      const shown = page.locator(".view:visible");
      await expect(shown.getByLabel("Inbox token")).toHaveCount(1);
      await expect(shown.getByLabel("Inbox token")).toBeVisible();
      await expect(shown.getByRole("alert")).toHaveCount(0);
    }
    await expectAccessibleLayout(page, "a form");
    const bearer = { headers: { Authorization: "Bearer open-sesame-sesame" } };
    const read = async (query: string) =>
      await (await fetch(`${server.origin}/monitoring/inbox${query}`, bearer)).json();
    const places = [
      [`#/traces/${TRACE}`, "step 3"],
      [`#/errors/${(await read("?view=errors")).rows[0].group}`, "All servers failed"],
      [`#/envelopes/${(await read("")).envelopes.at(-1).id}`, "Envelope header"],
    ] as const;
    for (const [place, content] of places) {
      await context.clearCookies();
      await page.goto(`${origin}/?${place.length}${place}`);
      const shown = page.locator(".view:visible");
      const field = shown.getByLabel("Inbox token");
      await field.fill("wrong");
      await page.keyboard.press("Enter");
      await expect(shown.getByRole("alert")).toHaveText("Wrong token.");
      await expect(field).toBeFocused();
      await field.fill("open-sesame-sesame");
      await page.keyboard.press("Enter");
      await expect(shown).toContainText(content);
      await expect(shown.getByLabel("Inbox token")).toHaveCount(0);
      // HttpOnly.
      expect(await page.evaluate(() => document.cookie)).toBe("");
    }
  });
});
