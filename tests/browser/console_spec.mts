/** Views and their addresses: tabs, reload, history. */
import type { Page } from "@playwright/test";
import { VIEWS, viewsOf } from "../../islands/shell/registry.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessible, expectNoOverflow } from "../harness/browser/page_look.ts";
import { openPage } from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

const current = (page: Page) =>
  page.getByRole("navigation", { name: "Views" }).locator("[aria-current=page]");
const view = (page: Page, name: string) => page.getByRole("region", { name, exact: true });

test("links, reload, history, an unknown fragment → the view of the address alone", async ({ page }) => {
  await page.goto("/");
  await expect(current(page)).toHaveAccessibleName("Overview");
  for (const name of ["Traces", "Errors", "Logs", "Envelopes"] as const) {
    await openView(page, name);
    await expect(page).toHaveURL(`/#/${name.toLowerCase()}`);
    await expect(current(page)).toHaveAccessibleName(name);
    await expect(page).toHaveTitle(`${name} · Sightglass`);
    await expect(view(page, name)).toBeVisible();
    await expect(view(page, "Overview")).toBeHidden();
  }
  await page.reload();
  await expect(view(page, "Envelopes")).toBeVisible();
  await page.goBack();
  await expect(view(page, "Logs")).toBeVisible();
  await expect(view(page, "Envelopes")).toBeHidden();
  for (const overview of ["/#/nowhere", "/#/"]) {
    await page.goto(overview);
    await expect(view(page, "Overview")).toBeVisible();
    await expect(current(page)).toHaveAccessibleName("Overview");
    await expect(page).toHaveTitle("Sightglass");
  }
});

test("first paint → only the view of the address", async ({ page }) => {
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
  await expect(current(page)).toHaveAccessibleName("Logs");
  expect(await page.evaluate(() => (globalThis as { seen?: string[] }).seen)).toEqual([
    expect.stringMatching(/\blogs\b/),
  ]);
});

const INBOX_ONLY = VIEWS.filter(({ load }) => !load.relay);

// Inbox mode is covered by look_spec, states_spec and settings_view_spec.
test.describe("relay mode", () => {
  test.use({ mode: "relay" });

  test("view of an inbox → states that its content is in Sentry, links to it and the overview", async ({ page }) => {
    for (const { id: name, title } of INBOX_ONLY) {
      await page.goto(`/#/${name}`);
      const shown = page.locator(".view:visible");
      await expect(shown.getByRole("heading")).toHaveText(title);
      await expect(shown).toContainText("Errors, traces, logs and recordings are in Sentry.");
      await expect(shown.getByRole("link", { name: "Open Sentry" })).toHaveAttribute(
        "href",
        /^https:/,
      );
    }
    await expectAccessible(page);
    await page.getByRole("link", { name: "the overview of what this page has sent" }).click();
    await expect(page.locator(".overview")).toContainText("Envelopes of this page");
    // A group of views without any has no heading.
    await expect(page.getByRole("navigation", { name: "Views" }).getByRole("list")).toHaveCount(2);
  });

  test("receipts on a phone → size, duration, content and trace in Sentry; nothing cut off", async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openPage(page);
    await openView(page, "Overview");
    const receipts = page.getByRole("table", { name: "Envelopes of this page" });
    const row = receipts.getByRole("row", { name: "Spans" }).last();
    await expect(row).toContainText(/span.*\d\sKiB, [\d.]+\sm?s/);
    await expect(row).toContainText("Status 200");
    await expect(row.getByRole("link", { name: /^Trace [\da-f]{32} in Sentry$/ })).toHaveAttribute(
      "href",
      /^https:\/\/sentry\.io\/orgredirect\//,
    );
    await expectNoOverflow(page, 390);
    await row.getByRole("link", { name: "Spans" }).click();
    await expect(page.getByLabel("Payload of item 1")).toContainText('"span_id"');
  });

  test("every view → accessible, no overflow at 360 px", async ({ page }) => {
    await openPage(page);
    for (const { id: name, title } of viewsOf("relay")) {
      await test.step(title, async () => {
        await openView(page, title);
        await expect(page.locator("html")).toHaveAttribute("data-view", name);
        await expectNoOverflow(page, 1280, 360);
        // The other lists are alike.
        if (name !== "traces" && name !== "errors" && name !== "logs") await expectAccessible(page);
      });
    }
  });
});
