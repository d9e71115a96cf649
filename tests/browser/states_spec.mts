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
import { BLOCKED_MESSAGES, blockTelemetry } from "../harness/browser/requests.ts";
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
  "#/envelopes/1",
];

/** Addresses of details that do not exist. */
const MISSING = [
  `#/traces/${"e".repeat(32)}`,
  "#/errors/0123456789abcd",
  "#/envelopes/999999",
];

const view = (page: Page, name: List) => page.locator(`section.${name}`);
const rows = (page: Page, name: List) =>
  view(page, name).locator(name === "logs" ? '.log [role="row"]' : "a.row-link");
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
  for (const place of PLACES.slice(1)) {
    await page.goto(`/?${place.length}${place}`);
    await expect(page.locator(".view:visible")).toContainText(/(Loading|Reading|Connecting)/);
    // Lists are alike.
    if (place.includes("traces") || place.includes("s/")) await expectAccessibleLayout(page, place);
  }
});

test("empty lists and telemetry failed → the reason", async ({ page, server, serverArrivals, watch }) => {
  watch.allow(...BLOCKED_MESSAGES);
  await blockTelemetry(page);
  await page.goto("/");
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  await serverArrivals.waitForItem("the server's spans", ({ type }) => type === "span");
  for (const name of LISTS) {
    await page.goto(`/#/${name}`);
    // The server may send telemetry at any time.
    await expect(async () => {
      await fetch(`${server.origin}/monitoring/inbox`, { method: "DELETE" });
      await expect(view(page, name))
        .toContainText(new RegExp(`No (open )?${name} of this visit: telemetry failed`), {
          timeout: 2_000,
        });
    }).toPass();
  }
  await expectAccessibleLayout(page, "an empty list");
  await page.goto("/#/");
  await expect(page.getByRole("heading", { name: "Point any Sentry SDK here" })).toBeVisible();
  await expectAccessibleLayout(page, "overview");
});

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
    await expectAccessibleLayout(page, `one of ${name}`);
  }
  for (const place of MISSING) {
    await page.goto(`/${place}`);
    await expect(page.locator(".view:visible .empty")).toContainText(/not found/);
    await expectAccessibleLayout(page, place);
  }
});

test("inbox answers 500 or not at all → an error and a retry button in each view", async ({ page, watch }) => {
  watch.allow("status of 500", "ERR_INTERNET_DISCONNECTED");
  // In turns: both are shown in the same way.
  let requests = 0;
  await page.route(
    INBOX,
    (route) =>
      requests++ % 2 === 0 ? route.abort("internetdisconnected") : route.fulfill({ status: 500 }),
  );
  for (const place of PLACES) {
    await page.goto(`/${place}`);
    await expect(page.locator(".view:visible").getByRole("button", { name: "Try again" }))
      .not.toHaveCount(0);
    await expect(page.getByText("No errors received.")).toHaveCount(0);
    if (place.endsWith("s")) await expectAccessibleLayout(page, place);
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
  await expect(view.getByRole("button", { name: "Try again" })).toBeVisible();
  await page.unroute(INBOX);
  await expect(view.getByRole("slider", { name: "Position" })).toBeVisible();
});

test.describe("INBOX_TOKEN set", () => {
  test.use({ serverEnv: { INBOX_TOKEN: "open-sesame" } });

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
    const bearer = { headers: { Authorization: "Bearer open-sesame" } };
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
      await field.fill("open-sesame");
      await page.keyboard.press("Enter");
      await expect(shown).toContainText(content);
      await expect(shown.getByLabel("Inbox token")).toHaveCount(0);
      // HttpOnly.
      expect(await page.evaluate(() => document.cookie)).toBe("");
    }
  });
});
