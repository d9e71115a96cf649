/** Receipts: what the page shows about each of its envelopes. */
import { answers } from "../harness/stand_in_ingest.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { acceptFromNow, expectOnce, makeMarks, MARK } from "../harness/browser/marks.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { openView, ownCount, pipeline, pipelineMark } from "../harness/browser/views.ts";

const RECEIPTS = "Envelopes of this page, newest first";

test.describe("relay with spool", () => {
  test.use({ mode: "relay" });

  test("ingest down → receipts and pipeline show spooled, nothing accepted, each arrives once", async ({ page, ingest, sent, watch }) => {
    watch.allow(MARK, ERRORS.handled);
    ingest.behave(answers(503));
    await openPage(page);
    const marks = await makeMarks(page, 5);
    await openView(page, "Overview");
    const receipts = page.getByRole("table", { name: RECEIPTS });
    const rows = receipts.getByRole("row").filter({ hasText: "spooled" });
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(marks.length);
    await expect(rows.first()).toContainText("202");
    const mark = pipelineMark(page);
    await expect(mark).toContainText(/This server: [1-9]\d* in the relay’s spool\./);
    await expect(pipeline(page)).toContainText(/[1-9]\d*the oldest for \d/);
    for (const state of ["Waiting in this browser", "Refused", "Delivered"]) {
      await expect(ownCount(page, state)).toHaveText("0");
    }
    await expectOnce(acceptFromNow(ingest), marks);
    await expect(async () => {
      await make(page, "handled");
      await expect(ownCount(page, "Delivered")).toHaveText(/[1-9]/, { timeout: 1000 });
    }).toPass();
    // Those that were spooled have been delivered, and are counted.
    await openView(page, "Overview");
    await expect(rows).toHaveCount(0);
    const delivered = receipts.getByRole("row").filter({ hasText: "202" });
    await expect.poll(() => delivered.count()).toBeGreaterThanOrEqual(marks.length);
    for (const text of await delivered.allInnerTexts()) expect(text).toContain("delivered");
    const count = await receipts.getByRole("row").filter({ hasText: "delivered" }).count();
    await expect(ownCount(page, "Delivered")).toHaveText(`${count}`);
    // The relay's health is read until its spool is empty.
    await expect(mark).toContainText("This console: all delivered.");
    const before = sent.all.length;
    await make(page, "warn");
    await expect(mark).toContainText("This console: all delivered.");
    const later = sent.all.slice(before);
    const health = later.filter(({ method, url }) =>
      method === "GET" && url.pathname === "/monitoring"
    );
    // At most one for each envelope, and the one that was planned before.
    expect(health.length)
      .toBeLessThanOrEqual(1 + later.filter(({ method }) => method === "POST").length);
  });
});
