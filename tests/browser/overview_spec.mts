/** The overview: its figures are those of the address, its charts those of the inbox. */
import type { Page } from "@playwright/test";
import { hexId, type TestItem } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { errorEvent, postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";
import { nanoseconds, span, tracesJson } from "../harness/otlp_bodies.ts";

const MINUTE_S = 60;
const NODE = { sdk: { name: "sentry.javascript.node", version: "10.0.0" } };

/** A request that a server of Sentry's Node SDK answered. */
const request = (
  trace: number,
  start: number,
  ms: number,
  transaction = "GET /products",
): TestItem => ["transaction", {
  type: "transaction",
  transaction,
  contexts: { trace: { trace_id: hexId(trace), span_id: "a".repeat(16), op: "http.server" } },
  start_timestamp: start,
  timestamp: start + ms / 1_000,
}];

/** 250 requests and an error in one minute of production, 4 of staging an hour earlier. */
async function postShop(origin: string): Promise<{ first: number; last: number }> {
  const end = Math.floor(Date.now() / 1_000) - MINUTE_S;
  const production = { release: "shop-api@1.0", environment: "production" };
  const staging = { release: "shop-api@2.0", environment: "staging" };
  const mechanism = { type: "middleware", handled: false };
  const error = errorEvent("TypeError", "broken", {
    exception: { values: [{ type: "TypeError", value: "broken", mechanism }] },
    contexts: { trace: { trace_id: hexId(125) } },
    timestamp: end - 30,
    ...production,
  });
  await postEnvelope(origin, NODE, ["event", error]);
  for (let n = 0; n < 250; n++) {
    // 1 to 250 ms, the longest first: of the newest 200 the median is 100 ms.
    const start = end - MINUTE_S + n * MINUTE_S / 250;
    await postEnvelope(origin, { ...NODE, sender: production }, request(n, start, 250 - n));
  }
  for (let n = 0; n < 4; n++) {
    await postEnvelope(
      origin,
      { ...NODE, sender: staging },
      request(1_000 + n, end - (61 - n) * MINUTE_S, 10),
    );
  }
  return { first: end - MINUTE_S, last: end - MINUTE_S / 250 };
}

const region = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const chart = (page: Page, name: string) =>
  page.locator(".charts").getByRole("region", { name, exact: true });
const axis = (page: Page, name: string) => chart(page, name).locator(".time-axis span");
const timeOfDay = (seconds: number) => new Date(seconds * 1_000).toTimeString().slice(0, 8);
/** Yesterday's times have their date before them. */
const ending = (seconds: number) => new RegExp(`${timeOfDay(seconds)}$`);

test("overview → figures and links of the address; medians over all its traces", async ({ page, server }) => {
  const { first, last } = await postShop(server.origin);
  const durations = chart(page, "Durations");
  await page.goto("/#/overview?environment=production");
  await expect(chart(page, "Traces")).toContainText("250 traces");
  await expect(durations).toContainText(
    /125\sms.*median of 250\straces; 1(\.\d+)?\sms to 250\sms/s,
  );
  // A minute of data fills the charts, whose ends are labelled.
  for (const name of ["Traces", "Durations", "Open errors"]) {
    await expect(axis(page, name).first()).toHaveText(ending(first));
    await expect(axis(page, name).last()).toHaveText(ending(Math.ceil(last)));
  }
  await expect(page.locator(".applications .sparkline title").first())
    .toHaveText(new RegExp(`${timeOfDay(first)} to (.+ )?${timeOfDay(Math.ceil(last))}`));
  await expect(page.locator(".applications tbody tr")).toHaveCount(1);

  // An endpoint has the figures of its traces.
  const endpoint = region(page, "Slowest endpoints").getByRole("row", { name: "GET /products" });
  await expect(endpoint).toContainText(/products\s*1\s*failed of 250\s*125\sms/);
  await expect(endpoint.getByRole("link"))
    .toHaveAttribute("href", /endpoints\/[\da-f]{14}\/GET%20%2Fproducts/);

  await page.getByRole("navigation", { name: "Time" }).getByRole("link", { name: "15 min" })
    .click();
  await expect(chart(page, "Traces")).toContainText("250 traces");
  for (const list of ["Errors", "Traces"] as const) {
    await openView(page, list);
    expect(page.url()).toContain("?environment=production&since=15m");
    await expect(region(page, list).locator(".time-bars")).toContainText(
      list === "Traces" ? "250 traces" : "1 error",
    );
    await openView(page, "Overview");
  }
  await page.getByRole("button", { name: "Remove Environment: production" }).click();
  await page.goto("/#/overview?release=shop-api%402.0");
  // No percentile of four.
  await expect(durations).toContainText(/^Durations\s*4\straces; 10\sms\d/);
});

test("reads of the overview fail → it states why, and is complete once tried again", async ({ page, server, watch }) => {
  watch.allow("500");
  const start = Date.now() / 1_000 - MINUTE_S;
  const sender = { release: "shop-api@1.0", environment: "production" };
  await postEnvelope(server.origin, { ...NODE, sender }, request(1, start, 100));
  const json = JSON.stringify({ error: "internal_error", detail: "The inbox failed." });
  const answer = { status: 500, contentType: "application/json", body: json };
  const failing = /view=(applications|histogram)/;
  // The page also reads by itself: only what it reads once the button was pressed succeeds.
  await page.addInitScript(() => addEventListener("click", () => document.title += "*", true));
  await page.route(failing, async (route) => {
    const isPressed = (await page.title()).endsWith("*");
    await (isPressed ? route.continue() : route.fulfill(answer));
  });
  await page.goto("/");
  const applications = region(page, "Applications");
  await expect(applications.getByRole("alert")).toContainText("The inbox failed.");
  for (const name of ["Traces", "Durations", "Open errors"]) {
    await expect(chart(page, name)).toContainText("The inbox failed.");
  }
  await expect(region(page, "Needs a look")).toContainText("The inbox failed.");
  await applications.getByRole("button", { name: "Try again" }).click();
  await expect(applications.locator("tbody tr")).toContainText("No open errors");
  await expect(chart(page, "Traces")).toContainText("1 trace");
  await expect(page.getByText("The inbox failed.")).toHaveCount(0);
});

test("pointer over the charts of the overview, long texts → nothing moves", async ({ page, server }) => {
  // Yesterday 1,200 errors at once, and one later.
  const timestamp = Date.now() / 1_000 - 36 * 60 * MINUTE_S;
  const errorOf = (n: number): TestItem => ["event", {
    exception: { values: [{ type: "E", mechanism: { type: "generic", handled: n % 2 === 0 } }] },
    contexts: { trace: { trace_id: hexId(n) } },
    timestamp,
  }];
  for (let n = 0; n < 1_200; n += 30) {
    const errors = Array.from({ length: 30 }, (_, index) => errorOf(n + index));
    await postEnvelope(server.origin, NODE, ...errors);
  }
  await postEnvelope(server.origin, NODE, ["event", {
    ...errorEvent("E"),
    timestamp: timestamp + 120,
  }]);
  for (const width of [390, 1_440, 2_300, 2_370]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`/?${width}#/overview`);
    await expect(chart(page, "Open errors")).toContainText("1,201 errors");
    await expect(page.locator(".charts .plot")).toHaveCount(3);
    const places = () =>
      page.locator(".charts .panel, .charts .plot, #needs-a-look").evaluateAll((all) =>
        all.map((one) => JSON.stringify(one.getBoundingClientRect()))
      );
    for (const name of ["Traces", "Open errors"]) {
      await chart(page, name).locator(".plot").scrollIntoViewIfNeeded();
      const before = await places();
      await chart(page, name).locator(".plot").hover({ position: { x: 3, y: 30 } });
      await expect(chart(page, name).locator("output")).toContainText(/ to \d/);
      // All charts show the hovered time.
      await expect(page.locator(".charts .band")).toHaveCount(3);
      expect(await places(), `${width} px, ${name}`).toEqual(before);
    }
  }
  await chart(page, "Open errors").locator(".plot").click({ position: { x: 3, y: 30 } });
  await expect(region(page, "Errors").locator(".time-bars")).toContainText("1,200 errors");
});

