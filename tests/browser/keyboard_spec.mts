/** Keyboard focus: skip link, tabs, lists, details, and the way back. */
import type { Locator, Page } from "@playwright/test";
import { PAGE_VIEWS } from "../../islands/shared/view.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { postEnvelope, postEvents, spanId } from "../harness/browser/posted.ts";
import { openView, tab } from "../harness/browser/views.ts";

test("skip link → focus in the current view, address unchanged", async ({ page }) => {
  await page.goto("/");
  for (const [name, title] of Object.entries(PAGE_VIEWS)) {
    await openView(page, title);
    await expect(page.locator("html")).toHaveAttribute("data-view", name);
    // Views have controls once they are loaded.
    await expect(page.locator(`.${name}`).locator("button, input").first()).toBeEnabled();
    const address = page.url();
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(":focus")).toHaveClass(new RegExp(`\\b${name}\\b`));
    await page.keyboard.press("Tab");
    await expect(page.locator(`.${name} :focus`), title).toHaveCount(1);
    expect(page.url()).toBe(address);
  }
});

test("the key / → focuses the search of the open view, not while typing", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const title of ["Logs", "Errors"] as const) {
    await page.goto(`/?${title}#/${title.toLowerCase()}`);
    const view = page.getByRole("region", { name: title, exact: true });
    const search = view.getByRole("searchbox", { name: `Search ${title.toLowerCase()}` });
    await expect(search).toBeEnabled();
    await page.keyboard.press("Control+/");
    await expect(search).not.toBeFocused();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("a/b");
    await expect(search).toHaveValue("a/b");

    // On a phone the filters are folded.
    await expect(view.getByLabel("Time")).toBeHidden();
    await view.getByRole("button", { name: "Filters" }).press("Enter");
    await view.getByLabel("Time").selectOption("1h");
    await expect(view.getByRole("button", { name: "Filters (1)" })).toHaveAttribute(
      "aria-expanded",
      "true",
    );
  }
});

test("a tab is pressed → keeps the focus, also when it leaves a detail", async ({ page, server }) => {
  const trace_id = traceId(1);
  await postEnvelope(server.origin, {}, ["span", { version: 2, items: [span(1)] }]);
  await page.goto("/");
  for (const title of Object.values(PAGE_VIEWS)) {
    await tab(page, title).focus();
    await page.keyboard.press("Enter");
    await expect(tab(page, title)).toHaveAttribute("aria-current", "page");
    await expect(tab(page, title)).toBeFocused();
  }
  await page.goto(`/#/traces/${trace_id}`);
  await expect(page.getByRole("treegrid")).toBeVisible();
  await tab(page, "Traces").focus();
  await page.keyboard.press("Enter");
  await expect(page.locator(`a[data-row="${trace_id}"]`)).toBeVisible();
  await expect(tab(page, "Traces")).toBeFocused();
});

/** More than one page of a list, by more than a screen. */
const ROWS = 240;
const traceId = (n: number) => (n + 1).toString(16).padStart(32, "0");
const span = (n: number) => ({
  trace_id: traceId(n),
  span_id: spanId(n),
  name: `task ${n}`,
  start_timestamp: Date.now() / 1000 - 1,
  end_timestamp: Date.now() / 1000,
  status: "ok",
});
/** Letters, because grouping ignores numbers. */
const word = (n: number) => [...String(n)].map((digit) => "abcdefghij"[Number(digit)]).join("");

const lists = {
  traces: {
    all: "All traces",
    post: async (origin: string) => {
      for (let n = 0; n < ROWS; n++) {
        await postEnvelope(origin, {}, ["span", { version: 2, items: [span(n)] }]);
      }
    },
  },
  errors: {
    all: "All errors",
    post: (origin: string) =>
      postEvents(
        origin,
        ...Array.from({ length: ROWS }, (_, n) => ({
          exception: { values: [{ type: `Of${word(n)}Error`, value: "fails" }] },
        })),
      ),
  },
  envelopes: {
    all: "All envelopes",
    post: async (origin: string) => {
      for (let n = 0; n < ROWS; n++) {
        await postEnvelope(origin, { event_id: traceId(n) }, ["log", { items: [] }]);
      }
    },
  },
} as const;

/** Distance from the top of the window, pixels. */
const topOf = async (row: Locator) => (await row.boundingBox())!.y;

for (const [name, { all, post }] of Object.entries(lists)) {
  test(`${name}: Enter opens a row; each way back → that row has focus at the same position`, async ({ page, server }) => {
    await post(server.origin);
    await page.goto(`/#/${name}`);
    const view = page.locator(`section.${name}`);
    const older = view.getByRole("button", { name: `Older ${name}` });
    const table = view.getByRole("table");
    await expect(table).toHaveAttribute("aria-rowcount", "201");
    await older.click();
    await expect(table).toHaveAttribute("aria-rowcount", /^2[2-9]\d$/);
    // A row of the second page of the list, and one of the first.
    for (const at of [215, 120]) {
      const link = view.locator(`[aria-rowindex="${at}"] a.row-link`);
      await expect(async () => {
        await page.evaluate((at) => {
          const { height } = document.querySelector("section:not([hidden]) tbody")!
            .getBoundingClientRect();
          const rows = document.querySelector("section:not([hidden]) table")!.ariaRowCount;
          scrollTo(0, height / Number(rows) * at);
        }, at);
        await expect(link).toBeAttached({ timeout: 1_000 });
      }).toPass();
      const row = view.locator(
        `a.row-link[href="${await link.getAttribute("href")}"]`,
      );
      for (const way of ["Back", all, "Escape"]) {
        await test.step(`row ${at}, ${way}`, async () => {
          await row.evaluate((link) => link.scrollIntoView({ block: "center" }));
          await row.focus();
          const before = await topOf(row);
          await page.keyboard.press("Enter");
          const heading = view.getByRole("heading", { level: 3 });
          await expect(heading).toBeFocused();
          await expect(heading).toBeInViewport();
          await goBack(page, way);
          await expect(row).toBeFocused();
          await expect.poll(async () => Math.abs(await topOf(row) - before)).toBeLessThan(2);
        });
      }
    }
  });
}

async function goBack(page: Page, way: string): Promise<void> {
  if (way === "Back") await page.goBack();
  else if (way === "Escape") await page.keyboard.press("Escape");
  else await page.getByRole("link", { name: way, exact: true }).press("Enter");
}
