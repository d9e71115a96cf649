/** The address is the only state of search and filters: no older state overwrites it. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";

interface Then {
  /** Value of the view's filter. */
  readonly choose?: string;
  /** Text of a link, or name of a button. */
  readonly follow?: string;
  readonly goBack?: boolean;
}

/** Types "needle" into the search and performs the next action within its debounce time, on any machine. */
async function typeAndThen(page: Page, then: Then): Promise<void> {
  if (then.choose) await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
  await page.getByRole("searchbox").evaluate(async (field, { choose, follow, goBack }) => {
    const write = (element: Element, value: string, event: string) => {
      // React overrides the element's own `value`: use the prototype's setter, as typing does.
      const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(element), "value")!;
      set!.call(element, value);
      element.dispatchEvent(new Event(event, { bubbles: true }));
    };
    (field as HTMLElement).focus();
    write(field, "needle", "input");
    if (choose) {
      const options = [...document.querySelectorAll("section:not([hidden]) option")];
      const option = options.find((one) => (one as HTMLOptionElement).value === choose)!;
      write(option.closest("select")!, choose, "change");
    }
    if (follow) {
      const link = [...document.querySelectorAll<HTMLElement>("a, button")]
        .find((one) => (one.ariaLabel ?? one.textContent).startsWith(follow))!;
      link.focus();
      // Focus and click are separate tasks; still within the debounce time.
      await new Promise((next) => setTimeout(next));
      link.click();
    }
    if (goBack) history.back();
  }, then);
}

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

/** What is done within the search's debounce time, and the address that must remain. */
const RACES: readonly [what: string, from: string, then: Then, address: string][] = [
  [
    "a level chosen → both narrow the list",
    `logs?trace=${TRACE}`,
    { choose: "warn" },
    `logs?level=warn&q=needle&trace=${TRACE}`,
  ],
  ["another view opened → it searches", "logs", { follow: "Errors" }, "errors?q=needle"],
  [
    "one filter removed by its button → the text stays",
    `logs?level=warn&trace=${TRACE}`,
    { follow: "Remove Trace" },
    "logs?level=warn&q=needle",
  ],
  ["a step back → that step's search", "logs?q=second", { goBack: true }, "logs?q=first"],
];

test("text typed and at once another change of the address → both remain", async ({ page }) => {
  await page.clock.install();
  for (const [what, from, then, address] of RACES) {
    await test.step(what, async () => {
      await page.goto(`/?${address.length}#/logs?q=first`);
      await expect(page.getByRole("searchbox")).toHaveValue("first");
      await page.evaluate((from) => void (location.hash = `#/${from}`), from);
      const before = new URLSearchParams(from.split("?")[1]).get("q") ?? "";
      await expect(page.getByRole("searchbox")).toHaveValue(before);
      await expect(page.getByRole("searchbox")).toBeEnabled();
      await typeAndThen(page, then);
      const current = () => {
        const [view, query] = new URL(page.url()).hash.slice(2).split("?");
        const parameters = new URLSearchParams(query);
        parameters.sort();
        return `${view}?${parameters}`;
      };
      await expect.poll(current).toBe(address);
      // Longer than the debounce time.
      await page.clock.runFor(2_000);
      expect(current()).toBe(address);
      await expect(page.getByRole("searchbox")).toHaveValue(/[^?]*q=(\w+)/.exec(address)![1]!);
    });
  }
});
