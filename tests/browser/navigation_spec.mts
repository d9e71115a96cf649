/** Client navigation of the kernel, on its fixture project. */
import type { CDPSession, Page } from "@playwright/test";
import { expect } from "./fixtures.ts";
import {
  expectFullLoad,
  expectSameDocument,
  heading,
  link,
  open,
  test,
} from "./navigation_site.ts";

const DATA = /fresh-partial=true/;
const isData = (url: URL) => DATA.test(url.search);
const entries = (page: Page) => page.evaluate(() => history.length);
const top = (page: Page) => page.evaluate(() => scrollY);
const announced = (page: Page) => page.locator("[data-announcer]");

/** Checks that the first counter on the page works: its island is hydrated. */
async function expectHydrated(page: Page): Promise<void> {
  const counter = page.getByRole("button").first();
  const before = Number(await counter.textContent());
  await counter.click();
  await expect(counter).toHaveText(String(before + 1));
}

/** Scrolls, and waits until the page has saved the position. */
async function scroll(page: Page, to: number): Promise<void> {
  await page.evaluate((y) => scrollTo(0, y), to);
  await expect.poll(() => page.evaluate(() => history.state?.place?.[1])).toBe(to);
}

test("link → content, title, address, islands replaced in the same document", async ({ page, sent }) => {
  await open(page);
  await expectHydrated(page);
  const before = await entries(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await expect(page).toHaveTitle("About");
  await expect(page).toHaveURL("/about");
  await expectHydrated(page);
  await expectSameDocument(page);
  expect(await entries(page)).toBe(before + 1);
  await expect(page.locator("[data-page]")).toHaveCount(1);
  const asked = sent.all.filter(({ url }) => isData(url));
  expect(asked.map(({ url, kind, method }) => [url.pathname + url.search, kind, method])).toEqual([
    ["/about?fresh-partial=true", "xhr", "GET"],
  ]);
});

test("hidden island on a new page → loaded when displayed", async ({ page, sent }) => {
  await open(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await expectHydrated(page);
  const scripts = () => sent.all.filter(({ kind }) => kind === "script").length;
  const before = scripts();
  const folded = page.getByRole("button", { name: /^Folded/ });
  await expect(folded).toBeHidden();
  await page.getByText("More", { exact: true }).click();
  await expect.poll(scripts).toBe(before + 1);
  await expect(async () => {
    await folded.click();
    await expect(folded).toHaveText(/^Folded [1-9]/, { timeout: 100 });
  }).toPass();
});

test("back and forward → the right pages, hydrated, no new history entry", async ({ page }) => {
  await open(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await link(page, "Long").click();
  await expect(heading(page)).toHaveText("Long");
  const count = await entries(page);
  const steps = [["goBack", "About"], ["goBack", "Variant"], ["goForward", "About"]] as const;
  for (const [step, name] of steps) {
    await page[step]();
    await expect(heading(page)).toContainText(name);
    await expectHydrated(page);
  }
  await expect(page).toHaveTitle("About");
  await expectSameDocument(page);
  expect(await entries(page)).toBe(count);
});

test("SVG link → client navigation", async ({ page }) => {
  await open(page);
  await page.getByText("Drawn").click();
  await expect(heading(page)).toHaveText("About");
  await expectSameDocument(page);
});

test("modifier keys, other windows, downloads, external links → the browser's", async ({ page, context, sent }) => {
  await open(page);
  for (const modifier of ["Control", "Shift"] as const) {
    const opened = context.waitForEvent("page");
    await link(page, "About").click({ modifiers: [modifier] });
    await (await opened).close();
  }
  const opened = context.waitForEvent("page");
  await link(page, "Another window").click();
  await (await opened).close();
  const download = page.waitForEvent("download");
  await link(page, "A file").click();
  await (await download).cancel();
  await page.evaluate(() =>
    document.querySelector("main")!.addEventListener("click", (click) => click.preventDefault(), {
      once: true,
    })
  );
  await link(page, "About").click();
  await expectSameDocument(page);
  await link(page, "Theirs").click();
  await expectFullLoad(page);
  expect(sent.all.filter(({ url }) => isData(url))).toEqual([]);
});

test("link to the current address → fetched again, same scroll and focus", async ({ page }) => {
  await open(page, "/long");
  await page.getByRole("button").click();
  await expect(page.getByRole("button")).toHaveText("10");
  const again = link(page, "Again");
  await again.scrollIntoViewIfNeeded();
  const place = await top(page);
  expect(place).toBeGreaterThan(500);
  const before = await entries(page);
  await again.focus();
  await again.press("Enter");
  // A new island with its initial state.
  await expect(page.getByRole("button")).toHaveText("9");
  await expect(again).toBeFocused();
  await expectHydrated(page);
  expect(await top(page)).toBe(place);
  expect(await entries(page)).toBe(before);
  await expectSameDocument(page);
});

test("focused control of an island → focused again after hydration", async ({ page }) => {
  await open(page, "/long");
  const field = page.getByLabel("Note");
  await field.focus();
  await page.evaluate(() => {
    // By script, so that the focus does not move.
    [...document.querySelectorAll("a")].find((link) => link.text === "Again")!.click();
  });
  await expect(announced(page)).toHaveText("Long");
  await expect(field).toBeFocused();
});

test("new page → top or fragment; history → the saved scroll position", async ({ page }) => {
  await open(page, "/long");
  await scroll(page, 1_500);
  // Without the scrolling of a real click.
  const follow = (name: string) => link(page, name).first().dispatchEvent("click");
  await follow("Home");
  await expect(heading(page)).toContainText("Variant");
  expect(await top(page)).toBe(0);
  await follow("Half of it");
  await expect(heading(page)).toHaveText("Long");
  await expect(page.getByRole("heading", { name: "Half" })).toBeInViewport();
  await expect(page).toHaveURL("/long#half");
  const half = await top(page);
  expect(half).toBeGreaterThan(500);
  await page.goBack();
  await expect(heading(page)).toContainText("Variant");
  expect(await top(page)).toBe(0);
  await page.goBack();
  await expect(heading(page)).toHaveText("Long");
  await expect.poll(() => top(page)).toBe(1_500);
  await page.goForward();
  await page.goForward();
  await expect(page).toHaveURL("/long#half");
  await expect.poll(() => top(page)).toBe(half);
  // Also through another document.
  await page.goto("/note.txt");
  await page.goBack();
  await expect(heading(page)).toHaveText("Long");
  await expect.poll(() => top(page)).toBe(half);
});

test("percent-encoded fragment → its element", async ({ page }) => {
  await open(page);
  await page.route(/\/long\?fresh/, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace('id="half"', 'id="hälfte"');
    await route.fulfill({ response, body });
  });
  await link(page, "Half of it").evaluate((half) => half.setAttribute("href", "/long#hälfte"));
  await link(page, "Half of it").click();
  await expect(page).toHaveURL("/long#h%C3%A4lfte");
  await expect(page.getByRole("heading", { name: "Half" })).toBeFocused();
  expect(await top(page)).toBeGreaterThan(500);
  await expectSameDocument(page);
});

test("only the fragment changes → no request, also in the history", async ({ page, sent }) => {
  await open(page, "/long");
  await link(page, "Half way").click();
  await expect(page).toHaveURL("/long#half");
  const half = await top(page);
  expect(half).toBeGreaterThan(500);
  await page.goBack();
  await expect(page).toHaveURL("/long");
  await expect.poll(() => top(page)).toBe(0);
  await page.goForward();
  await expect(page).toHaveURL("/long#half");
  await expect.poll(() => top(page)).toBe(half);
  // A script that names a view in the fragment does not scroll.
  await page.evaluate(() => location.hash = "view=%");
  await expect(page).toHaveURL("/long#view=%");
  expect(await top(page)).toBe(half);
  await expectHydrated(page);
  await expectSameDocument(page);
  expect(sent.all.filter(({ url }) => isData(url))).toEqual([]);
});

test("new page → focus on its content, title announced", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button").first()).toBeFocused();
  await link(page, "About").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(heading(page)).toHaveText("About");
  await expect(announced(page)).toHaveText("About");
  await expect(announced(page)).toHaveAttribute("role", "status");
  // The next stop is the first control of the new page.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button")).toHaveText("8");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(heading(page)).toContainText("Variant");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(announced(page)).toHaveText("Fixture");
});

test("slow navigation → progress is shown until it ends", async ({ page }) => {
  await open(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(isData, async (route) => {
    await released;
    await route.continue();
  });
  await link(page, "About").click();
  await expect(page.locator("html")).toHaveAttribute("data-navigating", "");
  await expect(page.locator("[data-page]")).toHaveAttribute("aria-busy", "true");
  // The old page stays usable.
  await expectHydrated(page);
  await expect(page).toHaveURL("/");
  release();
  await expect(heading(page)).toHaveText("About");
  await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
  await expect(page.locator("[data-page]")).not.toHaveAttribute("aria-busy");
  await expectSameDocument(page);
});

test("two navigations at once → only the newer one, one history entry", async ({ page }) => {
  await open(page);
  const before = await entries(page);
  const held = Promise.withResolvers<void>();
  const asked = page.waitForRequest((request) => request.url().includes("/about?"));
  await page.route(/\/about\?/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await link(page, "About").click();
  const first = await asked;
  const given = page.waitForEvent("requestfailed", (request) => request === first);
  await link(page, "Long").first().click();
  await given;
  await expect(heading(page)).toHaveText("Long");
  held.resolve();
  expect(await entries(page)).toBe(before + 1);
  await page.goBack();
  await expect(heading(page)).toContainText("Variant");
  await expectSameDocument(page);
});

test("link clicked while the browser loads a document → the newer one wins", async ({ page, watch }) => {
  watch.allow("status of 500");
  await open(page);
  const held = Promise.withResolvers<void>();
  const leaving = page.waitForRequest((request) => request.isNavigationRequest());
  await page.route(/\/about/, async (route) => {
    if (!route.request().isNavigationRequest()) {
      return await route.fulfill({ status: 500, contentType: "text/html" });
    }
    await held.promise;
    // The request has been cancelled.
    await route.continue().catch(() => {});
  });
  await page.evaluate(() => {
    const links = [...document.querySelectorAll("a")];
    const follow = (name: string) => links.find((link) => link.text === name)!.click();
    follow("About");
    setTimeout(() => follow("Long"), 1_000);
  });
  await leaving;
  await expect(heading(page)).toHaveText("Long");
  held.resolve();
  await page.waitForLoadState("networkidle");
  await expect(heading(page)).toHaveText("Long");
  await expect(page).toHaveURL("/long");
});

test("back/forward cache during a history step → the step is completed", async ({ page }) => {
  await open(page, "/about");
  await link(page, "Home").click();
  await expect(heading(page)).toContainText("Variant");
  await page.route(isData, () => {
    // Never answered.
  });
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL("/about");
  const keep = (type: string) =>
    page.evaluate((type) => {
      dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
    }, type);
  await keep("pagehide");
  await page.unroute(isData);
  await keep("pageshow");
  await expect(heading(page)).toHaveText("About");
  await expectSameDocument(page);
});

test("back during a navigation → cancelled, the displayed page stays", async ({ page, sent }) => {
  await open(page, "/about");
  await link(page, "Home").click();
  await expect(heading(page)).toContainText("Variant");
  const held = Promise.withResolvers<void>();
  await page.route(/\/long\?/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await link(page, "Long").first().click();
  await page.goBack();
  await expect(heading(page)).toHaveText("About");
  await page.route(/\/\?fresh/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goForward();
  await expect(page.locator("html")).toHaveAttribute("data-navigating", "");
  // The displayed page needs no request: the other one has not arrived.
  const asked = () => sent.all.filter(({ url }) => isData(url)).map(({ url }) => url.pathname);
  const before = asked();
  await page.goBack();
  await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
  await expect(heading(page)).toHaveText("About");
  held.resolve();
  await expectHydrated(page);
  expect(asked()).toEqual(before);
  await expectSameDocument(page);
});

test("page left before hydration → no errors", async ({ page }) => {
  await page.addInitScript((late) => {
    // Delays React's scheduler, as a busy machine does.
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, ...message: unknown[]) {
      setTimeout(() => Reflect.apply(post, this, message), late);
    } as typeof post;
  }, 250);
  await open(page);
  for (let round = 0; round < 3; round++) {
    await link(page, "About").click();
    await expect(heading(page)).toHaveText("About");
    await link(page, "Home").click();
    await expect(heading(page)).toContainText("Variant");
  }
  await expectHydrated(page);
  await expectSameDocument(page);
});

const failures: Record<string, (page: Page) => Promise<unknown>> = {
  "no connection": (page) => page.route(isData, (route) => route.abort("connectionrefused")),
  "an error": (page) =>
    page.route(isData, (route) => route.fulfill({ status: 500, contentType: "text/html" })),
  "no page data": (page) =>
    page.route(
      isData,
      (route) => route.fulfill({ contentType: "text/html", body: "<p>Something else</p>" }),
    ),
  "no HTML": (page) =>
    page.route(isData, (route) => route.fulfill({ contentType: "application/json", body: "{}" })),
};
for (const [what, fail] of Object.entries(failures)) {
  test(`page data request gets ${what} → full page load`, async ({ page, watch }) => {
    watch.allow("Failed to load resource", "status of 500");
    await open(page);
    await fail(page);
    await link(page, "About").click();
    await expectFullLoad(page);
    await expect(heading(page)).toHaveText("About");
    await expect(page).toHaveURL("/about");
    await page.goBack();
    await expect(heading(page)).toContainText("Variant");
  });
}

test("page data request without response for 10 s → full page load", async ({ page }) => {
  await open(page);
  await page.route(isData, () => {
    // Never answered.
  });
  await link(page, "About").click();
  await expectFullLoad(page);
  await expect(heading(page)).toHaveText("About");
});

test("history step or reload by link fails → full page load", async ({ page, watch }) => {
  watch.allow("status of 500");
  await open(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await page.route(isData, (route) => route.fulfill({ status: 500, contentType: "text/html" }));
  await page.goBack();
  await expectFullLoad(page);
  await expect(heading(page)).toContainText("Variant");
  await page.evaluate(() => void (document.documentElement.dataset.same = "true"));
  await link(page, "This page").click();
  await expectFullLoad(page);
  await expect(page).toHaveURL("/");
});

test("link to a download → the page stays, progress ends", async ({ page }) => {
  await open(page);
  const { promise: shown, resolve: answer } = Promise.withResolvers<void>();
  await page.route(/\/about/, async (route) => {
    if (isData(new URL(route.request().url()))) await shown;
    await route.fulfill({
      contentType: "application/octet-stream",
      headers: { "Content-Disposition": "attachment; filename=about" },
      body: "A file.",
    });
  });
  const download = page.waitForEvent("download");
  await link(page, "About").dispatchEvent("click");
  await expect(page.locator("html")).toHaveAttribute("data-navigating", "");
  answer();
  await (await download).cancel();
  await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
  await expect(page.locator("[data-page]")).not.toHaveAttribute("aria-busy");
  await expectHydrated(page);
  await expectSameDocument(page);
});

test("click event on document or window → no error", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    document.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    dispatchEvent(new MouseEvent("click"));
  });
  await expectHydrated(page);
  await expectSameDocument(page);
});

test("page data redirected or missing → full page load", async ({ page, site, watch }) => {
  watch.allow("status of 404");
  await open(page);
  site.redirect(true);
  await link(page, "About").click();
  await expectFullLoad(page);
  await expect(page).toHaveURL("/");
  await page.evaluate(() => void (document.documentElement.dataset.same = "true"));
  await link(page, "Nowhere").click();
  await expectFullLoad(page);
  await expect(page.getByText("No such page.")).toBeVisible();
});

test("page data of another version → full page load", async ({ page, site }) => {
  await open(page);
  site.deploy();
  await link(page, "About").click();
  await expectFullLoad(page);
  await expect(page.getByText("About anew")).toBeVisible();
});

test.describe("return to the tab", () => {
  /** Simulates hiding and showing the tab, which a headless browser cannot do. */
  const setHidden = (page: Page, hidden: boolean) =>
    page.evaluate((is) => {
      Object.defineProperty(document, "hidden", { value: is, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  /** Opens a page and waits until the version check has loaded too, which is the last request. */
  async function openIdle(page: Page, path: string): Promise<void> {
    await open(page, path);
    await page.waitForLoadState("networkidle");
  }
  const asksByHead = (page: Page) =>
    page.waitForResponse((response) =>
      response.request().method() === "HEAD" && DATA.test(response.url())
    );
  /** Hides the tab for `ms` and shows it again. */
  async function leave(page: Page, ms: number): Promise<void> {
    await setHidden(page, true);
    await page.clock.fastForward(ms);
    await setHidden(page, false);
  }

  test.beforeEach(async ({ page }) => {
    await page.clock.install();
  });

  test("another version deployed → the page reloads", async ({ page, site }) => {
    await openIdle(page, "/about");
    site.deploy();
    await leave(page, 31_000);
    await expectFullLoad(page);
    await expect(page.getByText("About anew")).toBeVisible();
  });

  test("another version, page from the back/forward cache → reloads", async ({ page, site }) => {
    await openIdle(page, "/about");
    site.deploy();
    await page.clock.fastForward(31_000);
    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    );
    await expectFullLoad(page);
    await expect(page.getByText("About anew")).toBeVisible();
  });

  test("same version → no reload, at most one check in 30 s", async ({ page, sent }) => {
    await openIdle(page, "/about");
    const heads = () => sent.all.filter(({ method }) => method === "HEAD").length;
    await leave(page, 5_000); // too soon after the page load
    await leave(page, 500); // too short
    const answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await leave(page, 10_000); // too soon after the last check
    const again = asksByHead(page);
    await leave(page, 21_000);
    await again;
    expect(heads()).toBe(2);
    await expectHydrated(page);
    await expectSameDocument(page);
  });

  test("field with input or focus → reload is postponed", async ({ page, site }) => {
    await openIdle(page, "/long");
    await page.getByLabel("Note").fill("half a sentence");
    await page.getByRole("button").focus();
    site.deploy();
    let answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await expectHydrated(page);
    await page.getByLabel("Note").fill("");
    // Empty, but focused.
    answered = asksByHead(page);
    await leave(page, 2_000);
    await answered;
    await expectHydrated(page);
    await expectSameDocument(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await leave(page, 2_000);
    await expectFullLoad(page);
  });

  test("check fails → no reload", async ({ page, watch }) => {
    watch.allow("Failed to load resource", "status of 503");
    await openIdle(page, "/about");
    await page.route(isData, (route) => route.abort("internetdisconnected"));
    const failed = page.waitForEvent("requestfailed");
    await leave(page, 31_000);
    await failed;
    await page.unroute(isData);
    await page.route(isData, (route) => route.fulfill({ status: 503 }));
    const answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await expectHydrated(page);
    await expectSameDocument(page);
  });
});

test("200 navigations → no growth of nodes, listeners, documents", async ({ page, context }) => {
  test.slow();
  await open(page);
  const cdp = await context.newCDPSession(page);
  const round = async () => {
    await link(page, "About").click();
    await expect(heading(page)).toHaveText("About");
    await link(page, "Home").click();
    await expect(heading(page)).toContainText("Variant");
  };
  // Warm up: objects created once, and pages kept by developer tools.
  for (let i = 0; i < 10; i++) await round();
  const before = await counters(cdp);
  for (let i = 0; i < 100; i++) await round();
  const after = await counters(cdp);
  await expectSameDocument(page);
  await expectHydrated(page);
  expect(after.documents - before.documents).toBeLessThan(3);
  expect(after.nodes - before.nodes).toBeLessThan(200);
  expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(20);
});

async function counters(cdp: CDPSession) {
  // Twice: objects freed by the first collection may reference others.
  for (let i = 0; i < 2; i++) await cdp.send("HeapProfiler.collectGarbage");
  return await cdp.send("Memory.getDOMCounters");
}
