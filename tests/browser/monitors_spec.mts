/** The view of monitors. */
import type { Page } from "@playwright/test";
import { hexId, type TestItem } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessible, expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { errorEvent, MARKUP, postEnvelope } from "../harness/browser/posted.ts";

const TRACE = hexId(0xace);
const view = (page: Page) => page.getByRole("region", { name: "Monitors", exact: true });
const monitors = (page: Page) =>
  view(page).getByRole("table", { name: "Monitors, the worst first" }).locator(
    "tbody tr:not(.unrendered)",
  );
const runs = (page: Page) =>
  view(page).getByRole("table", { name: "Runs, newest first" }).locator("tbody tr");
const detail = (page: Page) => view(page).locator(".run-detail");

/** Posts what jobs of a worker report, the last minutes before now: one failed, one runs too long, one is fine. */
async function postJobs(origin: string) {
  const now = Date.now();
  const before = (minutes: number) => (now - minutes * 60_000) / 1_000;
  const contexts = { trace: { trace_id: TRACE } };
  const checkIn = (
    slug: string,
    n: number,
    status: string,
    minutes: number,
    rest = {},
  ): TestItem => [
    "check_in",
    {
      ...{ check_in_id: hexId(n), monitor_slug: slug, status, timestamp: before(minutes) },
      ...rest,
    },
  ];
  const every = (value: number, max_runtime: number) => ({
    monitor_config: { schedule: { type: "interval", value, unit: "minute" }, max_runtime },
  });
  const daily = { schedule: { type: "crontab", value: "0 2 * * *" }, timezone: "Asia/Kathmandu" };
  const send = (...items: TestItem[]) =>
    postEnvelope(origin, {
      sdk: { name: "sentry.javascript.node" },
      sender: { environment: "production", release: "worker@1.4.2" },
    }, ...items);
  await send(checkIn("report", 1, "in_progress", 30, { monitor_config: daily }));
  await send(checkIn("report", 1, "ok", 29.99, { duration: 0.302 }));
  await send(checkIn("cleanup", 2, "in_progress", 40, every(5, 1)));
  await send(checkIn("cleanup", 3, "in_progress", 12));
  await send(checkIn("sync", 4, "ok", 25, { duration: 0.06, ...every(15, 5) }));
  await send(checkIn("sync", 5, "error", 4, { duration: 0.061, contexts }));
  await send(["event", {
    ...errorEvent("Error", "export is empty"),
    timestamp: before(4),
    contexts,
  }]);
  await send(["log", {
    items: [{ timestamp: before(4), level: "warn", body: "no rows", trace_id: TRACE }],
  }]);
}

