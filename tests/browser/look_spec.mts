/** The page without scripts, on a phone, in forced colours, zoomed and with less motion. */
import { VIEWS } from "../../islands/shell/registry.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { largeTrace, nodeEvent, postEvents, postSpans, spanId } from "../harness/browser/posted.ts";
import { ERRORS, make, makeEverySignal, openPage, sendButton } from "../harness/browser/signals.ts";
import { openView, tab } from "../harness/browser/views.ts";

test("overview, empty and full, every signal made → accessible, no overflow at 360 px", async ({ page, server, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 503");
  await page.goto("/");
  await expect(page.getByRole("heading", { name: "Point any Sentry SDK here" })).toBeVisible();
  await expectAccessibleLayout(page, "empty");
  await postSpans(server.origin, ...largeTrace("0123456789abcdef0123456789abcdef", 20));
  await postEvents(server.origin, nodeEvent());
  await expect(page.getByRole("region", { name: "Needs a look" })).toContainText("1×");
  await expectAccessibleLayout(page, "full");
  await openPage(page);
  await makeEverySignal(page);
  await expectAccessibleLayout(page, "every signal");
});

test("forced colours → tab, gauges, bars, marks, selected span and focus are visible", async ({ page, server }) => {
  const traceId = "0123456789abcdef0123456789abcdef";
  await postSpans(server.origin, ...largeTrace(traceId, 20));
  await page.emulateMedia({ forcedColors: "active" });
  await openPage(page);
  await make(page, "fatal");
  const hasStyle = (selector: string, name: string, value: string) =>
    expect(page.locator(selector).first(), selector).toHaveCSS(name, value);
  /** Without it, the theme paints the background over it. */
  const isDrawn = (selector: string) => hasStyle(selector, "forced-color-adjust", "none");
  await openView(page, "Traces");
  await expect(tab(page, "Traces")).toHaveCSS("border-bottom-style", "solid");
  await expect(tab(page, "Logs")).toHaveCSS("border-bottom-style", "none");
  await isDrawn(".gauge i");
  await isDrawn(".mark");
  await page.locator(`a[data-row="${traceId}"]`).focus();
  await page.keyboard.press("Shift");
  await hasStyle("tr:has(.row-link:focus-visible)", "outline-style", "solid");

  await page.goto(`/#/traces/${traceId}?span=${spanId(3)}`);
  await isDrawn(".span-bar");
  await hasStyle('.wf-row[aria-selected="true"]', "outline-style", "dashed");
  await page.goto("/#/logs?application=all");
  await isDrawn(".level .mark");
});

test.describe("with less motion", () => {
  test.use({ contextOptions: { reducedMotion: "reduce" } });

  test("reduced motion → no view animates anything but opacity", async ({ page, watch }) => {
    watch.allow(ERRORS.handled);
    // Collects all properties that animations and transitions change.
    await page.addInitScript(() => {
      const seen: string[] = (globalThis as { seen?: string[] }).seen = [];
      const look = () => {
        for (const { effect } of document.getAnimations()) {
          for (const frame of (effect as KeyframeEffect).getKeyframes()) {
            const { offset: _1, computedOffset: _2, easing: _3, composite: _4, ...rest } = frame;
            seen.push(...Object.keys(rest));
          }
        }
        requestAnimationFrame(look);
      };
      look();
    });
    await openPage(page);
    for (const { title } of VIEWS) {
      await openView(page, "Overview");
      await make(page, "info");
      await openView(page, title);
      // By an event: most views hide the button.
      await page.locator(".settings button", { hasText: "Send test signals" }).dispatchEvent(
        "click",
      );
    }
    const seen = await page.evaluate(() => (globalThis as { seen?: string[] }).seen ?? []);
    expect(seen.filter((property) => property !== "opacity")).toEqual([]);
  });
});

test.describe("at 200 %", () => {
  // 1280 by 800 pixels of a screen (WCAG 1.4.4, 1.4.10).
  test.use({ viewport: { width: 640, height: 400 }, deviceScaleFactor: 2 });

  test("zoom of 200 % → every view reflows, no scrolling in two directions", async ({ page, server }) => {
    const traceId = "0123456789abcdef0123456789abcdef";
    await postSpans(server.origin, ...largeTrace(traceId, 20));
    await page.goto("/");
    const places = [
      ...VIEWS.map(({ id }) => `#/${id}`),
      `#/traces/${traceId}?span=${spanId(3)}`,
      "#/envelopes/1",
    ];
    for (const place of places) {
      await page.goto(`/${place}`);
      await expect(page.locator(".view:visible").first()).not.toContainText(/^(Loading|Reading)/);
      await expect.poll(
        () =>
          page.evaluate(() =>
            [document.documentElement, ...document.querySelectorAll(".frame, .waterfall, .view")]
              .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
              .map(({ className, tagName }) => `${tagName} ${className}`)
          ),
        place,
      ).toEqual([]);
    }
  });
});

test("a view's styles are late, do not load, load → nothing of it is drawn without them", async ({ page, watch }) => {
  watch.allow("Failed to load resource");
  await page.goto("/");
  const href = await page.evaluate(() => {
    const map = document.querySelector("script[type=importmap]")!.textContent;
    return JSON.parse(map).imports["errors.css"] as string;
  });
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>();
  const { promise: isLate, resolve: fail } = Promise.withResolvers<void>();
  await page.route(`**${href}`, async (route) => {
    asked();
    await isLate;
    await route.abort();
  });
  await tab(page, "Errors").click();
  await isAsked;
  const view = page.locator(".view.errors");
  await expect(view).toContainText("Loading errors.");
  fail();
  await expect(view.getByRole("alert")).toContainText("did not load");
  await page.unroute(`**${href}`);
  await view.getByRole("button", { name: "Try again" }).click();
  await expect(view.locator(".list")).toBeVisible();
  await expect(page.locator(`link[href$="${href}"]`)).toHaveCount(1);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false, serverEnv: { SENTRY_ENVIRONMENT: "staging" } });

  test("no JavaScript → the page shows its title, a note and the configuration", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1, name: "Sightglass" })).toBeVisible();
    // By its size: the test runner does not find text inside <noscript>.
    const note = page.locator(".noscript");
    const shown = await note.textContent();
    const texts = [
      "JavaScript is off",
      "staging",
      "the embedded inbox",
      "masked",
      "blocked",
      "0.1",
    ];
    for (const text of texts) expect(shown).toContain(text);
    expect((await note.boundingBox())?.height).toBeGreaterThan(0);
    await expect(page.getByRole("navigation")).toBeHidden();
  });
});

test("a component fails → a fallback with a retry button", async ({ page, watch }) => {
  watch.allow(ERRORS.component);
  await openPage(page);
  await make(page, "component");
  const failure = page.getByRole("alert").filter({ hasText: "Test signals failed." });
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(failure).toHaveCount(0);
  await expect(sendButton(page)).toBeVisible();
});
