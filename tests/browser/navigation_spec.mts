/** The kernel's navigation, on its own fixture project: what a person at a browser gets of it. */
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

/** The first counter on the page, which counts: its island lives. */
async function expectAlive(page: Page): Promise<void> {
  const counter = page.getByRole("button").first();
  const before = Number(await counter.textContent());
  await counter.click();
  await expect(counter).toHaveText(String(before + 1));
}

/** Scrolls, and waits until the page has noted it. */
async function scroll(page: Page, to: number): Promise<void> {
  await page.evaluate((y) => scrollTo(0, y), to);
  await expect.poll(() => page.evaluate(() => history.state?.place?.[1])).toBe(to);
}

test("a link shows the other page in the same document: content, title, address, islands", async ({ page, sent }) => {
  await open(page);
  await expectAlive(page);
  const before = await entries(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await expect(page).toHaveTitle("About");
  await expect(page).toHaveURL("/about");
  await expectAlive(page);
  await expectSameDocument(page);
  expect(await entries(page)).toBe(before + 1);
  await expect(page.locator("[data-page]")).toHaveCount(1);
  const asked = sent.all.filter(({ url }) => isData(url));
  expect(asked.map(({ url, kind, method }) => [url.pathname + url.search, kind, method])).toEqual([
    ["/about?fresh-partial=true", "xhr", "GET"],
  ]);
});

test("an island that is hidden comes when it is displayed, also on a page that was navigated to", async ({ page, sent }) => {
  await open(page);
  await link(page, "About").click();
  await expect(heading(page)).toHaveText("About");
  await expectAlive(page);
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

test("back and forward show the pages they name, each alive, with no entry more", async ({ page }) => {
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
    await expectAlive(page);
  }
  await expect(page).toHaveTitle("About");
  await expectSameDocument(page);
  expect(await entries(page)).toBe(count);
});

test("a link in a drawing is followed too", async ({ page }) => {
  await open(page);
  await page.getByText("Drawn").click();
  await expect(heading(page)).toHaveText("About");
  await expectSameDocument(page);
});

test("what is the browser's own stays its own: modifiers, other windows, files, others' pages", async ({ page, context, sent }) => {
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

test("a link to the current address fetches it again: no entry, the same scroll and focus, a new island", async ({ page }) => {
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
  // The state of the island before is gone: it is another one.
  await expect(page.getByRole("button")).toHaveText("9");
  await expect(again).toBeFocused();
  await expectAlive(page);
  expect(await top(page)).toBe(place);
  expect(await entries(page)).toBe(before);
  await expectSameDocument(page);
});

test("the focus comes back to a control that takes it only once its island lives again", async ({ page }) => {
  await open(page, "/long");
  const field = page.getByLabel("Note");
  await field.focus();
  await page.evaluate(() => {
    // As a script would, so that the focus stays where it is.
    [...document.querySelectorAll("a")].find((link) => link.text === "Again")!.click();
  });
  await expect(announced(page)).toHaveText("Long");
  await expect(field).toBeFocused();
});

test("a new page begins at its top or at the fragment, history where it was left", async ({ page }) => {
  await open(page, "/long");
  await scroll(page, 1_500);
  // Without the scrolling that a click on it would do.
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
  // Also by way of another document.
  await page.goto("/note.txt");
  await page.goBack();
  await expect(heading(page)).toHaveText("Long");
  await expect.poll(() => top(page)).toBe(half);
});

test("a fragment leads to its element also where it is written encoded", async ({ page }) => {
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

test("a change of the fragment alone asks for nothing, nor does coming back over it", async ({ page, sent }) => {
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
  await expectAlive(page);
  await expectSameDocument(page);
  expect(sent.all.filter(({ url }) => isData(url))).toEqual([]);
});

test("arriving is told: the focus is in the new page's content, its title is said", async ({ page }) => {
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

test("a slow navigation says so, and then arrives", async ({ page }) => {
  await open(page);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route(isData, async (route) => {
    await released;
    await route.continue();
  });
  await link(page, "About").click();
  await expect(page.locator("html")).toHaveAttribute("data-navigating", "");
  await expect(page.locator("[data-page]")).toHaveAttribute("aria-busy", "true");
  // What is there stays usable meanwhile.
  await expectAlive(page);
  await expect(page).toHaveURL("/");
  release();
  await expect(heading(page)).toHaveText("About");
  await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
  await expect(page.locator("[data-page]")).not.toHaveAttribute("aria-busy");
  await expectSameDocument(page);
});

test("of two navigations the newer one wins: its content alone, its entry alone", async ({ page }) => {
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

test("the newer one wins also while the browser loads what could not be had as data", async ({ page, watch }) => {
  watch.allow("status of 500");
  await open(page);
  const held = Promise.withResolvers<void>();
  const leaving = page.waitForRequest((request) => request.isNavigationRequest());
  await page.route(/\/about/, async (route) => {
    if (!route.request().isNavigationRequest()) {
      return await route.fulfill({ status: 500, contentType: "text/html" });
    }
    await held.promise;
    // Nobody waits for it any more.
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

test("a page that the browser keeps whole in the middle of a step back goes on with it", async ({ page }) => {
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

test("going back during a navigation ends it, and going forth again shows what is there", async ({ page, sent }) => {
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
  // The page that is asked for has not come: nothing needs to be fetched for the one that is seen.
  const asked = () => sent.all.filter(({ url }) => isData(url)).map(({ url }) => url.pathname);
  const before = asked();
  await page.goBack();
  await expect(page.locator("html")).not.toHaveAttribute("data-navigating");
  await expect(heading(page)).toHaveText("About");
  held.resolve();
  await expectAlive(page);
  expect(asked()).toEqual(before);
  await expectSameDocument(page);
});

test("pages that are left before their islands live leave no errors behind", async ({ page }) => {
  await page.addInitScript((late) => {
    // React's work waits for a message to itself: on a busy machine, so long.
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
  await expectAlive(page);
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
  test(`with ${what} for an answer the browser loads the page`, async ({ page, watch }) => {
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

test("without an answer for ten seconds the browser loads the page", async ({ page }) => {
  await open(page);
  await page.route(isData, () => {
    // Never answered.
  });
  await link(page, "About").click();
  await expectFullLoad(page);
  await expect(heading(page)).toHaveText("About");
});

test("a failed step in the history, or a failed second look, loads that address", async ({ page, watch }) => {
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

test("a link that gives a file leaves the page as it is, with no progress to wait for", async ({ page }) => {
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
  await expectAlive(page);
  await expectSameDocument(page);
});

test("a click that a script makes on the document itself harms nothing", async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    document.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    dispatchEvent(new MouseEvent("click"));
  });
  await expectAlive(page);
  await expectSameDocument(page);
});

test("an address that leads elsewhere, or to nothing, is left to the browser", async ({ page, site, watch }) => {
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

test("page data of another build is not mixed in: the page is loaded anew", async ({ page, site }) => {
  await open(page);
  site.deploy();
  await link(page, "About").click();
  await expectFullLoad(page);
  await expect(page.getByText("About anew")).toBeVisible();
});

test.describe("coming back to the tab", () => {
  /** Tells the page that its tab is hidden or seen: a browser without windows hides none. */
  const see = (page: Page, hidden: boolean) =>
    page.evaluate((is) => {
      Object.defineProperty(document, "hidden", { value: is, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }, hidden);
  const asksByHead = (page: Page) =>
    page.waitForResponse((response) =>
      response.request().method() === "HEAD" && DATA.test(response.url())
    );
  /** Leaves for so long, in milliseconds, and comes back. */
  async function leave(page: Page, ms: number): Promise<void> {
    await see(page, true);
    await page.clock.fastForward(ms);
    await see(page, false);
  }

  test.beforeEach(async ({ page }) => {
    await page.clock.install();
  });

  test("after another build was deployed the page loads itself", async ({ page, site }) => {
    await open(page, "/about");
    site.deploy();
    await leave(page, 31_000);
    await expectFullLoad(page);
    await expect(page.getByText("About anew")).toBeVisible();
  });

  test("a page that the browser had kept whole loads itself too", async ({ page, site }) => {
    await open(page, "/about");
    site.deploy();
    await page.clock.fastForward(31_000);
    await page.evaluate(() =>
      dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))
    );
    await expectFullLoad(page);
    await expect(page.getByText("About anew")).toBeVisible();
  });

  test("with the same build nothing happens, and it is asked for seldom", async ({ page, sent }) => {
    await open(page, "/about");
    const heads = () => sent.all.filter(({ method }) => method === "HEAD").length;
    await leave(page, 5_000); // too soon after the page itself
    await leave(page, 500); // a glance
    const answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await leave(page, 10_000); // too soon after the last question
    const again = asksByHead(page);
    await leave(page, 21_000);
    await again;
    expect(heads()).toBe(2);
    await expectAlive(page);
    await expectSameDocument(page);
  });

  test("a field that is filled in is not lost: the page waits for the next return", async ({ page, site }) => {
    await open(page, "/long");
    await page.getByLabel("Note").fill("half a sentence");
    await page.getByRole("button").focus();
    site.deploy();
    let answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await expectAlive(page);
    await page.getByLabel("Note").fill("");
    // Empty, but somebody is at it.
    answered = asksByHead(page);
    await leave(page, 2_000);
    await answered;
    await expectAlive(page);
    await expectSameDocument(page);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await leave(page, 2_000);
    await expectFullLoad(page);
  });

  test("offline or with a failing server nothing happens", async ({ page, watch }) => {
    watch.allow("Failed to load resource", "status of 503");
    await open(page, "/about");
    await page.route(isData, (route) => route.abort("internetdisconnected"));
    const failed = page.waitForEvent("requestfailed");
    await leave(page, 31_000);
    await failed;
    await page.unroute(isData);
    await page.route(isData, (route) => route.fulfill({ status: 503 }));
    const answered = asksByHead(page);
    await leave(page, 31_000);
    await answered;
    await expectAlive(page);
    await expectSameDocument(page);
  });
});

test("200 navigations leave nothing behind: nodes, listeners, documents", async ({ page, context }) => {
  test.slow();
  await open(page);
  const cdp = await context.newCDPSession(page);
  const round = async () => {
    await link(page, "About").click();
    await expect(heading(page)).toHaveText("About");
    await link(page, "Home").click();
    await expect(heading(page)).toContainText("Variant");
  };
  // What is made once, and what the tools keep of the first pages.
  for (let i = 0; i < 10; i++) await round();
  const before = await counters(cdp);
  for (let i = 0; i < 100; i++) await round();
  const after = await counters(cdp);
  await expectSameDocument(page);
  await expectAlive(page);
  expect(after.documents - before.documents).toBeLessThan(3);
  expect(after.nodes - before.nodes).toBeLessThan(200);
  expect(after.jsEventListeners - before.jsEventListeners).toBeLessThan(20);
});

async function counters(cdp: CDPSession) {
  // Twice: what the first round lets go of may hold others.
  for (let i = 0; i < 2; i++) await cdp.send("HeapProfiler.collectGarbage");
  return await cdp.send("Memory.getDOMCounters");
}
