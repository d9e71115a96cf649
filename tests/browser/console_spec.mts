/** The console's views as places: linked, reloaded, gone back to; one of them shown at a time. */
import type { Page } from "@playwright/test";
import { VIEWS } from "../../islands/shared/view.ts";
import { expect, test } from "./fixtures.ts";
import { expectAccessible, expectNoOverflow } from "./page_look.ts";
import { ERRORS, make, openPage } from "./signals.ts";
import { openView } from "./views.ts";

const current = (page: Page) =>
  page.getByRole("navigation", { name: "Views" }).locator("[aria-current=page]");
const view = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const bench = (page: Page) => view(page, "Make a signal");

test("a view has an address: by its tab, reloaded, and by a step in the history", async ({ page }) => {
  await openPage(page);
  await expect(current(page)).toHaveText("Overview");
  for (const name of ["Traces", "Errors", "Logs", "Envelopes"] as const) {
    await openView(page, name);
    await expect(page).toHaveURL(`/#/${name.toLowerCase()}`);
    await expect(current(page)).toHaveText(name);
    await expect(page).toHaveTitle(`${name} · Sightglass`);
    await expect(view(page, name)).toBeVisible();
    await expect(bench(page)).toBeHidden();
  }
  await page.reload();
  await expect(view(page, "Envelopes")).toBeVisible();
  await expect(current(page)).toHaveText("Envelopes");
  await page.goBack();
  await expect(view(page, "Logs")).toBeVisible();
  await expect(view(page, "Envelopes")).toBeHidden();
  await page.getByRole("link", { name: "Sightglass" }).click();
  await expect(bench(page)).toBeVisible();
  await expect(current(page)).toHaveText("Overview");
  await expect(page).toHaveTitle("Sightglass");
});

test("a row of a list leads to its detail from anywhere on it, and to its trace by that link alone", async ({ page, arrivals, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "Handled error");
  await arrivals.waitForItem("the error", ({ type }) => type === "event");
  for (const name of ["Traces", "Errors", "Envelopes"] as const) {
    const detail = new RegExp(`#/${name.toLowerCase()}/[\\da-f]+$`);
    await openView(page, name);
    const row = view(page, name).getByRole("row").filter({ has: page.getByRole("link") }).first();
    for (const part of [0.01, 0.3, 0.99]) {
      await row.waitFor();
      const { width, height } = (await row.boundingBox())!;
      await row.click({ position: { x: part * width, y: height / 2 } });
      await expect(page, `${name} at ${part}`).toHaveURL(detail);
      await page.goBack();
    }
  }
  await view(page, "Envelopes").getByRole("link", { name: /^Trace / }).first().click();
  await expect(page).toHaveURL(/#\/traces\/[\da-f]{32}$/);
});

test("a file that is dropped on a view that takes none does not lead away from the page", async ({ page }) => {
  await openPage(page);
  const refused = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(["{}"], "saved.envelope"));
    return ["dragover", "drop"].map((type) =>
      !document.body.dispatchEvent(
        new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }),
      )
    );
  });
  expect(refused).toEqual([true, true]);
});

test("settings in force stand beside the overview and beside what monitoring costs", async ({ page }) => {
  await openPage(page);
  const force = view(page, "In force");
  for (const [name, shown] of [["Settings", true], ["Logs", false], ["Overview", true]] as const) {
    await openView(page, name);
    await expect(force).toBeVisible({ visible: shown });
  }
});

test("the open view is there with the first paint: no other one flashes", async ({ page }) => {
  await page.addInitScript(() => {
    const seen: string[] = (globalThis as { seen?: string[] }).seen = [];
    const look = () => {
      for (const shown of document.querySelectorAll<HTMLElement>(".view")) {
        if (shown.checkVisibility() && !seen.includes(shown.className)) seen.push(shown.className);
      }
      requestAnimationFrame(look);
    };
    look();
  });
  await page.goto("/#/logs");
  await expect(current(page)).toHaveText("Logs");
  expect(await page.evaluate(() => (globalThis as { seen?: string[] }).seen)).toEqual([
    "view panel logs",
  ]);
});

test("a fragment that names no view is the overview", async ({ page }) => {
  await page.goto("/#/nowhere");
  await expect(bench(page)).toBeVisible();
  await expect(current(page)).toHaveText("Overview");
});

for (const mode of ["inbox", "relay"] as const) {
  test.describe(mode, () => {
    test.use({ mode });

    test("every view is without fault for axe and without overflow at 360 px", async ({ page }) => {
      await openPage(page);
      for (const [name, title] of Object.entries(VIEWS)) {
        await test.step(title, async () => {
          await openView(page, title);
          await expect(page.locator("html")).toHaveAttribute("data-view", name);
          await expectNoOverflow(page, 1280, 360);
          await expectAccessible(page);
        });
      }
    });
  });
}
