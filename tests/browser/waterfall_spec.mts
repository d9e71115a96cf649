/** Waterfalls of posted traces: keyboard, axis, comparison, hostile and large traces. */
import type { Locator } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout, expectNoOverflow } from "../harness/browser/page_look.ts";
import {
  errorEvent,
  hostileTrace,
  largeTrace,
  lostContextTrace,
  pageLoadTrace,
  postEnvelope,
  postEvents,
  postSpans,
  spanId,
} from "../harness/browser/posted.ts";
import { spanDetail, spanRow, traceLink, waterfall } from "../harness/browser/views.ts";

const TRACE = "0123456789abcdef0123456789abcdef";

/** High enough for all rows of a session: only rows in sight are rendered. */
test.use({ viewport: { width: 1280, height: 1400 } });

test("keyboard only → from the list into a trace, through its tree, and back", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 38));
  await page.goto("/#/traces");
  await traceLink(page, TRACE).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "step 0" })).toBeFocused();
  await expect(spanRow(page, "step 37")).toBeVisible();
  const focused = page.locator(":focus");
  // The tree is one tab stop.
  while (!(await focused.evaluate((element) => element.matches('[role="row"]')))) {
    await page.keyboard.press("Tab");
  }
  const moves = [
    ["ArrowDown", "step 1"],
    ["ArrowLeft", "step 1"], // collapsed
    ["ArrowDown", "step 2"],
    ["ArrowUp", "step 1"],
    ["ArrowRight", "step 1"], // expanded
    ["ArrowRight", "step 6"],
    ["Home", "step 0"],
  ] as const;
  for (const [key, name] of moves) {
    await page.keyboard.press(key);
    await expect(focused).toHaveAccessibleName(new RegExp(`${name}\\W`));
  }
  await test.step("search shows n of m, Enter moves to the next match", async () => {
    await page.getByRole("searchbox", { name: "Search this trace" }).focus();
    await page.keyboard.type('"step 3"');
    await expect(page.getByText("9 found")).toBeVisible();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await expect(page.getByText("2 of 9")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByText("2 of 9")).toBeHidden();
  });
  await test.step("Enter opens a span, closing restores the focus, Escape leads to the list", async () => {
    await spanRow(page, /step 0\W/).focus();
    await page.keyboard.press("Enter");
    await expect(spanDetail(page, "step 0")).toBeVisible();
    await spanDetail(page, "step 0").getByRole("button", { name: "Close" }).press("Enter");
    await expect(focused).toHaveAccessibleName(/step 0\W/);
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/#\/traces$/);
    await expect(traceLink(page, TRACE)).toBeFocused();
  });
});

test("Escape in a trace → closes the span's panel, then the trace, wherever the focus is", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 9));
  const detail = spanDetail(page, "step 1");
  const places = [
    detail.getByRole("button", { name: "Close" }),
    spanRow(page, /step 1\W/),
    page.getByRole("button", { name: "More about the trace" }),
    page.getByRole("searchbox", { name: "Search this trace" }),
    undefined,
  ];
  for (const [n, place] of places.entries()) {
    await page.goto(`/?${n}#/traces/${TRACE}?span=${spanId(1)}`);
    await expect(detail).toBeVisible();
    // By address nothing has the focus.
    await (place ? place.focus() : expect(page.locator(":focus")).toHaveCount(0));
    await page.keyboard.press("Escape");
    await expect(detail).toHaveCount(0);
    await expect(spanRow(page, /step 1\W/)).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(page).toHaveURL(/#\/traces$/);
  }
  await page.goto(`/#/traces/${TRACE}?span=${spanId(99)}`);
  await expect(page.getByText(`No span of this trace that has arrived has the id ${spanId(99)}`))
    .toBeVisible();
});

