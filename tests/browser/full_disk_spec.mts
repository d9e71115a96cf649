/** The inbox on a full disk, as the page shows it. */
import type { Page } from "@playwright/test";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startServer } from "../harness/server_process.ts";
import { mountSmallDisk, needsSmallDisk, type SmallDisk } from "../harness/small_disk.ts";
import { expect, test as base } from "../harness/browser/fixtures.ts";
import { expectAccessible, expectNoOverflow } from "../harness/browser/page_look.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { openMenu } from "../harness/browser/views.ts";

const FULL = "The inbox cannot store envelopes: its disk or database is full or fails." +
  " Free space or choose “Delete all” under “More”.";
/** Room for all envelopes, the write-ahead log and the reserve file. */
const DISK_MIB = 48;
/** More than the server's reserve file: deleting them frees enough space. */
const ENVELOPES = 100;
const BODY_BYTES = 200_000;

const test = base.extend<{ disk: SmallDisk }>({
  disk: async ({ mode: _mode }, provide) => {
    await using disk = await mountSmallDisk(DISK_MIB);
    if (disk) await provide(disk);
  },
  server: async ({ disk }, provide) => {
    await using server = await startServer({ dataDir: disk.path, before: disk.before });
    await provide(server);
  },
});

const view = (page: Page) => page.locator("section.envelopes");

const { name, ignore } = await needsSmallDisk(
  "full disk → every tab shows what to do; all envelopes deleted → new ones are stored",
);

(ignore ? test.skip : test)(name, async ({ page, context, server, watch, disk }) => {
  // The page's own envelopes are refused too, and wait.
  watch.allow("503");
  await page.goto("/#/envelopes");
  await expect(view(page)).toContainText("Live");
  const alerts = (tab: Page) => view(tab).getByRole("alert");
  await expect(alerts(page)).toHaveCount(0);

  const post = (id: string) =>
    postEnvelope(server.origin, { event_id: id }, ["event", {
      event_id: id,
      message: "x".repeat(BODY_BYTES),
    }]);
  for (let n = 1; n <= ENVELOPES; n++) await post(hexId(n));
  const isHealthy = async () => (await fetch(`${server.origin}/monitoring`)).ok;
  const later = await context.newPage();
  {
    // The server deletes its reserve file; the disk is kept full, so that its state is stable.
    using _full = disk.keepFull();
    // The write-ahead log has room for some more.
    let next = ENVELOPES;
    await expect.poll(async () => {
      for (let n = 0; n < 20; n++) await post(hexId(++next)).catch(() => {});
      return await isHealthy();
    }).toBe(false);
    await expect(alerts(page)).toHaveText(FULL);
    await expectNoOverflow(page, 360, 1280);
    await expectAccessible(page);
    await later.goto(`${server.origin}/#/envelopes`);
    await expect(alerts(later)).toHaveText(FULL);
  }

  await openMenu(page);
  await view(page).getByRole("button", { name: "Delete all" }).click();
  await view(page).getByRole("group", { name: "Delete all?" })
    .getByRole("button", { name: "Delete all" }).click();
  for (const tab of [page, later]) await expect(alerts(tab)).toHaveCount(0);
  await expect.poll(isHealthy).toBe(true);
  await postEnvelope(server.origin, {}, ["event", { message: "stored again" }]);
  await expect(view(later)).toContainText("event");
});
