/** Receipts: what the page shows about each of its envelopes. */
import { answers } from "../harness/stand_in_ingest.ts";
import { ANY_SPEED, expect, test } from "../harness/browser/fixtures.ts";
import { acceptFromNow, expectOnce, makeMarks, MARK } from "../harness/browser/marks.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { flow, openView } from "../harness/browser/views.ts";

const RECEIPTS = "Envelopes sent by this page, newest first";

test.describe("relay with spool", ANY_SPEED, () => {
  test.use({ mode: "relay" });

  test("ingest down → receipts and strip show spooled, nothing accepted, each arrives once", async ({ page, ingest, sent, watch }) => {
    watch.allow(MARK, ERRORS.handled);
    ingest.behave(answers(503));
    await openPage(page);
    const marks = await makeMarks(page, 5);
    await openView(page, "Overview");
    const receipts = page.getByRole("region", { name: RECEIPTS });
    const rows = receipts.getByRole("row").filter({ hasText: "spooled" });
    await expect.poll(() => rows.count()).toBeGreaterThanOrEqual(marks.length);
    await expect(rows.first()).toContainText("202");
    const strip = page.getByRole("region", { name: "Flow" });
    await expect(strip).toContainText(/[1-9]\d* spooled/);
    await expect(strip).toContainText(
      /The ingest has been unavailable since \d\d:\d\d:\d\d: the relay has [1-9]\d*\senvelope/,
    );
    await expect(strip).toContainText("the relay stores envelopes in its spool");
    await expect(flow(page)).toContainText(/(?<!\d)0 waiting/);
    await expect(flow(page)).toContainText(/(?<!\d)0 refused/);
    await expect(strip).toContainText("0 accepted");
    await expectOnce(acceptFromNow(ingest), marks);
    await expect(async () => {
      await make(page, "Handled error");
      await expect(strip).toContainText(/[1-9]\d* accepted/, { timeout: 1000 });
    }).toPass();
    // The relay's health is read until its spool is empty.
    await expect(strip).toContainText(/the relay’s spool is empty|All delivered\./);
    const before = sent.all.length;
    await make(page, "warn");
    await expect(strip).toContainText("All delivered.");
    const later = sent.all.slice(before);
    const health = later.filter(({ method, url }) =>
      method === "GET" && url.pathname === "/monitoring"
    );
    // At most one for each envelope, and the one that was planned before.
    expect(health.length)
      .toBeLessThanOrEqual(1 + later.filter(({ method }) => method === "POST").length);
  });
});
