/** While the ingest is down the relay keeps what comes, and the page says so. */
import { answers, takes } from "../stand_in_ingest.ts";
import { expect, test } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";
import { errorOf } from "./telemetry.ts";

test.use({ mode: "relay" });

test("with the ingest down envelopes are spooled, never called accepted, and arrive once it is back", async ({ page, ingest, arrivals, watch }) => {
  watch.allow(ERRORS.handled);
  ingest.behave(answers(503));
  await openPage(page);
  await make(page, "Handled error");
  const strip = page.getByRole("region", { name: "Flow" });
  await expect(strip).toContainText(/[1-9]\d* spooled/);
  await expect(strip).toContainText("0 accepted");
  await expect(strip).toContainText(
    /The ingest has not answered since \d\d:\d\d:\d\d: the relay keeps [1-9]\d*\senvelope/,
  );
  const sent = page.getByRole("region", { name: "Sent by this page" });
  await expect(sent.getByRole("row", { name: /event .* spooled 202/ })).toBeVisible();

  ingest.behave(takes());
  const arrived = await arrivals.waitFor("the error", (items) => errorOf(items, ERRORS.handled));
  expect(arrived.exception.values.at(-1)?.value).toBe(ERRORS.handled);
  await expect(async () => {
    await make(page, "Handled error");
    await expect(strip).toContainText(/[1-9]\d* accepted/, { timeout: 1000 });
  }).toPass();
});
