/** Queries in the page: a trace found by a value of one span, each value as a link, and keys within a trace. */
import { expect, test } from "../harness/browser/fixtures.ts";
import { exceptionEvent, logsJson, span, text, tracesJson } from "../harness/otlp_bodies.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { postSpans, spanId } from "../harness/browser/posted.ts";
import { spanDetail, spanRow, traceLink, traceList } from "../harness/browser/views.ts";

const [AGENT, OTHER] = ["a".repeat(32), "b".repeat(32)] as const;

/** A request that calls one tool often: the calls are one row. */
const callsOf = (trace_id: string, start: number) =>
  Array.from({ length: 40 }, (_, n) => ({
    trace_id,
    span_id: spanId(n),
    ...n > 0 && { parent_span_id: spanId(0) },
    name: n === 0 ? `POST /agent/${trace_id[0]}` : "run tool",
    is_segment: n === 0,
    start_timestamp: start + n / 100,
    end_timestamp: start + n / 100 + (n === 0 ? 4 : 0.001),
    status: n % 15 === 14 ? "internal_error" : "ok",
    attributes: {
      "sentry.op": n === 0 ? "http.server" : "tool.call",
      "order.id": `${trace_id[0]}-${n}`,
      "tool.city": n === 34 && trace_id === AGENT ? "Reykjavik" : "Bern",
    },
  }));

test("trace found by a value of one of its spans → opened with that span; keys; the value alone", async ({ page, server }) => {
  const now = Date.now() / 1_000;
  await postSpans(server.origin, callsOf(AGENT, now - 20), callsOf(OTHER, now - 10));
  await page.goto("/#/traces");
  await expect(traceLink(page, OTHER)).toBeVisible();
  const list = page.getByRole("searchbox", { name: "Search traces" });
  await list.fill("reykj duration:>2s");
  await expect(traceLink(page, OTHER)).toHaveCount(0);
  await expect(traceList(page).getByText("matches: run tool")).toBeVisible();
  await traceLink(page, AGENT).click();
  await expect(spanDetail(page, "run tool")).toContainText("Reykjavik");
  const focused = page.locator(":focus");

  await test.step("n, e, j → the next match, failed span, span, also in a folded row", async () => {
    // One for each term.
    await expect(page.getByText("2 found")).toBeVisible();
    for (const n of [1, 2]) {
      await page.keyboard.press("n");
      await expect(page.getByText(`${n} of 2`)).toBeVisible();
    }
    await expect(focused).toHaveAttribute("aria-level", "3");
    const at = async (key: string, text: string | RegExp) => {
      await page.keyboard.press(key);
      await expect(focused).toHaveAccessibleName(text);
    };
    const offset = (ms: number) => new RegExp(`from ${ms}\\sms`);
    await at("e", offset(140));
    await at("E", offset(290));
    await at("j", offset(300));
    await at("k", offset(290));
  });
  await test.step("another query in the address → searched in the open trace, too", async () => {
    await page.evaluate(() => location.hash = location.hash.replace("reykj", "order.id%3Aa-7"));
    const inTrace = page.getByRole("searchbox", { name: "Search this trace" });
    await expect(inTrace).toHaveValue("order.id:a-7 duration:>2s");
    await page.goBack();
    await expect(inTrace).toHaveValue("reykj duration:>2s");
  });
  await test.step("Not this, Only this → the traces without the value, and with it", async () => {
    const city = spanDetail(page, "run tool").locator(".entry", { hasText: "Reykjavik" });
    await city.getByRole("link", { name: "Not this" }).click();
    await expect(page).toHaveURL(/q=reykj\+duration.*-tool\.city%3A%22Reykjavik%22/);
    await expect(page.getByText(/^No traces match/)).toBeVisible();
    await list.fill("-tool.city:Reykjavik");
    await expect(traceLink(page, OTHER)).toBeVisible();
    await expect(traceLink(page, AGENT)).toHaveCount(0);
  });
  await test.step("f, Enter, Tab → the links of a value in a row; Escape leads back to it", async () => {
    await list.fill("agent");
    await traceLink(page, OTHER).focus();
    await page.keyboard.press("f");
    await expect(focused).toHaveAttribute("title", "op: http.server");
    const values = page.getByRole("group", { name: "op: http.server" });
    for (const close of ["Escape", "Enter"]) {
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      await expect(focused).toHaveText("Only this");
      await page.keyboard.press(close);
      await expect(values).toBeHidden();
      await expect(focused).toHaveAttribute("title", "op: http.server");
    }
    await expect(list).toHaveValue('agent op:"http.server"');
  });
  await test.step("J opens the next trace, K the one before, ? the help", async () => {
    await list.fill("agent");
    await traceLink(page, OTHER).click();
    await expect(page.getByRole("heading", { name: "POST /agent/b" })).toBeVisible();
    await page.keyboard.press("J");
    await expect(page.getByRole("heading", { name: "POST /agent/a" })).toBeVisible();
    await page.keyboard.press("K");
    await expect(page.getByRole("heading", { name: "POST /agent/b" })).toBeVisible();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Help" });
    await expect(help).toContainText("Next and previous failed span");
    await expectAccessibleLayout(page, "help");
    const texts = await help.getByRole("definition").evaluateAll((all) =>
      all.map((text) => text.getBoundingClientRect().width)
    );
    expect(Math.min(...texts), "at phone width").toBeGreaterThanOrEqual(190);
    await page.keyboard.press("Escape");
    await expect(help).toBeHidden();
  });
  await expect(spanRow(page, /POST \/agent\/b/)).toBeVisible();
});

test("trace found by one of its logs or errors → their span is found in it, and the log", async ({ page, server }) => {
  const root = span({
    name: "POST /orders",
    events: [exceptionEvent("Card of 4711-0816 expired")],
  });
  const call = span({ name: "charge", kind: 3, traceId: root.traceId, parentSpanId: root.spanId });
  const log = { traceId: root.traceId, spanId: call.spanId };
  const charging = { ...log, body: { stringValue: "charging" } };
  const bodies = {
    traces: tracesJson([root, call]),
    logs: logsJson([{ ...charging, attributes: [text("order", "4711-0815")] }, log]),
  };
  for (const [signal, body] of Object.entries(bodies)) {
    const headers = { "Content-Type": "application/json" };
    const sent = await fetch(`${server.origin}/v1/${signal}`, { method: "POST", headers, body });
    expect(sent.status).toBe(200);
  }
  await page.goto("/#/traces?q=expired");
  await expect(traceList(page).getByText("matches: Error: Card of 4711-0816")).toBeVisible();
  await page.goto("/#/traces?q=4711-0815");
  await expect(traceList(page).getByText("matches: charging")).toBeVisible();
  await traceLink(page, root.traceId).click();
  await expect(page.getByText("1 found")).toBeVisible();
  await page.getByRole("button", { name: "Next" }).click();
  await expect(page.locator(".wf-row.match")).toHaveAccessibleName(/charge/);
  await expect(page.locator(".trace-logs .match")).toHaveText(/charging/);
  await page.getByRole("searchbox", { name: "Search this trace" }).fill("expired");
  await expect(page.locator(".wf-row.match")).toHaveAccessibleName(/POST \/orders/);
  await expect(page.locator(".trace-logs .match")).toHaveCount(0);
});