test("one old row, many of this hour → charts of the hour, the old one is beside them", async ({ page, server }) => {
  const now = Math.floor(Date.now() / 1_000);
  const values = [{ type: "OldError", value: "", mechanism: { type: "generic", handled: false } }];
  const old = { exception: { values }, timestamp: now - 20 * 86_400 };
  await postEnvelope(server.origin, NODE, ["event", errorEvent("OldError", "", old)]);
  await postEnvelope(server.origin, NODE, request(1, now - 20 * 86_400, 100));
  const hour = Array.from({ length: 30 }, (_, n) => request(n + 2, now - 600 + n, 100));
  for (const item of hour) await postEnvelope(server.origin, NODE, item);
  const errors = Array.from({ length: 20 }, (_, n): TestItem => [
    "event",
    errorEvent("NewError", "", { timestamp: now - 600 + n }),
  ]);
  await postEnvelope(server.origin, NODE, ...errors);
  await page.goto("/");
  await expect(chart(page, "Traces")).toContainText(/^Traces\s*30\straces\s*1\searlier/);
  await expect(chart(page, "Open errors")).toContainText(/20\serrors\s*1\searlier/);
  await expect(axis(page, "Traces").first()).toHaveText(ending(now - 600));
  // What needs a look is of all rows.
  await expect(page.locator(".applications td.state")).toContainText("Failing");
  await expect(region(page, "Needs a look")).toContainText("OldError");
  await chart(page, "Traces").getByRole("link", { name: "Show earlier" }).click();
  const list = region(page, "Traces");
  await expect(list.locator("tbody tr")).toHaveCount(1);
  await page.goto("/#/errors");
  const ofErrors = region(page, "Errors");
  await ofErrors.getByRole("link", { name: "Show earlier" }).click();
  await expect(ofErrors.locator("tbody tr")).toHaveCount(1);
  await expect(ofErrors.locator("tbody tr")).toContainText("OldError");
});