test("page load with a click an hour later → named, fitted axis, links to its rows", async ({ page, server }) => {
  const spans = pageLoadTrace(TRACE) as { start_timestamp: number; attributes: object }[];
  const { start_timestamp, attributes } = spans[1]!;
  const at = (value: number) => ({ value, type: "double" });
  Object.assign(attributes, {
    "http.request.redirect_start": at(0),
    "http.request.request_start": at(start_timestamp + 0.02),
  });
  await postSpans(server.origin, spans);
  // At the trace's beginning: an error that is later widens the axis.
  await postEvents(
    server.origin,
    errorEvent("TypeError", "total is undefined", {
      timestamp: Date.now() / 1000 - 7199,
      contexts: { trace: { trace_id: TRACE, span_id: spanId(4) } },
    }),
  );
  const bar = (name: RegExp) => spanRow(page, name).locator(".span-bar");
  await page.goto(`/#/traces/${TRACE}`);
  await expect(page.getByRole("heading", { name: "Page load /checkout" })).toBeVisible();
  await expect(page.getByRole("list", { name: "Kinds of spans" })).toContainText("database 1");
  await test.step("one span far outside → the others use the axis; its mark leads to it", async () => {
    const [box, frame] = [await bar(/pageload/).boundingBox(), await waterfall(page).boundingBox()];
    expect(box!.width).toBeGreaterThan(frame!.width / 3);
    const left = (of: Locator) => of.evaluate((one) => Math.round(one.getBoundingClientRect().x));
    const lines = await waterfall(page).locator(".wf-lines i").all();
    const ticks = await page.locator(".wf-head .ticks span").all();
    expect(await Promise.all(ticks.map(left))).toEqual(await Promise.all(lines.map(left)));
    await page.getByRole("button", { name: /1\sspan, 59\smin \d\d\ss later/ }).click();
    await expect(bar(/button\.pay/)).toBeVisible();
    await expect(bar(/pageload/)).toBeHidden();
  });
  await test.step("longest span → selected, focused and on the axis", async () => {
    const line = page.getByRole("navigation", { name: "Most self time" });
    expect((await line.boundingBox())!.height).toBeLessThan(24);
    const longest = line.getByRole("link");
    await expect(longest.first()).toContainText(/400\sms SELECT/);
    await longest.first().press("Enter");
    await expect(spanRow(page, /SELECT/)).toBeFocused();
    await expect(bar(/SELECT/)).toBeVisible();
    await expect(spanDetail(page, "SELECT price")).toContainText("database");
  });
  await test.step("counts lead to the failed span and to the errors of the trace", async () => {
    await page.getByRole("link", { name: /^1\sfailed span$/ }).click();
    await expect(spanRow(page, /http\.client/)).toHaveAttribute("aria-selected", "true");
    await page.getByRole("link", { name: /^1\serror$/ }).click();
    await expect(page.getByText("total is undefined")).toBeVisible();
    await expect(page.getByRole("button", { name: /^Remove Trace: / })).toBeVisible();
  });
  await test.step("events of a request → as time after its start, those that occurred", async () => {
    await page.goto(`/#/traces/${TRACE}?span=${spanId(1)}`);
    const detail = spanDetail(page, "/app.js");
    await expect(detail).toContainText(/request start\s*after 20\sms/);
    await expect(detail).not.toContainText(/redirect|http\.request/);
  });
});

test("function beside the request that it awaits → most self time names the request", async ({ page, server }) => {
  await postSpans(server.origin, lostContextTrace(TRACE));
  await page.goto(`/#/traces/${TRACE}`);
  const longest = page.getByRole("navigation", { name: "Most self time" }).getByRole("link");
  await expect(longest).toHaveText([
    /460\sms POST bank\.example/,
    /187 of 750\sms POST \/checkout/,
    /100\sms INSERT/,
  ]);
  const solid = async (name: RegExp) => {
    const style = await spanRow(page, name).locator(".span-bar").getAttribute("style");
    const parts = style!.matchAll(/var\(--solid\) ([\d.]+)% ([\d.]+)%/g);
    return Math.round([...parts].reduce((sum, [, from, to]) => sum + Number(to) - Number(from), 0));
  };
  // Percent: 3 of 463 ms, 187 of 750, and a span that waits for nothing.
  const bars = [solid(/function charge/), solid(/http.server/), solid(/INSERT/)];
  expect(await Promise.all(bars)).toEqual([1, 25, 100]);
  await expect(page.getByRole("list", { name: "Kinds of spans" })).toContainText("self time");
  await spanRow(page, /function charge/).click();
  await expect(spanDetail(page, "charge")).toContainText(/Self time\s*3\sms/);
});

