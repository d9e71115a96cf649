/** Navigation within the page: its traces, and the state of the page afterwards. */
import type { Page, Request } from "@playwright/test";
import { expect, logsOf, opOf, type Span, spansOf, test } from "../harness/browser/fixtures.ts";
import { watchOutcomes } from "../harness/browser/marks.ts";
import { isPartial } from "../harness/browser/navigation_site.ts";
import { expectAccessible } from "../harness/browser/page_look.ts";
import { blockLaterScripts, holdRequests } from "../harness/browser/requests.ts";
import { make, openPage, shownTraceId, waitForTelemetry } from "../harness/browser/signals.ts";
import { ownCount } from "../harness/browser/views.ts";

const home = (page: Page) => page.getByRole("link", { name: "Sightglass", exact: true });

/** Waits until the page shows another trace id. */
async function nextTraceId(page: Page, before: string): Promise<string> {
  await expect.poll(() => shownTraceId(page)).not.toBe(before);
  return await shownTraceId(page);
}

/**
 * Navigates to the page itself by the link in its header, and waits for the new trace and the new content: what a
 * button says is lost with the content that it was in.
 */
async function refetch(page: Page): Promise<{ traceId: string; request: Request }> {
  const before = await shownTraceId(page);
  await page.locator(".console").evaluate((console) => void (console.id = "replaced"));
  const requested = page.waitForRequest((request) => isPartial(new URL(request.url())));
  await home(page).click();
  const request = await requested;
  await expect(page.locator("#replaced")).toHaveCount(0);
  return { traceId: await nextTraceId(page, before), request };
}

/** Navigates to the page itself. The trace id of its request, which need not be answered. */
async function traceOfNavigation(page: Page): Promise<string> {
  const requested = page.waitForRequest((request) => isPartial(new URL(request.url())));
  await home(page).click();
  return (await requested).headers()["sentry-trace"]!.slice(0, 32);
}

/** The finished navigation span of a trace. */
const navigationOf = (spans: readonly Span[], traceId: string) =>
  spans.find((span) => span.trace_id === traceId && opOf(span) === "navigation");

test("navigation → its own trace, with its request and the server's span", async ({ page, arrivals, serverArrivals, watch }) => {
  watch.allow("Handled error");
  await openPage(page);
  const loaded = await shownTraceId(page);
  const navigations = [await refetch(page), await refetch(page)];
  expect(new Set([loaded, ...navigations.map(({ traceId }) => traceId)]).size).toBe(3);

  const last = navigations[1]!.traceId;
  await make(page, "handled");
  await make(page, "warn");
  await make(page, "span");

  for (const { traceId, request } of navigations) {
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
    const served = await serverArrivals.waitForSpan(
      "the server's span",
      ({ parent_span_id }) => parent_span_id === client.span_id,
    );
    expect([served.name, opOf(served)]).toEqual(["GET /", "http.server"]);
    expect(served.trace_id).toBe(traceId);
  }

  // Later signals belong to the latest navigation.
  const event = await arrivals.waitForError("Handled error");
  expect(event.contexts.trace.trace_id).toBe(last);
  const logs = await arrivals.waitFor("the log", (items) => {
    const found = logsOf(items);
    return found.length > 0 && found;
  });
  expect(logs.map(({ trace_id }) => trace_id)).toEqual([last]);
  const manual = await arrivals.waitForSpan(
    "the manual span",
    ({ name }) => name.includes("manual span"),
  );
  expect(manual.trace_id).toBe(last);
});

/** Whether a span is the request for page data, and not for `/signal`. */
const isPartialSpan = (span: Span) =>
  opOf(span) === "http.client" && !span.name.includes("/signal");

