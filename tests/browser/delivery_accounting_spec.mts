/** Each event arrives once, or is counted as dropped. */
import { answers } from "../harness/stand_in_ingest.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import {
  acceptFromNow,
  crash,
  expectAccounted,
  expectOnce,
  expectStored,
  makeMarks,
  MARK,
  reportedDiscarded,
  storedDiscarded,
  storedMarks,
  throttle,
  watchOutcomes,
} from "../harness/browser/marks.ts";
import { openPage } from "../harness/browser/signals.ts";

/** More than a page sends at the same time, also while it ends. */
const ERRORS = 20;

// The page of inbox mode reads what arrives, which costs a fifth more CPU time.
test.use({ mode: "relay" });

test.beforeEach(({ watch }) =>
  watch.allow(MARK, /status of (503|429)|ERR_(INTERNET_DISCONNECTED|CONNECTION_REFUSED)/)
);

// Slower: the bursts of leaving_page_spec.mts.
test("burst of 500 errors → each arrives once", async ({ page, arrivals }) => {
  await openPage(page);
  const marks = await makeMarks(page, 500);
  await expectOnce(arrivals, marks);
});

test(
  "relay answers 429 in two tabs → one probes at a time, then each arrives once",
  async ({ page, context, arrivals }) => {
    const other = await context.newPage();
    await openPage(page);
    await openPage(other);
    const requestedAt: number[] = [];
    const made = Promise.withResolvers<void>();
    await context.route("/monitoring", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      requestedAt.push(performance.now());
      await made.promise;
      await route.fulfill({ status: 429, headers: { "Retry-After": "1" } });
    });
    const marks = [
      ...await makeMarks(page, ERRORS),
      ...await makeMarks(other, ERRORS, { from: ERRORS }),
    ];
    await expectStored(page, marks);
    // What both tabs have under way when the first 429 arrives.
    await expect.poll(() => requestedAt.length).toBe(8);
    made.resolve();
    await expect.poll(() => requestedAt.length).toBeGreaterThanOrEqual(10);
    for (const [n, time] of requestedAt.slice(8).entries()) {
      expect(time - requestedAt[n + 7]!).toBeGreaterThan(1_000);
    }
    await context.unroute("/monitoring");
    await expectOnce(arrivals, marks);
  },
);

test.describe("ingest down, relay without spool", () => {
  test.use({ serverEnv: { SPOOL: "none" } });

  // Slow, because storing takes longer then: more of it overlaps between the tabs.
  test("CPU 6 ×, two tabs → each arrives once, sent by one tab", async ({ page, context, ingest }) => {
    const other = await context.newPage();
    for (const tab of [page, other]) {
      await openPage(tab);
      await throttle(tab, 6);
    }
    ingest.behave(answers(503));
    const marks = [
      ...await makeMarks(page, ERRORS),
      ...await makeMarks(other, ERRORS, { from: ERRORS }),
    ];
    await expectStored(page, marks);
    const outcomes = watchOutcomes(context);
    await expectOnce(acceptFromNow(ingest), marks);
    expect(outcomes.filter((outcome) => outcome === "duplicate")).toEqual([]);
  });

  test("storage quota reached, tab killed → drops are shown, and reported by the next page", async ({ page, context, ingest }) => {
    await openPage(page);
    ingest.behave(answers(503));
    // 60 × 400 KB exceed the storage quota.
    const marks = await makeMarks(page, 60, { padding: 400_000 });
    await expect(page.getByText(/\d+, each counted in a client report/)).toBeVisible();
    await expect.poll(async () => (await storedMarks(page)).length + await storedDiscarded(page))
      .toBe(marks.length);
    await crash(page);
    const accepted = acceptFromNow(ingest);
    const next = await context.newPage();
    await next.goto("/");
    const counted = await expectAccounted(accepted, marks, next);
    expect(counted).toBeGreaterThan(5);
    expect(await reportedDiscarded(accepted)).toMatchObject({ "queue_overflow:error": counted });
  });
});
