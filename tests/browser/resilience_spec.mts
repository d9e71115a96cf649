/** Browser features refused: telemetry still arrives. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { forbidIndexedDb, forbidWebLocks, refuseWorkers } from "../harness/browser/requests.ts";
import { openPage, sendButton } from "../harness/browser/signals.ts";

/** What is refused, how, and the type of item that must arrive. */
const REFUSED: readonly (readonly [string, (page: Page) => Promise<void>, string])[] = [
  ["IndexedDB", forbidIndexedDb, "event"],
  ["Web Locks", forbidWebLocks, "event"],
  ["workers", refuseWorkers, "replay_recording"],
];

for (const [what, refuse, type] of REFUSED) {
  test(`${what} refused → the page works, ${type} arrives`, async ({ page, arrivals }) => {
    await refuse(page);
    await openPage(page);
    await sendButton(page).click();
    await expect(page.getByText("An error, a log and a span were made.")).toBeVisible();
    await arrivals.waitForItem(type, (item) => item.type === type);
  });
}
