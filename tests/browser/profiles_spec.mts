/** The view of profiles, and what a span of a trace shows of one. */
import type { Page } from "@playwright/test";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { profiledSession, profiledTransaction } from "../harness/browser/profiles.ts";
import { openView, spanRow } from "../harness/browser/views.ts";

const SENDER = { sdk: { name: "sentry.javascript.node" }, sender: { release: "shop-api@1.4.2" } };

const list = (page: Page) => page.getByRole("table", { name: "Profiles, newest first" });
const detail = (page: Page) => page.locator("article.profile");
const flame = (page: Page) => detail(page).getByRole("group", { name: /^Flame graph/ });
const bars = (page: Page, text: string) => flame(page).locator("[data-key]", { hasText: text });
const functions = (page: Page) =>
  detail(page).getByRole("table", { name: "Functions, most self time first" });
const facts = (page: Page) => detail(page).getByRole("complementary");

test("no profile → how to send one; profile → flame graph, functions, its span, by keyboard", async ({ page, server }) => {
  const start = Date.now() / 1_000 - 600;
  await page.goto("/#/profiles");
  await expect(page.getByText("No profiles received.")).toBeVisible();
  await postEnvelope(server.origin, SENDER, ...profiledTransaction(1, start));
  const row = list(page).getByRole("row", { name: /GET \/api\/report/ });
  await expect(row).toContainText("localeCompare");
  await expect(row).toContainText("36");
  await expectAccessibleLayout(page, "list");

  await page.setViewportSize({ width: 1_280, height: 900 });
  await row.getByRole("link").click();
  await expect(detail(page)).toContainText("36 samples, 10 ms apart");
  await expect(detail(page)).toContainText("200 ms of 360 ms in compareSlowly and what it calls");
  await expect(bars(page, "3 frames of fastify")).toHaveCount(1);
  await expect(bars(page, "compareSlowly")).toHaveCount(4);
  await expect(flame(page).locator("a.flame-bar")).toHaveText([
    /GET \/api\/report\s364\sms/,
    /render report\s352\sms/,
  ]);
  // Self times of all functions are all samples.
  const times = await functions(page).locator("tbody .count").allTextContents();
  expect(times.reduce((sum, text) => sum + Number(text), 0)).toBe(36);

  await bars(page, "compareSlowly").first().click();
  await expect(facts(page)).toContainText("60 ms200 ms, 56 %");
  await flame(page).press("ArrowUp");
  await expect(facts(page).getByRole("table", { name: "Time of Array.sort" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowRight");
  await expect(detail(page).locator("p[role=status]"))
    .toContainText("toLocaleString, native: 10 ms");
  await page.keyboard.press("ArrowUp");
  const formatRow = bars(page, "formatRow").filter({ hasNotText: "formatRows" });
  await expect(formatRow).toHaveCount(4);
  await page.keyboard.press("Enter");
  const whole = detail(page).getByRole("button", { name: "Whole profile" });
  await expect(whole).toBeEnabled();
  await expect(formatRow).toHaveCount(1);
  await page.keyboard.press("Escape");
  await expect(whole).toBeDisabled();

  await page.keyboard.press("/");
  await page.keyboard.type("api.mjs");
  await expect(functions(page).locator("tbody tr")).toHaveCount(5);
  await detail(page).getByRole("searchbox").fill("");
  await detail(page).getByRole("checkbox", { name: "Own code only" }).check();
  await expect(bars(page, "Array")).toHaveCount(0);
  // Without what ran in native code below it.
  const compare = functions(page).getByRole("row", { name: /^compareSlowly/ });
  await expect(compare).toContainText("30 ms200 ms");
  await detail(page).getByRole("link", { name: "Left-heavy" }).click();
  await expect(bars(page, "compareSlowly")).toHaveCount(1);
  await page.reload();
  await expect(bars(page, "compareSlowly")).toHaveCount(1);
  await functions(page).getByRole("button", { name: "formatRow", exact: true }).click();
  await expect(facts(page)).toContainText("130 ms, 36 %");
  await expectAccessibleLayout(page, "profile");
});

test("session of a profiler → its requests; span of a trace → what ran in it, and its profile", async ({ page, server }) => {
  const start = Date.now() / 1_000 - 600;
  await postEnvelope(server.origin, SENDER, ...profiledSession(9, 12, start + 2));
  await postEnvelope(server.origin, SENDER, ...profiledSession(9, 11, start));
  // Its request ran on another thread than its samples.
  const other = JSON.stringify(profiledSession(8, 13, start - 9));
  const moved = JSON.parse(other.replace('"thread.id":{"value":"0"', '"thread.id":{"value":"7"'));
  await postEnvelope(server.origin, SENDER, ...moved);
  const query = {
    ...{ trace_id: hexId(12), span_id: "d".repeat(16), parent_span_id: "12".padStart(16, "c") },
    ...{ name: "SELECT 1", start_timestamp: start + 2, end_timestamp: start + 2.36 },
    attributes: { "sentry.op": { value: "db" } },
  };
  await postEnvelope(server.origin, SENDER, ["span", { items: [query] }]);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.goto("/");
  await openView(page, "Profiles");
  const row = list(page).getByRole("row", { name: /GET \/api\/report\/1\d/ });
  await expect(row).toContainText("and 1 other");
  const unnamed = list(page).getByRole("row", { name: /Profiler session of 1 request/ });
  await unnamed.getByRole("link").click();
  await expect(facts(page)).toContainText("GET /api/report/13");
  await expect(page.locator("a.flame-bar")).toHaveCount(0);
  await page.goBack();
  await row.getByRole("link").click();
  await expect(detail(page)).toContainText("72 samples");
  await expect(detail(page).getByRole("heading", { level: 3 }))
    .toHaveText(/^GET \/api\/report\/1\d and 1\sother$/);
  await expect(page.locator("a.flame-bar")).toHaveCount(2);
  await expect(detail(page)).toContainText("1.64 s without samples");
  await expect(flame(page).getByTitle(/^Without samples: 1\.64\ss$/)).toBeVisible();
  await facts(page).getByRole("link", { name: "GET /api/report/12" }).click();
  await expect(detail(page)).toContainText("36 samples");
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText("GET /api/report/12");
  await facts(page).getByRole("link", { name: "Open in trace" }).click();
  const span = page.locator(".span-detail");
  const figures = "360 ms on its thread meanwhile, of any request: 56 % in compareSlowly";
  await expect(span).toContainText(figures);
  // Nothing of a span that waits.
  await spanRow(page, /SELECT 1/).click();
  await expect(span).toContainText("SELECT 1");
  await spanRow(page, /GET \/api\/report\/12/).click();
  await expect(span).toContainText(figures);
  expect(requests.filter((url) => url.includes(query.span_id))).toEqual([]);
  await span.getByRole("link", { name: "compareSlowly" }).click();
  await expect(detail(page)).toContainText("36 samples");
});

test("profile with hostile texts, one that is gone → text, and a message", async ({ page, server }) => {
  const [transaction, [type, profile]] = profiledTransaction(1, Date.now() / 1_000 - 60, MARKUP);
  const hostile = JSON.parse(
    JSON.stringify(profile).replaceAll("formatRows", MARKUP.replaceAll('"', '\\"')),
  );
  await postEnvelope(server.origin, SENDER, transaction, [type, hostile]);
  await page.goto(`/#/profiles/${hexId(1_001)}`);
  await expect(functions(page)).toContainText("<img src=x");
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  await page.goto(`/#/profiles/${hexId(7)}`);
  await expect(page.getByText("Profile not found.")).toBeVisible();
});