test("server whose clock is hours behind → needs a look, its errors are linked", async ({ page, server }) => {
  const hours = (n: number) => Date.now() - n * 60 * MINUTE_S * 1_000;
  const header = { ...NODE, sent_at: new Date(hours(3)).toISOString() };
  const error = errorEvent("TypeError", "broken", {
    timestamp: hours(3) / 1_000,
    release: "api@1.0",
  });
  await postEnvelope(server.origin, header, ["event", error]);
  const ended = nanoseconds(hours(-2));
  const body = new Blob([
    tracesJson([span({ startTimeUnixNano: ended, endTimeUnixNano: ended })], "job"),
  ]);
  const headers = { "Content-Type": "application/json" };
  expect((await fetch(`${server.origin}/v1/traces`, { method: "POST", headers, body })).status)
    .toBe(200);
  await page.goto("/#/?since=15m");
  const look = region(page, "Needs a look");
  await expect(look).toContainText(/Its clock is 2\sh\s00\smin ahead\s*job/);
  await expect(page.locator(".applications .state").filter({ hasText: "Needs a look" }))
    .toHaveCount(2);
  await look.getByRole("link", { name: /Its clock is 3\sh\s00\smin behind/ }).click();
  await expect(region(page, "Errors").locator("tbody tr")).toContainText("broken");
  const clocks = page.getByText(/The clock of api is 3\sh\s00\smin behind, or it sends late/);
  await expect(clocks).toHaveCount(0);
  await page.goto("/#/errors?since=15m");
  await expect(page.getByText("No open errors match the filter")).toBeVisible();
  await expect(clocks).toBeVisible();
  await page.goto("/#/logs?since=15m");
  await expect(page.getByText("No logs match the filter")).toBeVisible();
  await expect(region(page, "Logs").getByText("The clock of api"), "it sent none").toHaveCount(0);
  await page.goto(`/#/errors?since=${hours(2)}&until=${hours(1)}`);
  await expect(page.getByText("No open errors match the filter")).toBeVisible();
  await expect(clocks, "it sent nothing in that time").toHaveCount(0);
});

