/** Sorting by column headers, filters of traces, the chart of a group, and the table of web vitals. */
import { error, span, type TestItem } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessible, expectNoOverflow } from "../harness/browser/page_look.ts";
import { postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";

test("lists sorted and filtered → matching rows, the choice is in the address; web vitals by page", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  const post = (environment: string, ...items: readonly TestItem[]) =>
    postEnvelope(server.origin, {
      sdk: { name: "sentry.javascript.browser" },
      sender: { environment, release: "shop@1" },
    }, ...items);
  const root = (trace: number, name: string, op: string, seconds: number, code: number) =>
    span(trace, {
      name,
      is_segment: true,
      start_timestamp: now - 60,
      end_timestamp: now - 60 + seconds,
      attributes: {
        "sentry.op": { value: op },
        "http.response.status_code": { value: code },
        ...op === "pageload" && { "browser.web_vital.lcp.value": { value: seconds * 1_000 } },
      },
    });
  await post("test", root(1, "GET /a", "http.server", 0.005, 503), error("failed a", 1));
  await post(
    "test",
    root(2, "/basket", "pageload", 5, 200),
    error("failed b", 2),
    error("failed b"),
  );
  await post("production", root(3, "/home", "pageload", 1, 200));

  await page.goto("/#/traces?source=apps");
  const traces = page.getByRole("region", { name: "Traces", exact: true });
  const names = traces.locator("tbody a.row-link");
  const header = (name: string) => traces.getByRole("columnheader", { name });
  await expect(names).toHaveText(["Page load /home", "Page load /basket", "GET /a"]);
  await expect(header("Started")).toHaveAttribute("aria-sort", "descending");
  // No row has one.
  await expect(header("Recording")).toHaveCount(0);
  // The toolbar is one row.
  await page.setViewportSize({ width: 1280, height: 800 });
  expect((await traces.locator(".bar").boundingBox())!.height).toBeLessThan(48);

  // By keyboard: descending, ascending, and back to the newest first.
  await header("Duration").getByRole("button").focus();
  await page.keyboard.press("Enter");
  await expect(header("Duration")).toHaveAttribute("aria-sort", "descending");
  await expect(names).toHaveText(["Page load /basket", "Page load /home", "GET /a"]);
  await page.keyboard.press("Enter");
  await expect(names).toHaveText(["GET /a", "Page load /home", "Page load /basket"]);
  expect(page.url()).toContain("sort=duration");
  await traces.getByLabel("Operation").selectOption("pageload");
  await expect(names).toHaveText(["Page load /home", "Page load /basket"]);
  await traces.getByLabel("Status").selectOption("error");
  await expect(names).toHaveText(["Page load /basket"]);
  await traces.getByLabel("Operation").selectOption("");
  await traces.getByLabel("Status").selectOption("5xx");
  await expect(names).toHaveText(["GET /a"]);
  await expect(traces.locator("tbody")).toContainText("HTTP 503");
  await traces.getByLabel("Status").selectOption("");
  await traces.getByLabel("Environment").selectOption("production");
  await expect(names).toHaveText(["Page load /home"]);
  expect(page.url()).toContain("environment=production");

  // The table is another file, which loads on demand.
  await traces.getByRole("link", { name: "Web vitals" }).click();
  const row = traces.getByRole("row", { name: "/home" });
  await expect(row.getByRole("cell"))
    .toHaveText([/\/home/, "1", "1.00 sgood", "–", "–", "–", "–"]);
  await traces.getByLabel("Environment").selectOption("");
  await traces.getByRole("button", { name: "LCP p75" }).click();
  await expect(names).toHaveText(["/basket", "/home"]);
  await expect(traces.getByRole("row", { name: "/basket" })).toContainText("5.00 spoor");
  await names.first().click();
  await expect(names).toHaveText(["Page load /basket"]);
  await expect(header("Duration")).toHaveAttribute("aria-sort", "descending");
  await traces.getByRole("button", { name: "Loads of /basket" }).click();
  // Of the same application.
  await expect(names).toHaveText(["Page load /basket", "GET /a"]);

  await openView(page, "Errors");
  const errors = page.getByRole("region", { name: "Errors", exact: true });
  await errors.getByRole("button", { name: "Count" }).click();
  expect((await errors.locator(".bar").boundingBox())!.height).toBeLessThan(48);
  const groups = errors.getByRole("rowgroup").last().getByRole("row");
  await expect(groups.first()).toContainText("failed b");
  await expect(groups.first().getByRole("img")).toHaveAccessibleName(
    /errors in 1 of 24 parts, at most 2 in one/,
  );

  await test.step("on a phone", async () => {
    await expectNoOverflow(page, 360);
    const count = errors.getByRole("columnheader", { name: "Count" });
    await expect(count).toHaveAttribute("aria-sort", "descending");
    await count.getByRole("button").click();
    await expect(count).toHaveAttribute("aria-sort", "ascending");
    await expect(groups.first()).toContainText("failed a");
    await openView(page, "Traces");
    await header("Spans").getByRole("button").click();
    await expect(header("Spans")).toHaveAttribute("aria-sort", "descending");
    await expectAccessible(page);
  });
});
