/** Rows of several applications beside the page's own: hiding, choosing, counting, filtering by time. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { openView, tab } from "../harness/browser/views.ts";
import { error, log, span } from "../../monitoring/inbox/testdata/envelopes.ts";

const HOUR_S = 3_600;

/** Posts a span, an error and a log of an application. */
async function postRows(origin: string, app: string, trace: number, ageS: number): Promise<void> {
  const timestamp = Date.now() / 1_000 - ageS;
  const header = {
    sdk: { name: "sentry.python" },
    sender: { environment: "test", release: `${app}@1` },
  };
  await postEnvelope(
    origin,
    header,
    span(trace, {
      name: `work of ${app}`,
      start_timestamp: timestamp,
      end_timestamp: timestamp + 1,
    }),
    error(`failure of ${app}`, trace, { timestamp }),
    log(`line of ${app}`, { timestamp }),
  );
}

const param = (page: Page, name: string) =>
  new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get(name);

test("other applications send → own rows hidden, each can be chosen in every list", async ({ page, server, arrivals }) => {
  await page.goto("/#/traces");
  const traces = page.getByRole("region", { name: "Traces", exact: true });
  const rows = traces.getByRole("row");
  await arrivals.waitForItem("the page load", ({ type }) => type === "span");
  await expect(rows.filter({ hasText: "pageload" })).not.toHaveCount(0);
  await expect(traces.getByRole("combobox", { name: "Source" })).toHaveCount(0);

  await postRows(server.origin, "shop", 0xa1, 10);
  await postRows(server.origin, "bakery", 0xa2, 2 * HOUR_S);
  // Live: the page was not loaded again.
  await expect(rows.filter({ hasText: "work of shop" }).getByTitle("Source")).toHaveText("shop");
  await expect(rows.filter({ hasText: "pageload" })).toHaveCount(0);
  await expect(tab(page, "Traces")).toHaveText("Traces2");
  await expect(tab(page, "Errors")).toHaveText("Errors2");

  await traces.getByRole("button", { name: "Show Sightglass" }).click();
  await expect(rows.filter({ hasText: "pageload" })).not.toHaveCount(0);
  await expect(rows.filter({ hasText: "work of bakery" })).toHaveCount(1);
  await traces.getByRole("button", { name: "Hide Sightglass" }).click();
  await expect(rows.filter({ hasText: "pageload" })).toHaveCount(0);

  // By keyboard. The choice is in the address, and the next view has it.
  await traces.getByRole("combobox", { name: "Source" }).focus();
  await expect(async () => {
    // The browser takes letters that follow slowly for separate searches.
    await page.keyboard.type("shop");
    await expect(traces.getByRole("combobox", { name: "Source" }).locator("option:checked"))
      .toHaveText(/^shop /, {
        timeout: 1_000,
      });
  }).toPass();
  await expect(rows.filter({ hasText: "work of bakery" })).toHaveCount(0);
  const key = param(page, "source");
  expect(key).toMatch(/^[\da-f]{14}$/);
  await openView(page, "Errors");
  const errors = page.getByRole("region", { name: "Errors", exact: true });
  await expect(errors.getByRole("link", { name: "failure of shop" })).toBeVisible();
  await expect(errors.getByRole("link", { name: "failure of bakery" })).toHaveCount(0);
  expect(param(page, "source")).toBe(key);
  await errors.getByRole("combobox", { name: "Source" }).selectOption("");
  await expect(errors.getByRole("link", { name: "failure of bakery" })).toBeVisible();
  await errors.getByLabel("Time").selectOption("1h");
  await expect(errors.getByRole("link", { name: "failure of bakery" })).toHaveCount(0);
  await expect(tab(page, "Logs")).toHaveText("Logs1");

  // A detail and back: the filter is still there, also on a phone.
  await page.setViewportSize({ width: 360, height: 740 });
  await errors.getByRole("link", { name: "failure of shop" }).click();
  await errors.getByRole("link", { name: "All errors" }).click();
  await expect(errors.getByRole("button", { name: "Filters (1)" })).toBeVisible();
  await expect(errors.getByLabel("Time")).toHaveValue("1h");
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  expect(await width()).toBeLessThanOrEqual(360);
  await page.goBack();
  await expect(errors.getByRole("link", { name: "All errors" })).toBeVisible();
});

test("long names of applications → rows of one line; on a phone no text is over another", async ({ page, server }) => {
  await postRows(server.origin, "an-application-with-a-long-name", 0xc1, 10);
  await postRows(server.origin, "another-application-with-a-long-name", 0xc2, 10);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/#/traces");
  const traces = page.locator(".traces tbody tr");
  await expect(traces).toHaveCount(2);
  const heights = await traces.evaluateAll((rows) => rows.map(({ clientHeight }) => clientHeight));
  expect(Math.max(...heights)).toBeLessThan(32);

  await page.setViewportSize({ width: 360, height: 740 });
  await openView(page, "Logs");
  const lines = page.locator(".logs .log .log-line");
  await expect(lines).toHaveCount(2);
  const overlaps = await lines.evaluateAll((lines) =>
    lines.flatMap((line) => {
      const boxes = [...line.children].map((cell) => cell.getBoundingClientRect());
      const parts = [...line.querySelectorAll(".level, .log-message")]
        .map((part) => part.getBoundingClientRect());
      return parts.flatMap((part) =>
        boxes.filter((box) =>
          part.left < box.right && box.left < part.right && part.top < box.bottom &&
          box.top < part.bottom
        ).length
      );
    })
  );
  // Each part is in its own cell alone.
  expect(overlaps).toEqual([1, 1, 1, 1]);
});