test("navigation before the SDK has started → its own time and trace", async ({ page, arrivals, watch }) => {
  watch.allow("Handled error");
  const html = await (await page.request.get("/")).text();
  const release = await holdRequests(page, "/assets/*", async (request) => {
    if (html.includes(new URL(request.url()).pathname)) return false;
    // The name of the global object of Sentry's SDK.
    return (await (await page.request.get(request.url())).text()).includes("__SENTRY__");
  });
  await page.goto("/");
  await make(page, "handled");
  const answered = page.waitForResponse((response) => isPartial(new URL(response.url())));
  const startedAt = Date.now();
  await home(page).click();
  await answered;
  const answeredAt = Date.now();
  // The answer has still to replace the page, whose address has no view.
  await expect(page).toHaveURL(({ hash }) => hash === "");
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
  const event = await arrivals.waitForError("Handled error");
  expect(event.contexts.trace.trace_id).toBe(load.trace_id);
  const log = await arrivals.waitForLog("the log");
  expect(log.trace_id).toBe(navigation.trace_id);
});

test("second navigation during the first → ends the first one's span", async ({ page, arrivals }) => {
  await openPage(page);
  let requests = 0;
  const release = await holdRequests(page, isPartial, () => requests++ === 0);
  const [older, newer] = [await traceOfNavigation(page), await traceOfNavigation(page)];
  release();
  const spans = await arrivals.waitFor("both", (items) => {
    const found = spansOf(items);
    return [older, newer].every((id) => navigationOf(found, id)) && found;
  });
  expect(newer).not.toBe(older);
  expect(navigationOf(spans, older)!.end_timestamp)
    .toBeLessThanOrEqual(navigationOf(spans, newer)!.start_timestamp + 0.05);
});

test("fragment changed, also by history → no new trace; a query is not sent", async ({ page, arrivals, sent }) => {
  await openPage(page);
  const loaded = await shownTraceId(page);
  await page.evaluate(() => location.hash = "view");
  await page.goBack();
  await page.goForward();
  await make(page, "info");
  const log = await arrivals.waitForLog("the log");
  expect(log.trace_id).toBe(loaded);
  expect(await shownTraceId(page)).toBe(loaded);
  expect(spansOf(await arrivals.items()).map(opOf)).not.toContain("navigation");
  expect(sent.all.filter(({ url }) => isPartial(url))).toEqual([]);

  const CANARY = "canary-in-the-query";
  await home(page).evaluate((link: HTMLAnchorElement, canary) => {
    link.href = `/?q=${canary}#${canary}`;
    link.click();
  }, CANARY);
  const traceId = await nextTraceId(page, loaded);
  await expect(page).toHaveURL(/canary/);
  await arrivals.waitFor("the navigation", (items) => navigationOf(spansOf(items), traceId));
  expect(await arrivals.text()).not.toContain(CANARY);
});

test("navigation → the views keep their state and counts, no accessibility violations", async ({ page, arrivals, context, watch }) => {
  watch.allow("Handled error");
  const outcomes = watchOutcomes(context);
  const sending = new Set<Request>();
  page.on("request", (request) => request.method() === "POST" && sending.add(request));
  page.on("requestfinished", (request) => sending.delete(request));
  // From the start: one that is sent while a first route is added is neither routed nor reported.
  let isBlocked = false;
  await page.route(
    "/monitoring",
    (route) => isBlocked ? void sending.delete(route.request()) : route.continue(),
  );
  await openPage(page);
  await make(page, "handled");
  await arrivals.waitForItem("the error", ({ type }) => type === "event");
  // Blocks new envelopes: the counts stay.
  isBlocked = true;
  await expect.poll(() => sending.size).toBe(0);
  const stored = outcomes.filter((outcome) => outcome === "stored").length;
  await expect(ownCount(page, "Stored")).toHaveText(String(stored));
  await refetch(page);
  await expect(ownCount(page, "Stored")).toHaveText(String(stored));
  await expect(page.getByRole("main")).toBeFocused();
  await expectAccessible(page);
});

test("later scripts blocked → a link still replaces the page's content", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT");
  await blockLaterScripts(page);
  await page.goto("/");
  await expect(page.getByRole("main").getByText("did not load")).toBeVisible();
  await page.locator(".console").evaluate((console) => {
    document.documentElement.dataset.same = "true";
    console.dataset.before = "true";
  });
  await home(page).click();
  await expect(page.locator("html[data-same] .console[data-before]")).toHaveCount(0);
  await expect(page.locator("html")).toHaveAttribute("data-same", "true");
  await expect(page.getByRole("main").getByText("did not load")).toBeVisible();
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
