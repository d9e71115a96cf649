/** What was made equals what arrived plus what was counted as given up, and nothing arrives twice. */
import { answers } from "../stand_in_ingest.ts";
import { expect, test } from "./fixtures.ts";
import {
  arrivedMarks,
  crash,
  expectOnce,
  expectStored,
  makeMarks,
  MARK,
  reportedLosses,
  storedLosses,
  storedMarks,
  takesFromNow,
  throttle,
  watchOutcomes,
} from "./marks.ts";
import { openPage } from "./signals.ts";

test.beforeEach(({ watch }) =>
  watch.allow(MARK, "status of 503", "ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION_REFUSED")
);

test("a burst of 500 errors arrives, each once", async ({ page, arrivals }) => {
  await openPage(page);
  const marks = await makeMarks(page, 500);
  // Slowed down, the page would take minutes to send them.
  await throttle(page, 1);
  await expectOnce(arrivals, marks);
});

test("offline, then online: everything arrives, each once", async ({ page, context, arrivals }) => {
  await openPage(page);
  await context.setOffline(true);
  const marks = await makeMarks(page, 40);
  await expectStored(page, marks);
  await context.setOffline(false);
  await expectOnce(arrivals, marks);
});

test("a relay that refuses connections for a while", async ({ page, context, arrivals }) => {
  await openPage(page);
  await context.route("/monitoring", (route) => route.abort("connectionrefused"));
  const marks = await makeMarks(page, 40);
  await expectStored(page, marks);
  await context.unroute("/monitoring");
  await expectOnce(arrivals, marks);
});

test("with a full disk everything arrives once the relay is back, and the page says that it is in memory", async ({ page, context, arrivals }) => {
  await page.addInitScript(() => {
    IDBObjectStore.prototype.put = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
  });
  await openPage(page);
  await context.route("/monitoring", (route) => route.abort("connectionrefused"));
  const marks = await makeMarks(page, 40);
  await expect(page.getByText("in memory: this browser keeps nothing").first()).toBeVisible();
  await expect(page.getByText(/[4-9]\d waiting/).first()).toBeVisible();
  await context.unroute("/monitoring");
  await expectOnce(arrivals, marks);
});

test("with IndexedDB refused everything arrives once the relay is back, and the page says that it is in memory", async ({ page, context, arrivals }) => {
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("forbidden", "SecurityError");
    };
  });
  await openPage(page);
  await expect(page.getByText("in memory: this browser keeps nothing").first()).toBeVisible();
  await context.route("/monitoring", (route) => route.abort("connectionrefused"));
  const marks = await makeMarks(page, 40);
  await expect(page.getByText(/[4-9]\d waiting/).first()).toBeVisible();
  await context.unroute("/monitoring");
  await expectOnce(arrivals, marks);
});

test.describe("with a relay that has no spool, and its ingest down", () => {
  test.use({ mode: "relay", serverEnv: { SPOOL: "none" } });

  test("a tab that is killed has stored everything, and the next one delivers it once", async ({ page, context, ingest }) => {
    await openPage(page);
    ingest.behave(answers(503));
    const marks = await makeMarks(page, 60);
    await expectStored(page, marks);
    await crash(page);
    const taken = takesFromNow(ingest);
    await (await context.newPage()).goto("/");
    await expectOnce(taken, marks);
  });

  test("two tabs at once: no envelope is sent by both, and none is lost", async ({ page, context, ingest }) => {
    const other = await context.newPage();
    await openPage(page);
    await openPage(other);
    ingest.behave(answers(503));
    const marks = [
      ...await makeMarks(page, 60),
      ...await makeMarks(other, 60, { from: 60 }),
    ];
    await expectStored(page, marks);
    const outcomes = watchOutcomes(context);
    await expectOnce(takesFromNow(ingest), marks);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toEqual([]);
  });

  test("what found no room is shown, and reported by a later page if this tab is killed", async ({ page, context, ingest }) => {
    await openPage(page);
    ingest.behave(answers(503));
    // 80 × 400 KB are more than a browser keeps for us.
    const marks = await makeMarks(page, 80, { padding: 400_000 });
    await expect(page.getByText(/\d+, each counted in a client report/)).toBeVisible();
    await expect.poll(async () => (await storedMarks(page)).length + await storedLosses(page))
      .toBe(marks.length);
    await crash(page);
    const taken = takesFromNow(ingest);
    const next = await context.newPage();
    await next.goto("/");
    await expect.poll(() => storedMarks(next), { timeout: 30_000 }).toEqual([]);
    const lost = async () => (await reportedLosses(taken))["queue_overflow:error"] ?? 0;
    await expect.poll(
      async () => new Set(await arrivedMarks(taken)).size + await lost(),
      { timeout: 60_000 },
    ).toBe(marks.length);
    expect(await lost()).toBeGreaterThan(20);
  });
});
