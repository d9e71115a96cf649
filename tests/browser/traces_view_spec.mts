/** The view of traces, with traces of this session. */
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessible } from "../harness/browser/page_look.ts";
import { ERRORS, makeEverySignal, openPage, shownTraceId } from "../harness/browser/signals.ts";
import {
  openView,
  spanDetail,
  spanRow,
  traceLink,
  traceList,
  waterfall,
} from "../harness/browser/views.ts";
import { postSpans } from "../harness/browser/posted.ts";

/** High enough for all rows of a session: only rows in sight are rendered. */
test.use({ viewport: { width: 1280, height: 4000 } });

test("every signal → in the page's trace: spans of browser and server, errors, logs, vitals", async ({ page, arrivals, serverArrivals, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 503");
  await openPage(page);
  const traceId = await shownTraceId(page);
  await makeEverySignal(page);
  await arrivals.waitForItem(
    "the component's error",
    (item) => item.type === "event" && JSON.stringify(item.json()).includes(ERRORS.component),
  );
  await arrivals.waitForItem(
    "the manual span",
    (item) => item.type === "span" && JSON.stringify(item.json()).includes("manual span"),
  );
  await serverArrivals.waitForSpan(
    "the server's span of a signal",
    ({ name }) => name.includes("/signal"),
  );

  await openView(page, "Traces");
  const row = traceList(page).getByRole("row").filter({ has: traceLink(page, traceId) });
  await expect(row.locator("td .refused:visible").first()).toBeVisible();
  await traceLink(page, traceId).click();
  await expect(page).toHaveURL(new RegExp(`#/traces/${traceId}`));

  await test.step("spans of browser and server, each with its origin", async () => {
    await expect(spanRow(page, /pageload .*browser/)).toBeVisible();
    await expect(spanRow(page, /http\.server GET \/\s.*server/).first()).toBeVisible();
    await expect(spanRow(page, /manual span/)).toHaveAttribute("aria-expanded", "true");
  });
  await test.step("server span below the request that it answered", async () => {
    await expect.poll(async () => {
      const rows = await waterfall(page).getByRole("row").evaluateAll((rows) =>
        rows.map((row) => ({ level: Number(row.ariaLevel), text: row.textContent ?? "" }))
      );
      return rows.some(({ level, text }, i) =>
        /http\.server.*\/signal/.test(text) && rows[i - 1]?.level === level - 1 &&
        /http\.client/.test(rows[i - 1]?.text ?? "")
      );
    }).toBe(true);
  });
  await test.step("vitals, errors and logs", async () => {
    const vitals = page.getByLabel("Web vitals");
    for (const name of ["TTFB", "FCP"]) await expect(vitals).toContainText(name);
    const marks = page.getByRole("list", { name: "Errors and logs on the time axis" });
    await expect(page.getByRole("list", { name: "Vitals on the time axis" }))
      .toContainText("First contentful paint");
    await expect(marks.getByRole("link", { name: /^(Error at|\d+\serror)/ }).first())
      .toHaveAttribute("href", /^#\/errors\/[^/]+\/\d+$/);
    await expect(marks.getByRole("link", { name: /log/i }).first()).toHaveAttribute(
      "href",
      /^#\/(logs\?trace=|errors\/)/,
    );
  });
  await expectAccessible(page);
  await test.step("detail of a span, also opened by its address", async () => {
    await spanRow(page, /manual span/).click();
    await expect(spanDetail(page, "manual span")).toContainText("browser");
    await expect(page).toHaveURL(/\?span=[\da-f]{16}$/);
    await page.reload();
    await expect(spanDetail(page, "manual span")).toBeVisible();
    await expect(spanDetail(page, "manual span")).toContainText("Envelope");
    await expect(spanRow(page, /manual span/)).toHaveAttribute("aria-selected", "true");
  });
});

test("vital measured after the last span → at the end of the axis, marked, with its own time", async ({ page, server }) => {
  const traceId = "5".repeat(32);
  const start = Date.now() / 1_000 - 60;
  const value = (ms: number) => ({ value: ms, type: "double" });
  await postSpans(server.origin, [{
    trace_id: traceId,
    span_id: "5".repeat(16),
    name: "/cart",
    start_timestamp: start,
    end_timestamp: start + 3,
    attributes: {
      "sentry.op": { value: "pageload", type: "string" },
      "browser.web_vital.fcp.value": value(900),
      "browser.web_vital.lcp.value": value(4_200),
    },
  }]);
  await page.goto(`/#/traces/${traceId}`);
  const vitals = page.getByRole("list", { name: "Vitals on the time axis" });
  await expect(vitals.getByText("FCP", { exact: true }))
    .toHaveAttribute("title", "First contentful paint 900\u00a0ms, good, at 900\u00a0ms");
  await expect(vitals.getByText("LCP▸", { exact: true })).toHaveAttribute(
    "title",
    "Largest contentful paint 4.20\u00a0s, poor, at 4.20\u00a0s, after the end of the trace",
  );
  // The mark of its moment is not drawn.
  await expect(vitals.locator(".event")).toHaveCount(1);
});
