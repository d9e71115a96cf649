/** Navigation within the page: its traces, and the state of the page afterwards. */
import type { Page, Request } from "@playwright/test";
import { blockLaterScripts } from "../harness/browser/blocked_ways.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { holdRequests } from "../harness/browser/held_requests.ts";
import { watchOutcomes } from "../harness/browser/marks.ts";
import { isPartial } from "../harness/browser/navigation_site.ts";
import { expectAccessible } from "../harness/browser/page_look.ts";
import { make, openPage, shownTraceId, waitForTelemetry } from "../harness/browser/signals.ts";
import { errorOf, logsOf, opOf, type Span, spansOf } from "../harness/browser/arrived_signals.ts";

const home = (page: Page) => page.getByRole("link", { name: "Sightglass", exact: true });

/** Waits until the page shows another trace id. */
async function nextTraceId(page: Page, before: string): Promise<string> {
  await expect(page.locator(".trace-id")).not.toHaveText(before);
  return await shownTraceId(page);
}

/**
 * Navigates to the page itself by the link in its header, and waits for the new trace and the new content: what a
 * button says is lost with the content that it was in.
 */
async function refetch(page: Page): Promise<{ traceId: string; request: Request }> {
  const before = await shownTraceId(page);
  await page.locator(".signals").evaluate((signals) => void (signals.id = "replaced"));
  const requested = page.waitForRequest((request) => isPartial(new URL(request.url())));
  await home(page).click();
  const request = await requested;
  await expect(page.locator("#replaced")).toHaveCount(0);
  return { traceId: await nextTraceId(page, before), request };
}

/** The finished navigation span of a trace. */
const navigationOf = (spans: readonly Span[], traceId: string) =>
  spans.find((span) => span.trace_id === traceId && opOf(span) === "navigation");

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("navigation → its own trace, with its request and the server's span", async ({ page, arrivals, serverArrivals, watch }) => {
      watch.allow("Handled error");
      await openPage(page);
      const loaded = await shownTraceId(page);
      const visits = [await refetch(page), await refetch(page)];
      expect(new Set([loaded, ...visits.map(({ traceId }) => traceId)]).size).toBe(3);

      const last = visits[1]!.traceId;
      await make(page, "Handled error");
      await make(page, "warn");
      await make(page, "Span with a fetch");
      await expect(page.getByText("A manual span was created.")).toBeVisible();

      for (const { traceId, request } of visits) {
        const spans = await arrivals.waitFor("the navigation", (items) => {
          const own = spansOf(items).filter((span) => span.trace_id === traceId);
          return navigationOf(own, traceId) && own.some(isPartialSpan) && own;
        });
        const root = navigationOf(spans, traceId)!;
        expect(root.name).toBe("/");
        expect(root.is_segment).toBe(true);
        expect(root.parent_span_id).toBeUndefined();
        expect(
          root.attributes["sentry.source"]?.value ?? root.attributes["sentry.span.source"]?.value,
        )
          .toBe("route");
        expect(spans.filter((span) => opOf(span) === "navigation")).toHaveLength(1);
        const client = spans.find(isPartialSpan)!;
        expect(client.parent_span_id).toBe(root.span_id);
        expect(root.start_timestamp).toBeLessThanOrEqual(client.start_timestamp);
        const headers = request.headers();
        expect(headers["sentry-trace"]).toBe(`${traceId}-${client.span_id}-1`);
        expect(headers["traceparent"]).toBe(`00-${traceId}-${client.span_id}-01`);
        expect(headers["baggage"]).toContain(`sentry-trace_id=${traceId}`);
        const served = await serverArrivals.waitFor(
          "the server's span",
          (items) => spansOf(items).find(({ parent_span_id }) => parent_span_id === client.span_id),
        );
        expect([served.name, opOf(served)]).toEqual(["GET /", "http.server"]);
        expect(served.trace_id).toBe(traceId);
      }

      // Later signals belong to the latest navigation.
      const event = await arrivals.waitFor("the error", (items) => errorOf(items, "Handled error"));
      expect(event.contexts.trace.trace_id).toBe(last);
      const logs = await arrivals.waitFor("the log", (items) => {
        const found = logsOf(items);
        return found.length > 0 && found;
      });
      expect(logs.map(({ trace_id }) => trace_id)).toEqual([last]);
      const manual = await arrivals.waitFor(
        "the manual span",
        (items) => spansOf(items).find(({ name }) => name.includes("manual span")),
      );
      expect(manual.trace_id).toBe(last);
    });
  });
}

