/** The settings view: configuration, and the cost of monitoring compared with the requests really sent. */
import type { Page } from "@playwright/test";
import { formatBytes } from "../../components/format.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { ERRORS, make, openPage, waitForTelemetry } from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

const costs = (page: Page) => page.getByRole("region", { name: "Cost of monitoring" });
const row = (page: Page, name: string) =>
  costs(page).getByRole("row").filter({
    has: page.getByRole("rowheader", { name, exact: true }),
  });

test("cost of monitoring → the bytes, requests and times that were measured", async ({ page, sent, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  await make(page, "handled");
  await openView(page, "Errors");
  await openView(page, "Settings");
  await expect(row(page, "Scripts of monitoring"))
    .toContainText(/\d\d(\.\d)?\sKiB\s*4\sfiles, 0 of them/);
  await expect(async () => {
    const posts = sent.posts("/monitoring");
    const bytes = posts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    await expect(row(page, "Envelopes sent")).toContainText(formatBytes(bytes), { timeout: 500 });
    await expect(row(page, "Envelopes sent")).toContainText(
      new RegExp(`in ${posts.length}\\srequests?,`),
      { timeout: 500 },
    );
  }).toPass();
  await expect(row(page, "Starting, and storing envelopes"))
    .toContainText(/\d\sm?s.*to start telemetry/);
  await expect(row(page, "Stored in this browser")).toContainText(/\d\s(B|KiB|MiB)\s*\d+\swaiting/);
  await expect(row(page, "Part of long frames")).toContainText(/in \d+\sframes?/);
});

test("configuration → shown in settings; scripts from the browser cache", async ({ page }) => {
  await openPage(page, "/#/settings");
  await expect(page.getByRole("region", { name: "Configuration" })).toContainText("/monitoring");
  const settings = page.getByRole("figure", { name: "Monitoring settings" });
  await expect(settings.getByRole("term").first()).toHaveText("Tracing sample rate");
  await expect(settings.getByRole("definition").first()).toHaveText(/^1\s*100\s% of traces$/);
  await expect(row(page, "Scripts of monitoring")).toContainText(/4\sfiles/);
  await expectAccessibleLayout(page, "settings");
  await page.reload();
  await waitForTelemetry(page);
  await expect(row(page, "Scripts of monitoring")).toContainText(
    /4 of them from the browser cache/,
  );
});