test("application with a long name → cut within its cell; a usual one is whole at every width", async ({ page, server }) => {
  const name = "orders-".repeat(10);
  const headers = { "Content-Type": "application/json" };
  await fetch(`${server.origin}/v1/traces`, {
    method: "POST",
    headers,
    body: tracesJson([span()], name),
  });
  // With all columns.
  const started = new Date().toISOString();
  const attrs = { release: "checkout@1.0.0", environment: "production" };
  await postEnvelope(
    server.origin,
    { ...NODE, sender: attrs },
    request(1, Date.now() / 1_000 - 5, 100),
    ["session", {
      sid: "5".repeat(32),
      status: "ok",
      init: true,
      started,
      timestamp: started,
      attrs,
    }],
  );
  for (const width of [1440, 360]) {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/");
    const cell = page.locator(".applications").getByRole("cell", { name });
    await expect(cell.getByTitle(name)).toBeVisible();
    const [outer, inner] = [await cell.boundingBox(), await cell.locator("b").boundingBox()];
    expect(inner!.x + inner!.width).toBeLessThanOrEqual(outer!.x + outer!.width);
    expect(inner!.y + inner!.height).toBeLessThanOrEqual(outer!.y + outer!.height);
  }
  const usual = page.locator(".applications .row-link b", { hasText: "checkout" });
  for (let width = 360; width < 1_600; width += 40) {
    await page.setViewportSize({ width, height: 900 });
    const [whole, shown] = await usual.evaluate((one) => [one.scrollWidth, one.clientWidth]);
    expect(shown, `${width} px`).toBeGreaterThanOrEqual(whole!);
  }
});

test("more applications than rows → failing ones have rows, each other one is reached", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const mechanism = { type: "generic", handled: false };
  const unhandled = {
    exception: { values: [{ type: "Unhandled", mechanism }] },
    timestamp: now + 60 * MINUTE_S,
  };
  for (let n = 0; n < 11; n++) {
    const sender = { release: `app-${n}@1`, environment: "test" };
    const event = n === 0 ? unhandled : errorEvent("Error", `of ${n}`);
    const items: TestItem[] = [["event", event], ...n === 1 ? [request(1, now, 100)] : []];
    await postEnvelope(server.origin, { ...NODE, sender }, ...items);
  }
  await page.goto("/");
  await expect(page.locator(".applications tbody tr")).toHaveCount(8);
  await expect(page.locator(".applications tbody tr").first()).toContainText(/app-0.*Failing/s);
  // The first one's clock is an hour ahead.
  await expect(region(page, "Needs a look").getByRole("row", { name: "Unhandled" }))
    .toContainText("ago");
  await expect(region(page, "Needs a look")).toContainText("6 of 8 found");
  // A read of open errors that takes long.
  let release = () => {};
  const isReleased = new Promise<void>((resolve) => release = resolve);
  const app = (name: string) => page.locator(".applications tbody tr", { hasText: name });
  const slow =
    /application=([^&]+)/.exec(await app("app-7").getByRole("link").getAttribute("href") ?? "")![1];
  await page.route(new RegExp(`view=errors.*application=${slow}`), async (route) => {
    await isReleased;
    await route.continue();
  });
  await page.reload();
  await expect(region(page, "Needs a look")).toContainText("6 of 7 found, still counting");
  release();
  await expect(region(page, "Needs a look")).toContainText("6 of 8 found");
  await expect(region(page, "Needs a look")).not.toContainText("counting");
  await expect(region(page, "Slowest endpoints").getByRole("row").nth(1)).toContainText("app-1:");
  // The figures of the search before are marked as long as there are no others.
  const figures = page.locator(".highlights");
  await expect(figures).toHaveAttribute("aria-busy", "false");
  let answer = () => {};
  const isAnswered = new Promise<void>((resolve) => answer = resolve);
  await page.route(/view=errors.*q=Unhandled/, async (route) => {
    await isAnswered;
    await route.continue();
  });
  await page.getByRole("searchbox").fill("Unhandled");
  await expect(figures).toHaveAttribute("aria-busy", "true");
  await expect(region(page, "Needs a look")).toContainText("Error");
  answer();
  await expect(figures).toHaveAttribute("aria-busy", "false");
  await expect(region(page, "Needs a look").getByRole("row")).toHaveCount(2);
  await page.getByRole("searchbox").fill("");
  const others = page.locator(".applications .others");
  await expect(others).toContainText(
    "3 other applications, not in the panel “Needs a look”: 3 of them fail or need a look",
  );
  await others.getByRole("link", { name: "Needs a look: app-1", exact: true }).click();
  await expect(page.locator(".applications tbody tr")).toHaveCount(1);
  await expect(page.locator(".applications tbody tr")).toContainText(/1\s*open error/);
});

