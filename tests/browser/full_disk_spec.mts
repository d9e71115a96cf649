/** The inbox on a disk that is really full, as the console shows it. */
import type { Page } from "@playwright/test";
import { canMount, fillDisk, insideOf, onSmallDisk } from "../small_disk.ts";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startServer } from "../../tools/server_process.ts";
import { expect, test as base } from "./fixtures.ts";
import { expectAccessible, expectNoOverflow } from "./page_look.ts";
import { postEnvelope } from "./posted_envelopes.ts";

const FULL = "The inbox cannot store envelopes: the disk is full or not writable." +
  " Free disk space or delete all envelopes.";

const test = base.extend({
  server: async ({ mode: _mode }, provide) => {
    const dataDir = await Deno.makeTempDir({ prefix: "inbox-" });
    {
      await using server = await startServer({ dataDir, before: onSmallDisk(dataDir, 40) });
      await provide(server);
    }
    await Deno.remove(dataDir, { recursive: true });
  },
});

test.beforeAll(async () => {
  test.skip(!await canMount(), "this machine does not let a user mount a disk");
});

const view = (page: Page) => page.locator("section.envelopes");

test("full disk → every tab shows what to do; all envelopes deleted → new ones are stored", async ({ page, context, server, watch }) => {
  // The page's own envelopes are refused as well, and wait.
  watch.allow("503");
  await page.goto("/#/envelopes");
  await expect(view(page)).toContainText("Live");
  await expect(view(page).getByRole("alert")).toHaveCount(0);

  let made = 0;
  const isHealthy = async () => (await fetch(`${server.origin}/monitoring`)).ok;
  await expect.poll(async () => {
    for (let refused = false; !refused;) {
      const padding = "x".repeat(200_000);
      const event = { event_id: hexId(++made), message: padding };
      refused = await postEnvelope(server.origin, { event_id: event.event_id }, ["event", event])
        .then(() => false, () => true);
    }
    // Fills the rest, so that no small envelope fits.
    await fillDisk(insideOf(server.pid, `${server.dataDir}/filler`));
    return await isHealthy();
  }).toBe(false);
  await expect(view(page).getByRole("alert")).toHaveText(FULL);
  await expectNoOverflow(page, 360, 1280);
  await expectAccessible(page);
  const later = await context.newPage();
  await later.goto(`${server.origin}/#/envelopes`);
  await expect(view(later).getByRole("alert")).toHaveText(FULL);

  await view(page).getByRole("button", { name: "Empty the inbox" }).click();
  await view(page).getByRole("button", { name: "Empty it" }).click();
  for (const tab of [page, later]) await expect(view(tab).getByRole("alert")).toHaveCount(0);
  await expect.poll(isHealthy).toBe(true);
  await postEnvelope(server.origin, {}, ["event", { message: "stored again" }]);
  await expect(view(later)).toContainText("event");
});