test("trace as a flame graph → each span has a bar; a click selects, another one zooms, keys too", async ({ page, server }) => {
  await postSpans(server.origin, pageLoadTrace(TRACE));
  await page.goto(`/#/traces/${TRACE}`);
  await page.getByRole("link", { name: "Flame", exact: true }).click();
  await expect(page).toHaveURL(/[?&]as=flame/);
  const flame = page.getByRole("group", { name: /^Flame graph of \d+\sspans$/ });
  const script = flame.getByTitle(/\/app\.js, /);
  await expect(script).toBeVisible();
  await expect(waterfall(page)).toHaveCount(0);
  await script.click();
  await expect(spanDetail(page, "/app.js")).toBeVisible();
  const width = async () => (await script.boundingBox())!.width;
  const before = await width();
  await script.click();
  await expect.poll(width).toBeGreaterThan(2 * before);
  await flame.press("0");
  await expect.poll(width).toBeLessThan(2 * before);
  await expectAccessibleLayout(page, "flame graph");
  await page.getByRole("link", { name: "Waterfall", exact: true }).click();
  await expect(spanRow(page, "/app.js")).toBeVisible();
});

test("row of repeated spans → a panel about all of them; list beside, logs below", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 12));
  const item = { trace_id: TRACE, level: "warn", body: "stock is low" };
  await postEnvelope(server.origin, { sender: { release: "stock@1" } }, ["log", {
    items: [{ ...item, timestamp: Date.now() / 1_000 - 59, attributes: {} }],
  }]);
  await page.goto(`/#/traces/${TRACE}`);
  const repeated = spanRow(page, /×5.* in all/);
  await repeated.click();
  await expect(repeated).toHaveAttribute("aria-selected", "true");
  await expect(repeated).toHaveAttribute("aria-expanded", "false");
  const panel = spanDetail(page, /5 calls in step 1/);
  await expect(panel).toContainText(/5×step #The same 5\stimes, up to 5 at once/);
  await expect(panel).toContainText(/In all\s*25\.00\ss/);
  await page.keyboard.press("ArrowRight");
  await expect(spanRow(page, /step 6\W/)).toBeVisible();
  await expect(traceLink(page, TRACE)).toBeVisible();
  const logs = page.getByRole("region", { name: "Logs of this trace" });
  await expect(logs).toContainText(/1\slog, 1 at warning or above.*warn.*stock.*stock is low/);
  await page.reload();
  await expect(panel).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(panel).toHaveCount(0);
});

test("two traces chosen by keyboard → side by side on one scale, spans matched", async ({ page, server }) => {
  const [other, similar] = ["d".repeat(32), "c".repeat(32)];
  await postSpans(server.origin, pageLoadTrace(TRACE), pageLoadTrace(other, 0.3));
  // A search for the name finds it: its page is below.
  await postSpans(server.origin, pageLoadTrace(similar, 0.3, "/checkout/done"));
  await postSpans(server.origin, largeTrace("e".repeat(32), 20)[0]!);
  const table = page.getByRole("table", { name: "Spans of both traces" });
  const row = (name: RegExp) => table.getByRole("row", { name });

  await page.goto(`/#/traces/${TRACE}`);
  await expect(page.getByRole("heading", { name: "Page load /checkout" })).toBeVisible();
  await page.getByRole("link", { name: "Compare" }).press("Enter");
  await expect(page.getByText("Choose the trace to compare with")).toBeVisible();
  await expect(traceLink(page, other)).toBeVisible();
  for (const hidden of [TRACE, similar, "e".repeat(32)]) {
    await expect(traceLink(page, hidden)).toBeHidden();
  }
  await page.getByRole("link", { name: "Show other names" }).press("Enter");
  for (const shown of [similar, "e".repeat(32)]) await expect(traceLink(page, shown)).toBeVisible();
  await page.goBack();
  await expect(traceLink(page, similar)).toBeHidden();
  await traceLink(page, other).press("Enter");
  await expect(page).toHaveURL(new RegExp(`#/traces/${TRACE}/compare/${other}$`));
  await expect(page.getByRole("heading", { name: "Two traces compared" })).toBeFocused();
  await expect(row(/db\.query/)).toContainText(/400\sms.*300\sms−100\sms self −100\sms/);
  await expect(page.getByText("Ordered by the change of self time, largest first.")).toBeVisible();
  await expect(row(/http\.server/)).toBeHidden();
  await expect(page.getByText(/\d\sspans? not shown: durations differ by less than 1\sms or 2\s%/))
    .toBeVisible();
  await expectAccessibleLayout(page, "comparison");

  await page.goto(`/#/traces/${TRACE}/compare/${"e".repeat(32)}`);
  await expect(row(/pageload/)).toContainText("only in A");
  await expect(row(/step 19/)).toContainText("only in B");
  await page.goto(`/#/traces/${TRACE}/compare/${"f".repeat(32)}`);
  await expect(page.getByText("Trace B not found")).toBeVisible();
});

