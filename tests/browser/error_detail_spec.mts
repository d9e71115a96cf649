/** One error of the page itself, of the server, of another SDK, or of an attacker. */
import type { Page } from "@playwright/test";
import { hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import {
  hostileEvent,
  javaEvent,
  MARKUP,
  messageEvent,
  nodeEvent,
  postEnvelope,
  postEvents,
  postSpans,
  pythonEvent,
  spanId,
} from "../harness/browser/posted.ts";
import { ERRORS, fetchInPage, make, openPage, shownTraceId } from "../harness/browser/signals.ts";
import {
  errorDetail,
  errorList,
  errorRow,
  openError,
  openView,
  sourceLine,
  stackFrame,
} from "../harness/browser/views.ts";

/** Expects the detail to show this source line, marked, in the frame that is open at first. */
async function expectSourceLine(page: Page, path: string, text: string): Promise<void> {
  const { number, line } = sourceLine(path, text);
  await expect(errorDetail(page)).toContainText(new RegExp(`${path}:${number}(:\\d+)? in app`));
  const marked = errorDetail(page).getByRole("group", { name: "Source" }).first().locator("mark");
  await expect(marked).toHaveText(line.trim());
  await expect(marked).toHaveAttribute("data-line", String(number));
}

test("errors of an island → file, line, function and source text of the TypeScript; the server's too", async ({ page, watch }) => {
  watch.allow(...Object.values(ERRORS), "status of 500");
  await openPage(page);
  const signals = "islands/settings/Signals.tsx";
  const thrown = [
    {
      signal: "handled",
      text: ERRORS.handled,
      in: "islands/pipeline/test_signals.ts",
      by: "handleError",
    },
    { signal: "uncaught", text: ERRORS.uncaught, in: signals, by: "(anonymous)" },
    { signal: "component", text: ERRORS.component, in: signals, by: "Signals" },
  ] as const;
  for (const { signal } of thrown) await make(page, signal);
  for (const { text, in: path, by } of thrown) {
    await openView(page, "Errors");
    const { number } = sourceLine(path, `new Error("${text}`);
    await expect(errorRow(page, text)).toContainText(`${path}:${number}`);
    await openError(page, text);
    await expectSourceLine(page, path, `new Error("${text}`);
    await expect(stackFrame(errorDetail(page), path)).toContainText(by);
  }
  await openView(page, "Overview");
  await fetchInPage(page, "/signal?throw=true");
  await openView(page, "Errors");
  await openError(page, "Server error, made on purpose");
  await expectSourceLine(page, "routes/signal.ts", "throw new Error(");
  await page.keyboard.press("Escape");
  await openError(page, ERRORS.component);
  // React's frames are folded at first.
  const folded = errorDetail(page).getByText(/^\d+\slibrary frames$/).first();
  const react = stackFrame(errorDetail(page), /node_modules\/react-dom\/.*:\d+:\d+ library/);
  await expect(react).toBeHidden();
  await folded.click();
  await expect(react).toBeVisible();
});

test("events of other SDKs → variables and context (Python), packages (Java), a message", async ({ page, server }) => {
  await postEvents(server.origin, pythonEvent(), javaEvent(), {
    ...messageEvent(),
    timestamp: undefined,
  });
  await page.goto("/#/errors");
  const detail = errorDetail(page);
  const shown: Readonly<Record<string, readonly (string | RegExp)[]>> = {
    CheckoutError: [
      "shop.errors.CheckoutError: no price for sku-991",
      "shop/views.py:42 in app",
      'raise CheckoutError(f"no price for {sku}")',
      "'sku-991'",
      "4 library frames",
      "While handling: KeyError",
      /modules.*5\.1/,
    ],
    IllegalStateException: [
      /java\.lang\.IllegalStateException: ./,
      "checkout Cart.java:88 in app",
      "The event contains no source lines.",
    ],
    "Stock of sku-991 is low": [
      ...[/Message: Stock of sku-991 is low/, "warning"],
      "sent without a time",
    ],
  };
  for (const [error, texts] of Object.entries(shown)) {
    await openError(page, error);
    for (const text of texts) await expect(detail).toContainText(text);
    const modules = detail.locator("details").filter({ hasText: /^modules/ });
    await expect(modules.getByRole("link", { name: "Only this" })).toHaveCount(0);
    await expectAccessibleLayout(page, error);
    await page.keyboard.press("Escape");
  }
});

test("an AggregateError → members and causes, breadcrumbs, what failed before in its trace", async ({ page, server }) => {
  const contexts = { trace: { trace_id: "c0ffee".padEnd(32, "0") } };
  const event = { ...nodeEvent(), contexts };
  const time = Date.parse(event.timestamp) / 1000;
  const { exception: _, breadcrumbs: __, ...sender } = event;
  const cause = {
    ...sender,
    event_id: undefined,
    timestamp: time - 0.012,
    exception: { values: [{ type: "DnsError", value: "no such host" }] },
    level: "warning",
  };
  const later = [0, 1].map((after) => ({ ...cause, timestamp: time + after }));
  await postEvents(server.origin, event, cause, ...later);
  await page.goto("/#/errors");
  await openError(page, "All servers failed");
  await expect(errorDetail(page).locator("h4").filter({ hasText: ":" })).toHaveText([
    "errors[0] of AggregateError: MailError",
    "errors[1] of AggregateError: MailError",
    "Caused by: Error",
  ]);
  const before = errorDetail(page).getByRole("region", { name: "In the same trace" });
  // Not "before it": one may have come after it.
  await expect(before.getByRole("heading")).toHaveText("In the same trace");
  await expect(before.getByRole("listitem").last()).toContainText("within 1 ms");
  await expect(before.getByRole("listitem")).toHaveCount(2);
  await expect(before).toContainText(/12\sms before\s+DnsError: no such host/);
  await expect(before.getByRole("link").first().locator(".mark.waits")).toHaveCount(1);
  expect(await before.getByRole("link").first().getAttribute("href")).toMatch(
    /^#\/errors\/[\da-f]+\/\d+$/,
  );
  const breadcrumbs = errorDetail(page).getByRole("region", { name: "Breadcrumbs" });
  const crumbs = breadcrumbs.getByRole("listitem");
  await expect(crumbs).toContainText([
    /−3\.0\d s.*console.*Sending a mail/,
    /−1\.0\d s http 421/,
    "0 s AggregateError: All servers failed",
  ]);
  await expect(crumbs).toHaveCount(3);
  await expect(breadcrumbs).toContainText("2 of 3");
  // Of the SDK itself.
  const all = breadcrumbs.getByRole("button", { name: "Show all 3" });
  await all.press("Enter");
  await expect(crumbs).toHaveCount(4);
  await expect(crumbs.nth(1)).toContainText(/−2\.0\d s.*sentry\.event.*Sent another event/);
  await all.press("Enter");
  await expect(crumbs).toHaveCount(3);
  await expect(errorDetail(page).getByRole("region", { name: "Tags" })).toContainText("mail");
});

test("long variable, 11 breadcrumbs → folded; the last 8, others when asked for, each with its span", async ({ page, server }) => {
  const timestamp = Date.now() / 1_000;
  const frame = { function: "pay", vars: { sku: "991", cart: `[${"item, ".repeat(50)}end]` } };
  const values = [{ type: "Error", value: "fails", stacktrace: { frames: [frame] } }];
  const [trace_id, other] = [hexId(1), hexId(2)];
  const span = (trace_id: string, n: number) => ({
    ...{ trace_id, span_id: spanId(n), name: `span ${n}` },
    ...{ start_timestamp: timestamp - 1, end_timestamp: timestamp },
  });
  await postSpans(server.origin, [span(trace_id, 1)], [span(other, 2)]);
  const breadcrumbs = Array.from({ length: 11 }, (_, n) => ({
    message: `step ${n}.`,
    timestamp: timestamp - 11 + n,
    ...n >= 8 && { data: { __span: spanId(n - 7) } },
  }));
  const contexts = { trace: { trace_id }, resource: { "service.name": "seats" } };
  const event = { timestamp, transaction: "span 2", exception: { values }, breadcrumbs, contexts };
  await postEvents(server.origin, event);
  await page.goto("/#/errors");
  await openError(page, "fails");
  await errorDetail(page).locator(".stack summary").first().click();
  const locals = errorDetail(page).locator(".locals");
  await expect(locals).toContainText("sku=991");
  await expect(locals.locator("summary")).toHaveText(/^cart=\[item, .{40,60}…$/);
  await expect(locals.locator("pre")).toBeHidden();
  await locals.locator("summary").click();
  await expect(locals.locator("pre")).toContainText("item, end]");
  const crumbs = errorDetail(page).getByRole("region", { name: "Breadcrumbs" });
  await expect(crumbs).toContainText("8 of 11");
  await expect(crumbs.getByRole("listitem")).toHaveCount(9);
  await expect(crumbs.getByRole("listitem").first()).toContainText("step 3.");
  await crumbs.getByRole("button", { name: "Show all 11" }).click();
  await expect(crumbs.getByRole("listitem").first()).toContainText("step 0.");
  // Its own trace has the first span, another one the second, none the third.
  await expect(crumbs.getByRole("link", { name: "Open span" }))
    .toHaveAttribute("href", `#/traces/${trace_id}?span=${spanId(1)}`);
  await crumbs.getByRole("link", { name: "Find span" }).first().click();
  await page.getByRole("region", { name: "Traces", exact: true })
    .getByRole("link", { name: "span 2" }).first().click();
  await expect(page).toHaveURL(new RegExp(`#/traces/${other}`));
  await page.goBack();
  await page.goBack();
  const transaction = errorDetail(page).getByRole("region", { name: "This event" });
  await expect(transaction.getByRole("link", { name: "In traces" }))
    .toHaveAttribute("href", "#/traces?name=span+2");
  await expect(transaction.getByRole("link", { name: "In logs" })).toHaveCount(0);
  await expect(errorDetail(page).locator('a[href="#/logs?q=service.name%3A%22seats%22"]'))
    .toHaveCount(1);
  await crumbs.getByRole("link", { name: "Find span" }).last().click();
  await expect(page.getByText("No traces match the filter")).toBeVisible();
});

test("an error → links to trace and recording, copied text, downloaded envelope", async ({ page, context, watch }) => {
  watch.allow(ERRORS.handled);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPage(page);
  const trace = await shownTraceId(page);
  await make(page, "handled");
  await openView(page, "Errors");
  await openError(page, ERRORS.handled);
  const detail = errorDetail(page);
  await expect(detail.getByRole("link", { name: "Open trace" }))
    .toHaveAttribute("href", new RegExp(`^#/traces/${trace}(\\?span=[\\da-f]{16})?$`));
  await expect(detail.getByRole("link", { name: "Play at this moment" }))
    .toHaveAttribute("href", /^#\/recordings\//);

  await page.getByRole("button", { name: "Copy", exact: true }).click();
  const menu = page.getByRole("group", { name: "Copy the error" });
  await menu.getByRole("button", { name: "Copy as text" }).click();
  await expect(menu.getByText("copied", { exact: true })).toBeVisible();
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain(
    `Error: ${ERRORS.handled}\n    at handleError (islands/pipeline/test_signals.ts:`,
  );
  expect(text).toContain(`trace: ${trace}`);

  await menu.getByRole("button", { name: "Copy for an assistant" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toMatch(/^Everything between the fences .* untrusted[^]*> \d+ .*new Error[^]*## Trace\n/);

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "More about the error" }).click();
  await page.getByRole("button", { name: "Download envelope" }).click();
  const saved = await Deno.readTextFile(await (await download).path());
  expect(saved).toContain(ERRORS.handled);
});

test("hostile events → shown as text, bounded, nothing runs", async ({ page, server }) => {
  const id = hexId(7);
  const feedback = { message: `It broke ${MARKUP}`, associated_event_id: id };
  await postEnvelope(server.origin, {}, ["feedback", { contexts: { feedback } }]);
  await postEnvelope(
    server.origin,
    { event_id: id },
    ["event", { event_id: id, ...hostileEvent() }],
    ["attachment", new TextEncoder().encode(MARKUP)],
  );
  await postEvents(
    server.origin,
    new TextEncoder().encode("[]"),
    new TextEncoder().encode('{"exception":{"values":"none"},"message":{"formatted":[]}}'),
  );
  await page.goto("/#/errors");
  await openError(page, "Hostile");
  await expect(errorDetail(page)).toContainText(MARKUP);
  await expect(errorDetail(page)).toContainText(`It broke ${MARKUP}`);
  const download = page.waitForEvent("download");
  await errorDetail(page).getByRole("link", { name: "Download attachment" }).click();
  expect(await Deno.readTextFile(await (await download).path())).toBe(MARKUP);
  await errorDetail(page).getByRole("button", { name: /^Show all \(9\d\d KiB\)/ }).click();
  await expect(errorDetail(page).getByRole("button", { name: "Show less" })).toBeVisible();
  await errorDetail(page).evaluate((article) => {
    for (const details of article.querySelectorAll("details")) details.open = true;
  });
  expect(
    await errorDetail(page).locator(
      "img, script, iframe, object, svg:not(figure svg, .icon), style",
    )
      .count(),
  ).toBe(
    0,
  );
  const targets = await page.locator(".errors a").evaluateAll((links) =>
    links.map((link) => link.getAttribute("href"))
  );
  for (const target of targets) {
    expect(target).toMatch(/^(#\/|\/monitoring\/inbox\?attachment=\d+\.\d+$)/);
  }
  expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(15_000);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);

  await page.keyboard.press("Escape");
  // The two empty events are one group.
  await expect(errorList(page).getByRole("link")).toHaveCount(2);
  for (const nth of [0, 1]) {
    await errorList(page).getByRole("link").nth(nth).click();
    await expect(errorDetail(page)).toBeVisible();
    await page.keyboard.press("Escape");
  }
});
