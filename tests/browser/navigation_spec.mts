/** Client navigation of the framework, on its fixture project: content, history and focus. */
import type { CDPSession, Page } from "@playwright/test";
import { expect } from "../harness/browser/fixtures.ts";
import {
  expectFullLoad,
  expectHydrated,
  expectPage,
  expectSameDocument,
  follow,
  heading,
  historyLength,
  isPartial,
  link,
  open,
  test,
} from "../harness/browser/navigation_site.ts";

const top = (page: Page) => page.evaluate(() => scrollY);
const announced = (page: Page) => page.locator("[data-announcer]");

test("link → content, title, address, islands replaced in the same document", async ({ page, sent }) => {
  await open(page);
  // Clicks that hit no element are the browser's.
  await page.evaluate(() => {
    document.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    dispatchEvent(new MouseEvent("click"));
  });
  await expectHydrated(page);
  const before = await historyLength(page);
  await follow(page, "About");
  await expect(page).toHaveTitle("About");
  await expect(page).toHaveURL("/about");
  await expectHydrated(page);
  await expectSameDocument(page);
  expect(await historyLength(page)).toBe(before + 1);
  await expect(page.locator("[data-page]")).toHaveCount(1);
  const requested = sent.all.filter(({ url }) => isPartial(url));
  expect(requested.map(({ url, kind, method }) => [url.pathname + url.search, kind, method]))
    .toEqual([
      ["/about?fresh-partial=true", "xhr", "GET"],
    ]);
  await follow(page, "Home");
  // A link of an SVG.
  await page.getByText("Drawn").click();
  await expectPage(page, "About");
  await expectSameDocument(page);
});

test("back and forward → the right pages, hydrated, no new history entry", async ({ page }) => {
  await open(page);
  await follow(page, "About");
  await follow(page, "Long");
  const count = await historyLength(page);
  const steps = [["goBack", "About"], ["goBack", "Variant"], ["goForward", "About"]] as const;
  for (const [step, name] of steps) {
    await page[step]();
    await expect(heading(page)).toContainText(name);
    await expectHydrated(page);
  }
  await expect(page).toHaveTitle("About");
  await expectSameDocument(page);
  expect(await historyLength(page)).toBe(count);
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
  expect(sent.all.filter(({ url }) => isPartial(url))).toEqual([]);
});

test("link to the current address → fetched again, same scroll position", async ({ page }) => {
  await open(page, "/long");
  await page.getByRole("button").click();
  await expect(page.getByRole("button")).toHaveText("10");
  const again = link(page, "Again");
  await again.scrollIntoViewIfNeeded();
  const place = await top(page);
  expect(place).toBeGreaterThan(500);
  const before = await historyLength(page);
  await again.focus();
  await again.press("Enter");
  // A new island with its initial state.
  await expect(page.getByRole("button")).toHaveText("9");
  await expect(page.getByRole("main")).toBeFocused();
  await expectHydrated(page);
  expect(await top(page)).toBe(place);
  expect(await historyLength(page)).toBe(before);
  await expectSameDocument(page);
});

test("new page → top or fragment, also in the history", async ({ page }) => {
  await open(page, "/long");
  await page.evaluate(() => scrollTo(0, 1_500));
  // Without the scrolling of a real click.
  const clickBy = (name: string) => link(page, name).first().dispatchEvent("click");
  await clickBy("Home");
  await expectPage(page, "Home");
  expect(await top(page)).toBe(0);
  await clickBy("Half of it");
  await expectPage(page, "Long");
  const half = page.getByRole("heading", { name: "Half" });
  await expect(half).toBeInViewport();
  await expect(page).toHaveURL("/long#half");
  await page.goBack();
  await expectPage(page, "Home");
  await page.goForward();
  await expectPage(page, "Long");
  await expect(half).toBeInViewport();
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
  expect(sent.all.filter(({ url }) => isPartial(url))).toEqual([]);
});

test("new page → focus on its content, title announced", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button").first()).toBeFocused();
  await link(page, "About").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("main")).toBeFocused();
  await expectPage(page, "About");
  await expect(announced(page)).toHaveText("About");
  await expect(announced(page)).toHaveAttribute("role", "status");
  // The next stop is the first control of the new page.
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("button")).toHaveText("8");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expectPage(page, "Home");
  await expect(page.getByRole("main")).toBeFocused();
  await expect(announced(page)).toHaveText("Fixture");
});

test("page left before hydration → no errors", async ({ page }) => {
  await page.addInitScript((delayMs) => {
    // Delays React's scheduler, as a busy machine does.
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, ...message: unknown[]) {
      setTimeout(() => Reflect.apply(post, this, message), delayMs);
    } as typeof post;
  }, 250);
  await open(page);
  for (let round = 0; round < 3; round++) {
    await follow(page, "About");
    await follow(page, "Home");
  }
  await expectHydrated(page);
  await expectSameDocument(page);
});

test("200 navigations → no growth of nodes, listeners, documents", async ({ page, context }) => {
  await open(page);
  const cdp = await context.newCDPSession(page);
  /** Within the page, where a navigation takes milliseconds. */
  const navigate = (times: number) =>
    page.evaluate(async (times) => {
      for (let n = 0; n < times; n++) {
        const [name, next] = n % 2 === 0 ? ["About", "About"] : ["Home", "Fixture"];
        [...document.links].find(({ textContent }) => textContent === name)!.click();
        while (document.title !== next) {
          await new Promise((frame) => requestAnimationFrame(frame));
        }
      }
    }, times);
  // Warm up: objects created once, and pages kept by developer tools.
  await navigate(20);
  const before = await counters(cdp);
  await navigate(200);
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