test("monitors → states in words, the worst first; a run with its error, log and envelope", async ({ page, server }) => {
  await postJobs(server.origin);
  await page.goto("/#/monitors");
  await expect(monitors(page)).toHaveCount(3);
  const [sync, cleanup, report] = [0, 1, 2].map((n) => monitors(page).nth(n)) as [
    ReturnType<typeof monitors>,
    ReturnType<typeof monitors>,
    ReturnType<typeof monitors>,
  ];
  await expect(sync).toContainText(/^syncFailed since .*1 of 2\sruns failed, 1 did not come/);
  await expect(sync).toContainText("every 15 min");
  await expect(sync).toContainText(/in\s(9|10|11)\smin/);
  await expect(cleanup).toContainText(/Over its time since .*1 of 2\sruns never finished/);
  await expect(report).toContainText(/Ok since .*1 of 1\srun ok/);
  await expect(report).toContainText("daily at 02:00, Asia/Kathmandu");
  await expect(view(page)).toContainText("3 monitors1 failed1 over its time1 ok");
  await expect(runs(page)).toHaveCount(5);
  await expectAccessible(page);

  // By keyboard: the first monitor, whose runs are then listed.
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText("sync failed");
  await expect(runs(page)).toHaveCount(2);
  await expect(runs(page).first()).toContainText(/Failed61\sms1\.4\.2/);
  await expect(detail(page)).toContainText("Schedule" + "every 15 min" + "May take5\u00a0minRuns");
  await expect(detail(page)).toContainText("Runs ok" + "1 of 2");
  await expect(detail(page)).toContainText("warn no rows");
  await expectAccessible(page);
  await page.keyboard.press("Shift+J");
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText("cleanup over its time");
  await expect(detail(page)).toContainText("No trace was sent with this run.");
  await page.keyboard.press("Escape");
  await expect(detail(page)).toHaveCount(0);

  // By the mark of the run on the axis, then its error: three clicks from any view.
  await sync.locator("a.run.refused").click();
  await detail(page).getByRole("link", { name: "Error: export is empty" }).click();
  await expect(page).toHaveURL(/#\/errors\/[\da-f]{14}\/\d+/);
  await page.goBack();
  await detail(page).getByRole("link", { name: "Open envelope" }).click();
  await expect(page.getByRole("region", { name: "Envelopes" })).toContainText("check_in");
});

test("worker's clock ahead → its newest runs and missed times are on the axis, in its share", async ({ page, server }) => {
  const run = (n: number, status: string, minutes: number): TestItem => [
    "check_in",
    {
      ...{ check_in_id: hexId(n), monitor_slug: "sync", status },
      timestamp: Date.now() / 1_000 + minutes * 60,
    },
  ];
  const sender = { environment: "production", release: "worker@1" };
  const sdk = { name: "sentry.javascript.node" };
  await postEnvelope(server.origin, { sdk, sender }, run(1, "ok", -5), run(2, "error", 7));
  await page.goto("/#/monitors");
  await expect(monitors(page)).toContainText(/1 of 2\sruns failed/);
  await expect(monitors(page).locator("a.run.refused")).toHaveCount(1);
  const [type, last] = run(3, "ok", 12) as [string, object];
  const schedule = { type: "interval", value: 1, unit: "minute" };
  const ahead = { sdk, sender, sent_at: new Date(Date.now() + 20 * 60_000).toISOString() };
  await postEnvelope(server.origin, ahead, [
    type,
    { ...last, monitor_slug: "export", monitor_config: { schedule } },
  ]);
  const missed = monitors(page).filter({ hasText: "export" });
  await expect(missed).toContainText(/[67] did not come(?! in)/);
  await expect(missed.locator(".run.missed").nth(5)).toBeVisible();
});

test("run after its margin, phone → the time that it missed is seen; a default is named one", async ({ page, server }) => {
  const config = { schedule: { type: "interval", value: 1, unit: "hour" } };
  const sent = [180, 58].map((minutes, n): TestItem => ["check_in", {
    ...{ check_in_id: hexId(n + 1), monitor_slug: "sync", status: "ok", monitor_config: config },
    timestamp: Date.now() / 1_000 - minutes * 60,
  }]);
  await postEnvelope(server.origin, { sdk: { name: "sentry.javascript.node" } }, ...sent);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/#/monitors");
  const missed = monitors(page).locator(".run.missed");
  await expect(missed).toHaveCount(2);
  await missed.first().scrollIntoViewIfNeeded();
  const isSeen = (mark: Element) => {
    const { x, y, width, height } = mark.getBoundingClientRect();
    return document.elementFromPoint(x + width / 2, y + height / 2) === mark;
  };
  for (const mark of await missed.all()) expect(await mark.evaluate(isSeen)).toBe(true);
  await runs(page).first().getByRole("link").click();
  await expect(detail(page)).toContainText("May take30\u00a0min, also the default");
});

test("many runs, the longest between others → its duration covers no run", async ({ page, server }) => {
  const sent = Array.from({ length: 40 }, (_, n): TestItem => ["check_in", {
    ...{ check_in_id: hexId(n + 1), monitor_slug: "sync", status: "ok" },
    ...{ timestamp: Date.now() / 1_000 - n * 60, duration: n === 20 ? 1 : 0.7 + (n % 4) / 20 },
  }]);
  await postEnvelope(server.origin, { sdk: { name: "sentry.javascript.node" } }, ...sent);
  await page.goto("/#/monitors");
  const label = monitors(page).locator(".took span");
  await expect(label).toHaveText(/1\.00\ss/);
  const { x, y, width, height } = (await label.boundingBox())!;
  const covered = await monitors(page).locator(".took").evaluateAll(
    (dots, label) =>
      dots.filter((dot) => {
        const box = dot.getBoundingClientRect();
        return box.right > label.x && box.left < label.x + label.width &&
          box.bottom > label.y && box.top < label.y + label.height;
      }).length,
    { x, y, width, height },
  );
  expect(covered).toBe(0);
});

test("runs that failed or have no end, another time, text that is markup → shown as such", async ({ page, server }) => {
  await page.goto("/#/monitors");
  await expect(view(page)).toContainText("No check-ins received.");
  await expectAccessibleLayout(page, "empty");
  await postJobs(server.origin);
  await postEnvelope(server.origin, {}, ["check_in", { monitor_slug: MARKUP, status: "error" }]);
  await expect(monitors(page)).toHaveCount(4);
  await expect(monitors(page).filter({ hasText: "<" })).toHaveCount(1);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  await view(page).getByRole("link", { name: "No end 2" }).click();
  await expect(runs(page)).toHaveText([/cleanup/, /cleanup/]);
  await view(page).getByRole("link", { name: "Failed 2" }).click();
  await expect(runs(page)).toHaveCount(2);
  await page.goto("/#/monitors?since=15m");
  await expect(runs(page)).toHaveCount(3);
  await expect(monitors(page).filter({ hasText: "report" })).toContainText(
    "no runs started in the time shown",
  );
  await expectAccessibleLayout(page, "list");
  await page.goto("/#/monitors");
  await runs(page).filter({ hasText: "report" }).getByRole("link").click();
  await expect(detail(page).getByRole("heading", { level: 3 })).toHaveText("report ok");
  await expectAccessibleLayout(page, "detail");
  const many = Array.from({ length: 210 }, (_, n): TestItem => [
    "check_in",
    {
      check_in_id: hexId(n + 10),
      monitor_slug: n < 3 ? "many mixed" : "many",
      status: n === 1 ? "error" : "ok",
    },
  ]);
  await postEnvelope(server.origin, {}, ...many);
  await page.goto("/#/monitors?q=many");
  await expect(monitors(page).filter({ hasText: "listed" }))
    .toContainText(/Ok since before .*50 of 50\slisted runs ok/);
  await expect(monitors(page).filter({ hasText: "listed" }).getByTitle("Earlier runs"))
    .toBeVisible();
  await expect(monitors(page).filter({ hasText: "mixed" }).locator("a.run").last())
    .toHaveClass(/refused/);
  await expect(view(page)).toContainText("newest 200 runs");
  await page.goto("/#/monitors?q=many&runs=open");
  await expect(view(page)).toContainText("None of the newest 200 runs.");
  const stopped: TestItem = ["check_in", {
    ...{ monitor_slug: "stopped", status: "ok", timestamp: Date.now() / 1_000 - 7_200 },
    monitor_config: { schedule: { type: "interval", value: 1, unit: "minute" } },
  }];
  await postEnvelope(server.origin, {}, stopped);
  await page.goto("/#/monitors?q=stopped");
  const absent = monitors(page).filter({ hasText: "stopped" });
  await expect(absent).toContainText("at least 50 did not come");
  await expect(absent.getByTitle("Did not come", { exact: true })).toBeVisible();
  await page.goto("/#/monitors?q=stopped&since=30m");
  await expect(absent).toContainText(/(?<!at least )(2[789]|30) did not come/);
  const rare = (slug: string, days: number, value = 1): TestItem => ["check_in", {
    ...{ monitor_slug: slug, status: "ok", timestamp: Date.now() / 1_000 - days * 86_400 },
    monitor_config: { schedule: { type: "interval", value, unit: "day" } },
  }];
  await postEnvelope(server.origin, {}, rare("rare daily", 3.2), rare("rare weekly", 0.5, 7));
  await page.goto("/#/monitors?q=rare");
  // Of three, one on the axis.
  await expect(monitors(page).filter({ hasText: "rare daily" }))
    .toContainText("1 did not come in the time shown");
  await page.goto("/#/monitors?q=nothing+has+this");
  await expect(view(page)).toContainText("No monitors match the filter.");
  await page.goto("/#/monitors/99/0");
  await expect(detail(page)).toContainText("Run not found.");
});
