/** The pipeline's mark and its counts by state. */
import type { Page } from "@playwright/test";
import { answers, takes } from "../harness/stand_in_ingest.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import {
  envelopeRows,
  envelopesView,
  openView,
  ownCount,
  pipeline,
  pipelineMark,
} from "../harness/browser/views.ts";

test.use({ mode: "relay" });

test("ingest refuses envelopes → counted with the reason, and announced", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, "status of 400");
  ingest.behave(
    answers(400, { headers: { "X-Sentry-Error": "event of a kind that is not taken" } }),
  );
  await openPage(page);
  await make(page, "handled");
  await expect(pipelineMark(page)).toContainText(/This console: [1-9]\d* refused\./);
  await pipelineMark(page).click();
  await expect(pipeline(page)).toContainText(
    /Last at \d\d:\d\d:\d\d: event of a kind that is not taken/,
  );
  await expect(pipeline(page).getByRole("status")).toContainText(
    /[1-9]\d* refused\. Last problem: event of a kind that is not taken/,
  );

  ingest.behave(takes());
  await make(page, "handled");
  await expect(ownCount(page, "Delivered")).toHaveText(/[1-9]/);
  await expect(ownCount(page, "Refused")).toHaveText(/[1-9]/);
  await expect(pipelineMark(page)).toContainText("refused");
});

test("another sender is refused → counted apart from this console's own envelopes", async ({ page, server }) => {
  await openPage(page);
  await expect(allCount(page, "Refused")).toHaveText("0");
  await expect(pipelineMark(page)).toContainText("This console: all delivered.");
  await sendRefusedEnvelopes(server.origin);
  // The window gets the focus again, as after using another program.
  await expect(async () => {
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await expect(allCount(page, "Refused")).toHaveText("2", { timeout: 3_000 });
  }).toPass();
  // Those of this page were all accepted.
  await expect(ownCount(page, "Refused")).toHaveText("0");
  await expect(pipelineMark(page)).toHaveText(/Applications: 2 refused\.$/);
});

test("overview of relay mode → first the pipeline, with the counts of its mark", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, /status of (400|429)/);
  await openPage(page);
  await openView(page, "Overview");
  const panels = page.locator(".overview .panel");
  await expect(panels.getByRole("heading")).toHaveText([
    "Pipeline",
    "Outcomes over time, of the newest 200",
    "Envelopes of this page",
  ]);
  await expect(panels.first()).toContainText(/Delivered[1-9]\d*/);
  ingest.behave(answers(400, { headers: { "X-Sentry-Error": "no such project" } }));
  await make(page, "handled");
  await openView(page, "Overview");
  await expect(panels.first()).toContainText(/Last at .*no such project/);
  await expect(panels.nth(1)).toContainText(/[1-9]\d*\srefused or lost/);
  // Of an error that the page discards: no size and no duration.
  ingest.behave(answers(429, { headers: { "X-Sentry-Rate-Limits": "60::organization" } }));
  const unsent = panels.last().getByRole("row").filter({ hasText: "not sent: " }).first();
  await expect(async () => {
    await make(page, "handled");
    await openView(page, "Overview");
    await expect(unsent).toHaveText(/^[a-z]+lostnot sent: /i, { timeout: 1000 });
  }).toPass();
  await openView(page, "Envelopes");
  await expect(envelopesView(page).getByRole("columnheader", { name: "Created" })).toBeVisible();
  await expect(envelopeRows(page).filter({ hasText: /refused|rejected/ }).first()).toBeVisible();
  await expect(envelopeRows(page).filter({ hasText: "kept" }).first()).toBeVisible();
  await page.setViewportSize({ width: 390, height: 800 });
  await expect(page.getByRole("button", { name: "More views" })).toHaveCount(0);
});

/** A count of all senders' envelopes. */
const allCount = (page: Page, state: string) =>
  pipeline(page).locator("tr", { hasText: state }).locator("td").nth(1);

/** Sends a malformed envelope, and one of a page of another origin. */
async function sendRefusedEnvelopes(origin: string): Promise<void> {
  for (const headers of [new Headers(), new Headers({ Origin: "https://elsewhere.example" })]) {
    const body = "no envelope";
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body, headers });
    await response.body?.cancel();
    expect(response.headers.get("x-relay-outcome")).toBe("rejected");
  }
}