/** Whether a span is the request for page data, and not for `/signal`. */
const isPartialSpan = (span: Span) =>
  opOf(span) === "http.client" && !span.name.includes("/signal");

test("navigation before the SDK has started → its own time and trace", async ({ page, arrivals, watch }) => {
  watch.allow("Handled error");
  const html = await (await page.request.get("/")).text();
  const release = await holdRequests(page, "/assets/*", async (request) => {
    if (html.includes(new URL(request.url()).pathname)) return false;
    // Small chunks are the page's own; the others are the SDK's.
    return (await (await page.request.get(request.url())).body()).length > 20_000;
  });
  await page.goto("/");
  await make(page, "Handled error");
  const answered = page.waitForResponse((response) => isPartial(new URL(response.url())));
  const startedAt = Date.now();
  await home(page).click();
  await answered;
  const answeredAt = Date.now();
  await expect(page.getByRole("button", { name: "fatal" })).toBeEnabled();
  await make(page, "fatal");
  // Makes the SDK start clearly later than the navigation.
  await expect.poll(() => Date.now() - answeredAt).toBeGreaterThan(1_000);
  release();

  const [load, navigation] = await arrivals.waitFor("page load and navigation", (items) => {
    const found = ["pageload", "navigation"].map((op) =>
      spansOf(items).find((span) => opOf(span) === op)
    );
    return found.every((span) => span !== undefined) && found as [Span, Span];
  });
  expect(navigation.trace_id).not.toBe(load.trace_id);
  expect(navigation.start_timestamp * 1000).toBeGreaterThan(startedAt - 50);
  expect(navigation.start_timestamp * 1000).toBeLessThan(answeredAt + 50);
  const event = await arrivals.waitFor("the error", (items) => errorOf(items, "Handled error"));
  expect(event.contexts.trace.trace_id).toBe(load.trace_id);
  const log = await arrivals.waitFor("the log", (items) => logsOf(items)[0]);
  expect(log.trace_id).toBe(navigation.trace_id);
});

test("second navigation during the first → ends the first one's span", async ({ page, arrivals }) => {
  await openPage(page);
  const loaded = await shownTraceId(page);
  let requests = 0;
  const release = await holdRequests(page, isPartial, () => requests++ === 0);
  await home(page).click();
  const older = await nextTraceId(page, loaded);
  await home(page).click();
  const newer = await nextTraceId(page, older);
  release();
  const spans = await arrivals.waitFor("both", (items) => {
    const found = spansOf(items);
    return [older, newer].every((id) => navigationOf(found, id)) && found;
  });
  expect(navigationOf(spans, older)!.end_timestamp)
    .toBeLessThanOrEqual(navigationOf(spans, newer)!.start_timestamp + 0.05);
});

test("fragment changed, also by history → no new trace", async ({ page, arrivals, sent }) => {
  await openPage(page);
  const loaded = await shownTraceId(page);
  await page.evaluate(() => location.hash = "view");
  await page.goBack();
  await page.goForward();
  await make(page, "info");
  const log = await arrivals.waitFor("the log", (items) => logsOf(items)[0]);
  expect(log.trace_id).toBe(loaded);
  expect(await shownTraceId(page)).toBe(loaded);
  expect(spansOf(await arrivals.items()).map(opOf)).not.toContain("navigation");
  expect(sent.all.filter(({ url }) => isPartial(url))).toEqual([]);
});

test("navigation to an address with a query → the query is not sent", async ({ page, arrivals }) => {
  const CANARY = "canary-in-the-query";
  await openPage(page);
  const loaded = await shownTraceId(page);
  await page.evaluate((canary) => {
    const link = document.querySelector<HTMLAnchorElement>(".plate a")!;
    link.href = `/?q=${canary}#${canary}`;
    link.click();
  }, CANARY);
  const traceId = await nextTraceId(page, loaded);
  await expect(page).toHaveURL(/canary/);
  await make(page, "info");
  await arrivals.waitFor("the navigation", (items) => navigationOf(spansOf(items), traceId));
  await arrivals.waitFor("the log", (items) => logsOf(items)[0]);
  expect(await arrivals.text()).not.toContain(CANARY);
});

