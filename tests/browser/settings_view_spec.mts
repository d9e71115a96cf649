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
  await make(page, "Handled error");
  await openView(page, "Errors");
  await openView(page, "Settings");
  await expect(row(page, "Telemetry")).toContainText(/\d\d\.\d\sKiB\s*2\sfiles/);
  await expect(row(page, "Recorder")).toContainText(/\d\d\.\d\sKiB\s*1\sfile/);
  await expect(row(page, "Recorder worker")).toContainText(/\d\.\d\sKiB/);
  await expect(async () => {
    const posts = sent.posts("/monitoring");
    const bytes = posts.reduce((sum, { bytes }) => sum + bytes.length, 0);
    await expect(row(page, "Envelopes sent")).toContainText(formatBytes(bytes), { timeout: 500 });
    await expect(row(page, "Envelopes sent")).toContainText(
      new RegExp(`in ${posts.length}\\srequests?,`),
      { timeout: 500 },
    );
  }).toPass();
  for (const name of ["Starting telemetry", "Starting the recorder"]) {
    await expect(row(page, name)).toContainText(/\d\sms|\d\ss/);
  }
  await expect(row(page, "Serialising and storing envelopes"))
    .toContainText(/\d\sm?s.*for each envelope/);
  await expect(row(page, "Stored in this browser")).toContainText(/\d\s(B|KiB|MiB)\s*\d+\swaiting/);
  await expect(row(page, "Part of long frames")).toContainText(/in \d+ of \d+\sframes?/);
  await expect(row(page, "Requests of this console")).toContainText(/request/);
});

test("configuration → shown in settings; scripts from the browser cache", async ({ page }) => {
  await openPage(page, "/#/settings");
  await expect(page.getByRole("region", { name: "Configuration" })).toContainText("/monitoring");
  const settings = page.getByRole("figure", { name: "Monitoring settings" });
  await expect(settings.getByRole("term").first()).toHaveText("Tracing sample rate");
  await expect(settings.getByRole("definition").first()).toHaveText(/^1\s*100\s% of traces$/);
  await expect(row(page, "Recorder")).toContainText(/\d\d\.\d\sKiB/);
  await expectAccessibleLayout(page, "settings");
  await page.reload();
  await waitForTelemetry(page);
  await expect(row(page, "Telemetry")).toContainText(/0\sB.*KiB from the browser cache/);
});