test("monitors shown before → the overview looks as before", async ({ page, server }) => {
  await postEnvelope(server.origin, NODE, request(1, Date.now() / 1_000 - 5, 100));
  await page.goto("/");
  const duration = region(page, "Slowest endpoints").getByRole("cell").last();
  await expect(duration).toHaveText(/100\sms/);
  const before = await duration.boundingBox();
  await page.goto("/#/monitors");
  await expect(page.getByText("No monitors of your")).toBeVisible();
  await page.goto("/#/overview");
  await expect.poll(() => duration.boundingBox()).toEqual(before);
  await expect(duration).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");
});

test("errors and longer durations since a release → what needs a look, why, and its link", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const send = (trace: number, version: string, ms: number, ...items: TestItem[]) =>
    postEnvelope(
      server.origin,
      { ...NODE, sender: { release: `shop@${version}`, environment: "test" } },
      request(trace, now - 60, ms),
      ...items,
    );
  for (let n = 1; n <= 5; n++) await send(n, "1", 100);
  // Before the 30 days of the charts, and slow.
  const old = { release: "shop@1", environment: "test" };
  await postEnvelope(
    server.origin,
    { ...NODE, sender: old },
    request(20, now - 40 * 24 * 60 * MINUTE_S, 9_000),
  );
  const started = { app_start_time: new Date(now * 1_000 - 1_000).toISOString() };
  const contexts = { trace: { trace_id: hexId(9) }, app: started };
  for (let n = 5; n <= 9; n++) {
    // In the first envelope of the release, a minute before it was received.
    const event = { ...errorEvent("Broken"), contexts, timestamp: now - 60 };
    const errors: TestItem[] = n === 5 ? [["event", event]] : [];
    await send(n + 1, "2", 200, ...errors);
  }
  await page.goto("/");
  const rows = region(page, "Needs a look").getByRole("row");
  await expect(rows).toHaveCount(4);
  await expect(rows.nth(1)).toContainText(/Needs a look:|Failing:/);
  const slower = rows.filter({ hasText: "slower" });
  await expect(slower).toContainText(
    /GET \/products.*slower in 2, median 100\sms → 200\sms, n 5 → 5/,
  );
  await expect(rows.filter({ hasText: "Failing:" }))
    .toContainText("new failures in 2: 1 of 5, of other releases 0 of 5");
  await expect(rows.filter({ hasText: "Broken" })).toContainText("new since 2, 1×");
  await expect(region(page, "Slowest endpoints").getByRole("row").nth(1))
    .toContainText(/5 →.*5\s*100\sms\s*200\sms/);
  const start = page.locator(".applications th").filter({ hasText: "Started" });
  await expect(start).toHaveCount(1);
  await slower.getByRole("link").click();
  await expect(page).toHaveURL(/#\/endpoints\/[\da-f]{14}\/GET/);
  await expect(region(page, "Endpoints").getByRole("article")).toContainText("2.0× slower");
  const release = page.locator(".applications tbody tr b[title^=shop]");
  await page.goto("/");
  await expect(release).toHaveText("2");
  await postEnvelope(server.origin, { ...NODE, sender: old }, ["log", {
    items: [{ body: "Back" }],
  }]);
  await expect(release, "rolled back").toHaveText("1");
  await expect(page.locator(".applications tbody tr")).toContainText(/200\sms n 5 of 2/);
  await expect(rows.filter({ hasText: "Broken" })).toContainText("new since 2, 1×");
  await page.goto("/#/overview?release=shop%401");
  await expect(page.locator(".applications tbody tr")).toContainText("1 first seen");
  await expect(region(page, "Needs a look")).toContainText("None of their endpoints has");
  await expect(start, "of another release").toHaveCount(0);
  await page.goto("/#/traces");
  await expect(region(page, "Traces").locator(".legend").last()).toHaveText(
    /^10\straces1\searlier/,
  );
  await page.goto("/#/errors");
  // Whether it was handled is not known: amber in both views.
  const broken = page.locator("main").getByRole("row").filter({ hasText: "Broken" });
  await expect(broken.locator(".mark")).toHaveClass("mark waits");
});

