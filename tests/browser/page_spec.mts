import { expect, test } from "../harness/browser/fixtures.ts";

test("page loaded → no console errors, no CSP violations", async ({ page, server, sent, watch }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Sightglass");
  // The islands are hydrated.
  await expect(page.getByRole("button", { name: "Uncaught error" })).toBeEnabled();
  expect(sent.leaving(server.origin)).toEqual([]);
  expect(watch.problems).toEqual([]);
});

test("one signal → arrives in the inbox and in its list", async ({ page, arrivals, watch }) => {
  watch.allow("Handled error");
  await page.goto("/");
  await page.getByRole("button", { name: "Handled error" }).click();
  const event = await arrivals.waitForItem(
    "the handled error",
    (item) => item.type === "event" && JSON.stringify(item.json()).includes("Handled error"),
  );
  await expect(page.getByRole("region", { name: "Newest errors" })).toContainText("Handled error");
  expect(event.envelope.header.event_id).toMatch(/^[0-9a-f]{32}$/);
  // No other error, such as a hydration mismatch (React error 418).
  expect(await arrivals.items("event")).toHaveLength(1);
});