test("navigation → islands and lists are kept, no accessibility violations", async ({ page, arrivals, watch }) => {
  watch.allow("Handled error");
  await openPage(page);
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  await refetch(page);
  // The telemetry's state outlives the islands.
  await waitForTelemetry(page);
  await expect(page.getByRole("main")).toBeFocused();
  await make(page, "Handled error");
  await arrivals.waitForItem("the error", ({ type }) => type === "event");
  await expect(page.getByRole("region", { name: "Newest errors" })).toContainText("Handled error");
  await expectAccessible(page);
});

test("navigation → the strip keeps its counts, and animates nothing again", async ({ page, context, watch }) => {
  watch.allow("Handled error");
  const outcomes = watchOutcomes(context);
  const sending = new Set<Request>();
  page.on("request", (request) => request.method() === "POST" && sending.add(request));
  page.on("requestfinished", (request) => sending.delete(request));
  await openPage(page);
  await make(page, "Handled error");
  const marks = page.locator(".tube > .moving");
  const counted = page.locator(".pipeline-strip li").last();
  await expect(counted).toContainText(/([2-9]|\d\d) stored/);
  // Blocks new envelopes: any moving mark would be an old one.
  await page.route("/monitoring", (route) => void sending.delete(route.request()));
  await expect.poll(() => sending.size).toBe(0);
  const stored = outcomes.filter((outcome) => outcome === "stored").length;
  await expect(counted).toContainText(`${stored} stored`);
  await expect(marks).toHaveCount(0);
  const before = (await counted.textContent())!;
  await page.evaluate(() => {
    const { dataset } = document.documentElement;
    new MutationObserver(() => {
      const moving = [...document.querySelectorAll(".tube > .moving")].map((mark) =>
        mark.className
      );
      if (moving.length > Number(dataset.moving ?? 0)) dataset.moving = String(moving.length);
    }).observe(document.body, { subtree: true, childList: true });
  });
  await refetch(page);
  await expect(counted).toHaveText(before);
  await expect(page.locator("html")).not.toHaveAttribute("data-moving");
});

for (const reducedMotion of ["no-preference", "reduce"] as const) {
  test.describe(`prefers-reduced-motion: ${reducedMotion}`, () => {
    test.use({ contextOptions: { reducedMotion } });

    test("slow navigation → a bar at the top, animated unless motion is reduced", async ({ page }) => {
      await openPage(page);
      const release = await holdRequests(page, isPartial);
      await home(page).click();
      await expect(page.locator("html")).toHaveAttribute("data-navigating", "");
      const bar = await page.evaluate(() => {
        const { animationName, height, position } = getComputedStyle(
          document.documentElement,
          "::before",
        );
        return { animationName, height, position };
      });
      expect(bar).toEqual({
        animationName: reducedMotion === "reduce" ? "none" : "near",
        height: "2px",
        position: "fixed",
      });
      release();
      await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
    });
  });
}

test("later scripts blocked → a link still replaces the page's content", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT");
  await blockLaterScripts(page);
  await page.goto("/");
  const control = page.getByRole("button", { name: "Handled error" });
  await expect(control).toBeEnabled();
  await control.evaluate((button) => {
    document.documentElement.dataset.same = "true";
    button.dataset.before = "true";
  });
  await home(page).click();
  await expect(page.locator("html[data-same] button[data-before]")).toHaveCount(0);
  await expect(page.locator("html")).toHaveAttribute("data-same", "true");
  await expect(control).toBeEnabled();
});

test("telemetry throws → a link loads the page in full", async ({ page, watch }) => {
  // A web vital that is reported meanwhile makes a span too.
  watch.allow("no entropy");
  await openPage(page);
  await page.evaluate(() => {
    document.documentElement.dataset.same = "true";
    // Starting a trace needs random ids.
    crypto.getRandomValues = () => {
      throw new Error("no entropy");
    };
  });
  await home(page).click();
  await expect(page.locator("html:not([data-same])")).toBeAttached();
  await waitForTelemetry(page);
});