test("hostile trace → shown as text, with warnings about its data", async ({ page, server }) => {
  await postSpans(server.origin, hostileTrace(TRACE));
  await page.goto(`/#/traces/${TRACE}?span=${spanId(0)}`);
  await expect(page.locator(".span-detail")).toContainText('<img src=x onerror="');
  for (const name of [/<img src=x/, /MMMM/, "circle a", "own parent", "orphan", "far future"]) {
    await expect(spanRow(page, name).first()).toBeAttached();
  }
  await expect(spanRow(page, "Missing parent")).toBeAttached();
  const facts = page.locator(".trace");
  await expect(facts).toContainText(/2\scycles of parent spans/);
  await expect(facts).toContainText(/1\sparent span missing/);
  await expect(facts).toContainText("without an end");

  const warnings: [string, RegExp][] = [
    [spanId(2), /a cycle, which is cut at this span/],
    [spanId(4), /is its own parent/],
    [spanId(8), /No valid end received/],
    [spanId(6), /no plausible start: lists have it when it arrived/],
    [spanId(7), /Duration–.*has no end after its start/],
    [spanId(9), /Its start is missing.*Started–/],
  ];
  for (const [id, sentence] of warnings) {
    await page.goto(`/#/traces/${TRACE}?span=${id}`);
    await expect(page.locator(".span-detail")).toContainText(sentence);
  }
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  expect(await page.locator("img, .trace script, .trace [onerror]").count()).toBe(0);
  await expectNoOverflow(page, 360);
});

test("trace of 10,000 spans → only rows in sight are rendered; End focuses the last", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 10_000));
  await page.goto(`/#/traces/${TRACE}`);
  // The equal children of each parent are folded into one row.
  await expect(waterfall(page)).toHaveAttribute("aria-rowcount", "3684");
  await page.getByRole("button", { name: "More about the trace" }).click();
  await page.getByRole("button", { name: "Expand all" }).click();
  await page.keyboard.press("Escape");
  const count = await waterfall(page).getAttribute("aria-rowcount");
  expect(Number(count)).toBeGreaterThan(10_000);
  expect(await waterfall(page).getByRole("row").count()).toBeLessThan(100);
  await spanRow(page, /step 0\W/).focus();
  await page.keyboard.press("End");
  await expect(page.locator(":focus")).toHaveAttribute("aria-rowindex", count!);
  await page.getByRole("searchbox", { name: "Search this trace" }).fill("step 9999");
  await page.keyboard.press("Enter");
  await expect(spanRow(page, /step 9999\W/)).toBeInViewport();
  // Not one bar for each span of a graph.
  await page.getByRole("link", { name: "Flame", exact: true }).click();
  await expect(page.getByText(/^The 2,000 longest of 10,000\./)).toBeAttached();
});

test("drag over the small picture → its time is shown, also to the left; a click → nothing", async ({ page, server }) => {
  await postSpans(server.origin, ...largeTrace(TRACE, 70));
  await page.goto(`/#/traces/${TRACE}`);
  const picture = page.getByRole("slider", { name: "Time shown" });
  const lens = picture.locator(".lens");
  const shown = () => picture.getAttribute("aria-valuetext");
  const whole = await shown();
  await picture.click();
  expect(await shown()).toBe(whole);
  const { x, y, width, height } = (await picture.boundingBox())!;
  await page.mouse.move(x + width * 0.6, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * 0.3, y + height / 2, { steps: 3 });
  await expect(lens).toHaveAttribute("style", /^left: 30\.?\d*%; width: 30\.?\d*%/);
  expect(await shown()).toBe(whole);
  await page.mouse.up();
  await expect(picture).not.toHaveAttribute("aria-valuetext", whole!);
  await expect(picture).toHaveAttribute("aria-valuenow", "30");
});
