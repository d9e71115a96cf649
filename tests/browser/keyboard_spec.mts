/** Keyboard focus: skip link, tabs, the search. */
import { PAGE_VIEWS } from "../../islands/shared/view.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { tab } from "../harness/browser/views.ts";

test("skip link → focus in the current view, address unchanged; a tab keeps the focus", async ({ page }) => {
  await page.goto("/");
  for (const [name, title] of Object.entries(PAGE_VIEWS)) {
    await tab(page, title).focus();
    await page.keyboard.press("Enter");
    await expect(page.locator("html")).toHaveAttribute("data-view", name);
    // Views have controls once they are loaded.
    await expect(page.locator(`.${name}`).locator("button, input").first()).toBeEnabled();
    await expect(tab(page, title)).toBeFocused();
    const address = page.url();
    await page.locator(".skip").focus();
    await page.keyboard.press("Enter");
    await expect(page.locator(":focus")).toHaveClass(new RegExp(`\\b${name}\\b`));
    await page.keyboard.press("Tab");
    await expect(page.locator(`.${name} :focus`), title).toHaveCount(1);
    expect(page.url()).toBe(address);
  }
});

test("Tab key → skip link first, then every control in order", async ({ page }) => {
  await page.goto("/#/settings");
  await expect(page.getByRole("button", { name: "Uncaught error" })).toBeEnabled();
  await page.keyboard.press("Tab");
  await expect(page.locator(":focus")).toHaveText(/skip/i);
  const reached: string[] = [];
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.textContent ?? ""));
  }
  const names = ["Uncaught error", "Component error", "trace", "fatal", "Long task"];
  const at = names.map((name) => reached.findIndex((text) => text.startsWith(name)));
  expect(at, reached.join(" | ")).not.toContain(-1);
  expect([...at].sort((a, b) => a - b)).toEqual(at);
});

test("the key / → focuses the search of the open view, not while typing", async ({ page }) => {
  for (const title of ["Logs", "Errors"] as const) {
    await page.goto(`/?${title}#/${title.toLowerCase()}`);
    const search = page.getByRole("searchbox", { name: `Search ${title.toLowerCase()}` });
    await expect(search).toBeEnabled();
    await page.keyboard.press("Control+/");
    await expect(search).not.toBeFocused();
    await page.keyboard.press("/");
    await expect(search).toBeFocused();
    await page.keyboard.type("a/b");
    await expect(search).toHaveValue("a/b");
  }
});
