/** The address is the only state of search and filters: no older state overwrites it. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";

/** Opens a list and waits until its search is enabled. */
async function openList(page: Page, fragment: string): Promise<void> {
  await page.goto(`/${fragment}`);
  await expect(page.getByRole("searchbox")).toBeEnabled();
}

/** Types into the search and performs the next action within its debounce time, on any machine. */
async function typeAndThen(page: Page, text: string, then: Then): Promise<void> {
  await page.getByRole("searchbox").evaluate(async (field, [text, { choose, follow, goBack }]) => {
    const write = (element: Element, value: string, event: string) => {
      // React overrides the element's own `value`: use the prototype's setter, as typing does.
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")!;
      set!.call(element, value);
      element.dispatchEvent(new Event(event, { bubbles: true }));
    };
    (field as HTMLElement).focus();
    write(field, text, "input");
    if (choose) {
      const options = [...field.closest(".feed")!.querySelectorAll("option")];
      write(options.find(({ value }) => value === choose)!.closest("select")!, choose, "change");
    }
    if (follow) {
      const link = [...document.links].find(({ textContent }) => textContent?.startsWith(follow))!;
      link.focus();
      // Focus and click are separate tasks; still within the debounce time.
      await new Promise((next) => setTimeout(next));
      link.click();
    }
    if (goBack) history.back();
  }, [text, then] as const);
}

interface Then {
  /** Value of the view's filter. */
  readonly choose?: string;
  /** Text of a link. */
  readonly follow?: string;
  readonly goBack?: boolean;
}

/** Waits longer than the search's debounce time. */
const settled = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 600)));

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const params = (page: Page) => new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
const sorted = (page: Page) => [...params(page)].map(([key, value]) => `${key}=${value}`).sort();

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    for (
      const { view, filter, label, value } of [
        { view: "logs", filter: "level", label: "Level", value: "warn" },
        { view: "envelopes", filter: "type", label: "Item type", value: "event" },
      ]
    ) {
      test(`${view}: text typed and ${filter} chosen at once → both narrow the list`, async ({ page }) => {
        await openList(page, `#/${view}?trace=${TRACE}`);
        await typeAndThen(page, "needle", { choose: value });
        const both = [`${filter}=${value}`, "q=needle", `trace=${TRACE}`].sort();
        await expect.poll(() => sorted(page)).toEqual(both);
        await settled(page);
        expect(sorted(page)).toEqual(both);
        await expect(page.getByRole("searchbox")).toHaveValue("needle");
        await expect(page.getByRole("combobox", { name: label })).toHaveValue(value);
      });
    }
  });
}

test("text typed and another view opened at once → the view searches for it", async ({ page }) => {
  await openList(page, "#/logs");
  await typeAndThen(page, "needle", { follow: "Errors" });
  await expect(page).toHaveURL(/#\/errors\?q=needle$/);
  await expect(page.getByRole("searchbox")).toHaveValue("needle");
});

test("text typed and one filter removed by its link → the text stays, the filter does not", async ({ page }) => {
  await openList(page, `#/logs?level=warn&trace=${TRACE}`);
  await typeAndThen(page, "needle", { follow: "Show logs of all traces" });
  await expect.poll(() => sorted(page)).toEqual(["level=warn", "q=needle"]);
  await settled(page);
  expect(sorted(page)).toEqual(["level=warn", "q=needle"]);
});

test("step back in the history right after typing → that step's search, in field and address", async ({ page }) => {
  await openList(page, "#/logs?q=first");
  await page.evaluate(() => void (location.hash = "#/logs?q=first&level=warn"));
  await expect(page.getByRole("combobox", { name: "Level" })).toHaveValue("warn");
  await typeAndThen(page, "second", { goBack: true });
  await expect(page.getByRole("combobox", { name: "Level" })).toHaveValue("");
  await settled(page);
  expect(sorted(page)).toEqual(["q=first"]);
  await expect(page.getByRole("searchbox")).toHaveValue("first");
  await page.goForward();
  await expect.poll(() => sorted(page)).toEqual(["level=warn", "q=first"]);
  await expect(page.getByRole("searchbox")).toHaveValue("first");
});
