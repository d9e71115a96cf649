/** What the page says of how its envelopes ended. */
import { answers } from "../stand_in_ingest.ts";
import { expect, test } from "./fixtures.ts";
import { expectOnce, makeMarks, MARK, reportedLosses, takesFromNow } from "./marks.ts";
import { openPage } from "./signals.ts";

const RECEIPTS = "Envelopes sent by this page, newest first";

test.describe("with the ingest down behind a relay that has a spool", () => {
  test.use({ mode: "relay" });

  test("the page says what the relay keeps, and nothing of it is sent by the page again", async ({ page, ingest, watch }) => {
    watch.allow(MARK);
    await openPage(page);
    ingest.behave(answers(503));
    const marks = await makeMarks(page, 5);
    const receipts = page.getByRole("region", { name: RECEIPTS });
    const rows = receipts.getByRole("row").filter({ hasText: "spooled" });
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(marks.length);
    await expect(rows.first()).toContainText("202");
    await expect(page.getByText(/the relay keeps what comes, on its disk/)).toBeVisible();
    await expect(page.getByText("0 waiting").first()).toBeVisible();
    await expect(page.getByText("0 refused").first()).toBeVisible();
    await expectOnce(takesFromNow(ingest), marks);
  });
});

test("an envelope whose answer was lost is sent again, known again, and shown as a duplicate", async ({ page, context, arrivals, watch }) => {
  watch.allow(MARK, "ERR_FAILED");
  await openPage(page);
  await expect(page.getByText("0 waiting").first()).toBeVisible();
  let lost = 0;
  await context.route("/monitoring", async (route) => {
    // Also the second try without keepalive, which follows at once.
    if (++lost > 2) return await route.continue();
    await route.fetch();
    await route.abort("failed");
  });
  const marks = await makeMarks(page, 1);
  const receipts = page.getByRole("region", { name: RECEIPTS });
  const row = receipts.getByRole("row").filter({ hasText: "duplicate" });
  await expect(row.first()).toContainText("200");
  await expect(page.getByText("0 refused").first()).toBeVisible();
  await expectOnce(arrivals, marks);
});

test("what the relay refuses is shown, and reported when the page is left", async ({ page, context, arrivals, watch }) => {
  watch.allow(MARK, "status of 413");
  await openPage(page);
  await context.route("/monitoring", (route) => {
    const refused = route.request().postData()?.includes('"value":"mark ');
    return refused ? route.fulfill({ status: 413 }) : route.continue();
  });
  await makeMarks(page, 3);
  await expect(page.getByText("3 refused").first()).toBeVisible();
  await page.goto("/?left");
  await expect.poll(async () => (await reportedLosses(arrivals))["send_error:error"]).toBe(3);
});