test("more endpoints than a list has rows → the fast one that fails and is slower needs a look", async ({ page, server }) => {
  const start = Date.now() / 1_000 - MINUTE_S;
  const send = (version: string, ...items: TestItem[]) =>
    postEnvelope(
      server.origin,
      { ...NODE, sender: { release: `shop@${version}`, environment: "test" } },
      ...items,
    );
  for (let n = 1; n <= 5; n++) {
    await send("1", request(n, start, 10));
    const failed = errorEvent("Broken", "", { level: "error" });
    await send("2", request(10 + n, start, 40), ["event", {
      ...failed,
      contexts: { trace: { trace_id: hexId(10 + n) } },
    }]);
  }
  const slow = Array.from({ length: 201 }, (_, n) => request(100 + n, start, 500, `GET /${n}`));
  await send("1", ...slow);
  await page.goto("/");
  await expect(region(page, "Slowest endpoints")).toContainText("6 of at least 200 found");
  const rows = region(page, "Needs a look").getByRole("row");
  await expect(rows.filter({ hasText: "slower" })).toContainText("median 10\u00a0ms → 40\u00a0ms");
  await rows.filter({ hasText: ": 5 of 5, of other releases 0 of 5" }).getByRole("link")
    .click();
  await expect(region(page, "Endpoints").getByRole("article"))
    .toContainText(/new failures.*4\.0× slower/);
});

test("more groups of errors than a list has rows → state of all of them, no sum", async ({ page, server }) => {
  const start = Math.floor(Date.now() / 1_000) - 10 * MINUTE_S;
  const group = (n: number, handled: boolean): TestItem => {
    const type = `Broken${String(n).replace(/\d/g, (digit) => "abcdefghij"[Number(digit)]!)}`;
    const values = [{ type, value: "", mechanism: { type: "generic", handled } }];
    return ["event", errorEvent(type, "", { exception: { values }, timestamp: start + n })];
  };
  const handled = Array.from({ length: 201 }, (_, n) => group(n, true));
  const post = (name: string, ...items: TestItem[]) =>
    postEnvelope(server.origin, { ...NODE, sender: { release: `${name}@1.0` } }, ...items);
  // Before the newest 200 rows.
  await post("shop-api", group(300, false));
  await post("shop-api", ...handled);
  await post("shop-mail", ...handled);
  await page.goto("/");
  const hasState = async (name: string, state: string, since: number) => {
    const row = page.locator(".applications tbody tr", { hasText: name });
    await expect(row).toContainText(/at least \d+ open errors/);
    await expect(row.locator(".sparkline")).toHaveCount(0);
    await expect(row.locator(".state")).toContainText(state);
    await expect(row.locator(".state small")).toContainText(timeOfDay(start + since).slice(0, 5));
  };
  await hasState("shop-api", "Failing", 300);
  await hasState("shop-mail", "Needs a look", 0);
  await expect(region(page, "Needs a look")).toContainText("Brokendaa");
});

