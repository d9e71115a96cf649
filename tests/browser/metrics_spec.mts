/** The view of metrics. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { ATTACK, MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";
import { nanoseconds, text } from "../harness/otlp_bodies.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const view = (page: Page) => page.getByRole("region", { name: "Metrics", exact: true });
const detail = (page: Page) => view(page).getByRole("article");
const legend = (page: Page) =>
  detail(page).getByRole("list", { name: "Groups" }).getByRole("button");
const chart = (page: Page) => detail(page).getByRole("slider");

const SENDER = {
  sdk: { name: "sentry.javascript.node" },
  sender: { environment: "test", release: "shop@1.0.0" },
};

interface Measured {
  readonly name?: string;
  readonly route: string;
  readonly values: readonly number[];
  readonly at: number;
}

/** Posts values of a distribution, a second apart. */
const measure = (origin: string, { name = "checkout.duration", route, values, at }: Measured) =>
  postEnvelope(origin, SENDER, ["trace_metric", {
    items: values.map((value, n) => ({
      ...{ name, type: "distribution", unit: "millisecond", value, trace_id: TRACE },
      timestamp: at / 1000 + n,
      attributes: { route: { value: route, type: "string" } },
    })),
  }]);

test("distribution by route → lines, readout, table; a sample leads to its trace by keyboard", async ({ page, server }) => {
  // In one interval of a minute.
  const minute = Math.floor(Date.now() / 60_000) * 60_000 - 120_000;
  const slow = [100, 200, 300, 400, 500];
  await measure(server.origin, { route: "/checkout", values: slow, at: minute });
  await measure(server.origin, { route: "/cart", values: [10, 20], at: minute + 1_000 });
  await page.goto("/");
  await openView(page, "Metrics");
  const row = view(page).getByRole("row", { name: "checkout.duration" });
  await expect(row).toContainText("distribution, p95");
  await expect(row).toContainText("500 msn 7");
  await row.click();

  await expect(legend(page)).toHaveText([/^all500\smsn\s7/]);
  await detail(page).getByLabel("by").selectOption("route");
  await detail(page).getByLabel("every").selectOption("1m");
  await expect(legend(page)).toHaveText([/^\/checkout500\smsn\s5/, /^\/cart–n\s2/]);
  await expect(detail(page)).toContainText("1 of 2 intervals shown, 1 with too few values");
  const groups = detail(page).getByRole("table", { name: "Groups" });
  await expect(groups.getByRole("row", { name: "/checkout" })).toContainText("5500 ms300 ms");
  await detail(page).getByLabel("Show").selectOption("avg");
  await expect(legend(page)).toHaveText([/^\/checkout300\smsn\s5/, /^\/cart15\smsn\s2/]);
  await page.reload();
  await expect(legend(page)).toHaveText([/^\/checkout300\smsn\s5/, /^\/cart15\smsn\s2/]);

  await legend(page).first().click();
  await expect(legend(page).first()).toHaveAttribute("aria-pressed", "false");
  await expect(chart(page)).toHaveAttribute("aria-valuetext", /: \/cart 15\sms, n 2$/);
  await expect(detail(page)).toContainText("1 of 2 intervals shown, 1 of lines not drawn");
  await expect(detail(page)).toContainText(
    "2 of 7 values as dots: the newest and the largest of each interval",
  );
  await legend(page).first().click();

  await chart(page).focus();
  await page.keyboard.press("Home");
  await expect(chart(page)).toHaveAttribute("aria-valuetext", /\/checkout 300\sms, n 5/);
  await expectAccessibleLayout(page, "a metric");
  await page.setViewportSize({ width: 1280, height: 800 });
  await chart(page).focus();
  await page.keyboard.press("Home");
  await expect(detail(page)).toContainText("largest value: 500 ms");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/traces/${TRACE}`));
});

test("no metrics → what sends them; hostile names and attributes → text; another filter → no result", async ({ page, server, watch }) => {
  watch.allow("404");
  await page.goto("/#/metrics");
  await expect(view(page)).toContainText("Sentry.metrics.count");
  await expectAccessibleLayout(page, "no metrics");
  await page.setViewportSize({ width: 1280, height: 800 });
  const at = Date.now() - 60_000;
  await measure(server.origin, { name: MARKUP, route: ATTACK, values: [1, 2, 3], at });
  await view(page).locator("a.row-link").filter({ hasText: MARKUP }).click();
  await detail(page).getByLabel("by").selectOption("route");
  await expect(legend(page)).toContainText([ATTACK.trim()]);
  await expect(detail(page)).toContainText("with too few values");
  // Its intervals are shorter than a second.
  await chart(page).press("Home");
  await expect(chart(page)).toHaveAttribute(
    "aria-valuetext",
    /^([\d:]+\.\d{3}) to (?!\1)[\d:]+\.\d{3}: /,
  );
  const address = page.url();
  await page.goto(`${address}&q=nothing`);
  await expect(detail(page)).toContainText("No values match the time and the filter.");
  await page.goto("/#/metrics?q=nothing");
  await expect(view(page)).toContainText("No metrics match the filter");
  await page.goto("/#/metrics/unknown/gauge");
  await expect(detail(page)).toContainText("Metric not found.");
});

test("cumulative histogram of OpenTelemetry that starts again → what was counted, estimated", async ({ page, server }) => {
  const from = Math.floor(Date.now() / 60_000) * 60_000 - 300_000;
  const point = (minute: number, started: number, counts: readonly number[]) => ({
    startTimeUnixNano: nanoseconds(from + started * 60_000),
    timeUnixNano: nanoseconds(from + minute * 60_000),
    ...{ count: `${counts[0]! + counts[1]!}`, sum: 10 * counts[0]! + 30 * counts[1]! },
    ...{ explicitBounds: [20], bucketCounts: counts.map(String), min: 10, max: 30 },
  });
  const histogram = {
    aggregationTemporality: 2,
    dataPoints: [point(1, 0, [4, 0]), point(2, 0, [6, 2]), point(3, 2, [1, 1])],
  };
  const response = await fetch(`${server.origin}/v1/metrics`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      resourceMetrics: [{
        resource: { attributes: [text("service.name", "inventory")] },
        scopeMetrics: [{ metrics: [{ name: "lookup", unit: "ms", histogram }] }],
      }],
    }),
  });
  expect(await response.text()).toBe("{}");
  await page.goto(`/#/metrics/lookup/histogram/ms?since=${from}&show=sum`);
  // 7 values of 10 ms and 3 of 30 ms.
  await expect(legend(page)).toHaveText([/^all160\smsn\s10/]);
  await detail(page).getByLabel("Show").selectOption("p95 (estimated)");
  await expect(legend(page)).toHaveText([/^all30\smsn\s10/]);
  await detail(page).getByLabel("by").selectOption("application");
  await expect(legend(page)).toHaveText([/^inventory30\smsn\s10/]);
  await chart(page).focus();
  await page.keyboard.press("End");
  await expect(detail(page)).toContainText("so far");
  await page.goto("/#/metrics/lookup/histogram/ms?since=7d&every=10s");
  const every = detail(page).getByLabel("every");
  await expect(every.locator("option:checked")).toHaveText(/^10s, here 1\sh/);
});
