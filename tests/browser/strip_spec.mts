/** The pipeline strip: counts and reasons of refusals. */
import { answers, takes } from "../harness/stand_in_ingest.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";
import { openPipeline, openView } from "../harness/browser/views.ts";

test.use({ mode: "relay" });

test("ingest refuses envelopes → counted by reason, and announced", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, "status of 400");
  ingest.behave(
    answers(400, { headers: { "X-Sentry-Error": "event of a kind that is not taken" } }),
  );
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  await expect(strip).toContainText("Counted since the page was opened");
  await make(page, "Handled error");
  await expect(strip.getByRole("button", { name: /refused/ })).toBeVisible();
  await openPipeline(page);
  const reasons = strip.getByRole("list", { name: "Refused, by reason" });
  await expect(reasons.getByRole("listitem").first()).toHaveText(
    /\d+ refused \(status 400\), the last at \d\d:\d\d:\d\d: event of a kind that is not taken/,
  );
  await expect(strip.getByRole("status")).toContainText(
    /[1-9]\d* refused\. Last refused: event of a kind that is not taken/,
  );

  ingest.behave(takes());
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d* accepted/);
  await openPipeline(page);
  await expect(reasons.getByRole("listitem").first()).toContainText("status 400");
});

test("another sender is refused → counted with its outcome, apart from this page's own", async ({ page, server }) => {
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  await openPipeline(page);
  const senders = strip.getByText("All senders: ");
  await expect(senders).toContainText("0 refused.");
  await sendRefusedEnvelopes(server.origin);
  // The window gets the focus again, as after using another program.
  await expect(async () => {
    await page.evaluate(() => void dispatchEvent(new Event("focus")));
    await expect(senders).toContainText("2 refused (2 rejected).", { timeout: 3_000 });
  }).toPass();
  await expect(strip).toContainText("Counted since the server started, read at");
  // Those of this page were all accepted.
  await expect(strip.getByRole("listitem").nth(1)).toContainText("0 refused");
  await expect(strip).toContainText("This page: All delivered.");
});

test("overview of relay mode → first the pipeline, with the counts of the strip", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, "status of 400");
  await openPage(page);
  await openView(page, "Overview");
  const panels = page.locator(".overview .panel");
  await expect(panels.getByRole("heading")).toHaveText([
    "Pipeline",
    "Sent by this page",
    "Destination",
  ]);
  await expect(panels.first()).toContainText(/this browser.*\/monitoring.*[1-9]\d* accepted/);
  await expect(panels.first()).toContainText(/All senders: [1-9]\d* delivered, 0 refused/);
  ingest.behave(answers(400, { headers: { "X-Sentry-Error": "no such project" } }));
  await make(page, "Handled error");
  await openView(page, "Overview");
  await expect(panels.first()).toContainText(/[1-9]\d* refused \(status 400\).*no such project/);
});

/** Sends a malformed envelope, and one of a page of another origin. */
async function sendRefusedEnvelopes(origin: string): Promise<void> {
  for (const headers of [new Headers(), new Headers({ Origin: "https://elsewhere.example" })]) {
    const body = "no envelope";
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body, headers });
    await response.body?.cancel();
    expect(response.headers.get("x-relay-outcome")).toBe("rejected");
  }
}