test("monitors that failed or never finished → need a look until a run is ok", async ({ page, server }) => {
  const run = (n: number, monitor_slug: string, status: string, minutes: number) => {
    const timestamp = Date.now() / 1_000 - minutes * MINUTE_S;
    const checkIn = { check_in_id: hexId(n), monitor_slug, status, environment: "test", timestamp };
    const sender = { release: "jobs@1", environment: "test" };
    return postEnvelope(server.origin, { ...NODE, sender }, ["check_in", checkIn]);
  };
  await run(1, "nightly", "ok", 90);
  await run(2, "import", "in_progress", 80);
  await run(3, "import", "in_progress", 70);
  await page.goto("/");
  const rows = region(page, "Needs a look").getByRole("row");
  const states = page.locator(".applications .state");
  await expect(rows.filter({ hasText: "Needs a look:" }))
    .toContainText(/import.*takes longer than it may/);
  await expect(states.last()).toContainText("Needs a look");
  await run(4, "nightly", "error", 5);
  const failed = rows.filter({ hasText: "Failing:" });
  await expect(failed).toContainText(/nightly.*newest run failed.*min\sago/);
  await expect(states.last()).toContainText("Failing");
  await page.getByRole("region", { name: "Applications" }).getByRole("link", { name: "jobs" })
    .click();
  await expect(page).toHaveURL(/#\/monitors\/\d+\/0\?.*monitor=/);
  await expect(region(page, "Monitors").getByRole("article")).toContainText("nightly failed");
  await run(5, "nightly", "ok", 1);
  await run(2, "import", "ok", 1);
  await run(3, "import", "ok", 1);
  await page.goto("/");
  await expect(region(page, "Needs a look")).toContainText(
    "No monitor that matches the filter has a failed, late or",
  );
  await expect(states.last()).toContainText("No open errors");
  // By a clock that is ahead.
  await run(7, "nightly", "error", -7);
  await expect(failed).toContainText(/nightly.*newest run failed.*s\sago/);
  // As a script with curl, which names no application.
  const backup = { check_in_id: hexId(6), monitor_slug: "backup", environment: "host" };
  await postEnvelope(server.origin, {}, ["check_in", { ...backup, status: "error" }]);
  await expect(failed.filter({ hasText: "backup" })).toContainText(/newest run failed.*not named/s);
});

test("sessions and client reports → crash-free share, and what was not sent", async ({ page, server }) => {
  const now = Date.now();
  const started = new Date(now - 1_000).toISOString();
  const attrs = { release: "shop@1", environment: "test" };
  const report = (...discarded_events: unknown[]): TestItem => [
    "client_report",
    { timestamp: now / 1_000, discarded_events },
  ];
  const lost = { category: "log_item", reason: "queue_overflow", quantity: 12 };
  await postEnvelope(server.origin, NODE, ["event", { ...errorEvent("Broken"), ...attrs }]);
  await postEnvelope(
    server.origin,
    { dsn: undefined },
    report(lost),
    report(
      { category: "log_byte", reason: "queue_overflow", quantity: 999 },
      { category: "span", reason: "queue_overflow", quantity: 3 },
      { category: "span", reason: "sample_rate", quantity: 1 },
      { category: "span", reason: "no_parent_span", quantity: 2 },
    ),
  );
  const other = { sdk: { name: "sentry.ruby", version: "5.0.0" } };
  const dropped = { category: "error", reason: "before_send", quantity: 1 };
  await postEnvelope(server.origin, other, report(dropped));
  await postEnvelope(server.origin, NODE, [
    "sessions",
    { aggregates: [{ started, exited: 1_858, crashed: 140 }, { started, exited: 2 }], attrs },
  ]);
  const browser = { sdk: { name: "sentry.javascript.browser", version: "10.0.0" } };
  for (const [sid, status] of Object.entries({ a: "ok", b: "crashed", c: "unhandled" })) {
    const session = { sid, started, status, attrs: { ...attrs, release: "page@1" } };
    await postEnvelope(server.origin, browser, ["session", session]);
  }
  await page.goto("/");
  const rows = page.locator(".applications tbody tr");
  await expect(rows.filter({ hasText: /shop/ })).toContainText(/93\s% of 2,000/);
  await expect(rows.filter({ hasText: /page/ })).toContainText("2 of 3, 1 unhandled");
  await expect(rows.locator("[aria-description$='1 had unhandled errors, 0 had other errors']"))
    .toHaveCount(1, { timeout: 10_000 });
  const notSent = page.locator(".applications .others > span");
  await expect(notSent).toHaveText([
    /gave up 12\slogs, 3\sspans: queue_overflow$/,
    /gave up 2\sspans: no_parent_span$/,
    /gave up 1\sspan: sample_rate$/,
    /^Unnamed senders gave up 1\serror: before_send$/,
  ]);
  await expect(notSent.first()).toHaveClass("waits");
  await expect(notSent.getByRole("button", { name: "queue_overflow" }))
    .toHaveAccessibleDescription(/its queue was full/);
  await expect(notSent.getByRole("button", { name: "no_parent_span" }))
    .toHaveAccessibleDescription(/by its own rule/);
  await expect(notSent.last()).toHaveClass("quiet");
  await notSent.first().getByRole("link").click();
  await expect(page).toHaveURL(/#\/envelopes\?.*type=client_report/);
  await page.goto("/#/overview?application=sightglass");
  await expect(page.locator(".applications tbody tr")).toHaveCount(1);
  await expect(notSent, "of others").toHaveCount(0);
});
