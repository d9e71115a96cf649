/** Consent: telemetry of a withdrawn kind is deleted and not sent, until the kind is granted again. */
import type { Locator, Page, Route } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { arrivedMarks, makeMarks, MARK } from "../harness/browser/marks.ts";
import {
  ERRORS,
  fetchInPage,
  make,
  openPage,
  sendButton,
  waitForTelemetry,
} from "../harness/browser/signals.ts";
import { openView } from "../harness/browser/views.ts";

test.use({ mode: "relay" });

const KINDS = ["Errors", "Traces", "Recordings", "Logs"];
const consent = (page: Page): Locator => page.getByRole("region", { name: "Consent" });
const kind = (page: Page, name: string): Locator => consent(page).getByRole("switch", { name });
const row = (page: Page, name: string): Locator =>
  consent(page).locator("dl > div").filter({ has: page.getByRole("switch", { name }) });

/** Without client reports: the server's count requests that were not sampled. */
const typesOf = (items: readonly { readonly type: string }[]): readonly string[] =>
  items.map(({ type }) => type).filter((type) => type !== "client_report");

async function turn(page: Page, name: string, isOn: boolean): Promise<void> {
  // In the prerendered page all are off and disabled.
  await expect(kind(page, name)).toBeEnabled();
  await kind(page, name).setChecked(isOn);
}

async function withdrawAll(page: Page): Promise<void> {
  await openView(page, "Settings");
  for (const name of KINDS) {
    await turn(page, name, false);
    await expect(row(page, name)).toContainText("withdrawn");
  }
}

/** The rows of the browser's store, and the keys of its journal. */
async function stored(page: Page): Promise<readonly unknown[]> {
  return await page.evaluate(async () => {
    const opening = indexedDB.open("envelopes");
    await new Promise((resolve) => opening.onsuccess = resolve);
    const names = ["metas", "bodies", "losses"];
    const transaction = opening.result.transaction(names);
    const keys = names.map((name) => transaction.objectStore(name).getAllKeys());
    await new Promise((resolve) => transaction.oncomplete = resolve);
    opening.result.close();
    return [
      ...keys.flatMap(({ result }) => result),
      ...Object.keys(localStorage).filter((key) => key.startsWith("envelope:")),
    ];
  });
}

/** Makes signals of each kind but recordings, which run by themselves. */
async function makeSignals(page: Page, from: number): Promise<void> {
  await openView(page, "Overview");
  await makeMarks(page, 10, { from });
  await make(page, "info");
  await make(page, "span");
}

test("all withdrawn while sending → nothing arrives, over reloads and tabs; granted → arrives", async ({ page, context, arrivals, sent, watch }) => {
  watch.allow(MARK, "ERR_FAILED");
  // Requests stay in flight until consent is withdrawn.
  const held: Route[] = [];
  await context.route("/monitoring", (route) => void held.push(route));
  const aborted: string[] = [];
  context.on("requestfailed", (request) => aborted.push(request.failure()!.errorText));
  await openPage(page);
  const other = await context.newPage();
  await openPage(other);
  await makeSignals(page, 0);
  await makeSignals(other, 100);
  await expect.poll(() => held.length).toBeGreaterThan(1);
  await expect.poll(async () => (await stored(page)).length).toBeGreaterThan(20);
  await page.evaluate(() => {
    setInterval(() => globalThis.reportError(new Error("mark 999 in the burst")), 200);
  });

  await withdrawAll(page);
  await expect(row(page, "Errors")).toContainText(/not collected; \d+\sunsent items deleted/);
  await openView(other, "Settings");
  await expect(consent(other).getByText("withdrawn", { exact: true })).toHaveCount(4);
  await expect.poll(() => stored(page)).toEqual([]);
  await expect.poll(() => aborted).toContain("net::ERR_ABORTED");
  for (const route of held) await route.abort().catch(() => {/* The page has aborted it. */});
  await context.unroute("/monitoring");
  const before = sent.posts("/monitoring").length;

  await makeSignals(other, 200);
  await page.reload();
  await expect(page.getByRole("region", { name: "This session" }))
    .toContainText(/running\s*Trace\s*not recorded/);
  await makeSignals(page, 300);
  await sendButton(page).click();
  await expect(page.getByText("Not sent: errors, logs, traces are withdrawn.")).toBeVisible();
  await other.goto("/robots.txt");
  await other.goBack();
  await expect(other.getByRole("region", { name: "This session" })).toContainText("running");
  expect(await stored(page)).toEqual([]);

  // Older envelopes are sent first: any that remained would arrive before this log.
  await openView(page, "Settings");
  await turn(page, "Logs", true);
  await openView(page, "Overview");
  await make(page, "warn");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  await makeMarks(other, 1, { from: 400 });
  await openView(other, "Overview");
  await make(other, "fatal");
  await arrivals.waitFor("the second log", (items) => typesOf(items).length === 2);
  expect(typesOf(await arrivals.items())).toEqual(["log", "log"]);
  expect(sent.posts("/monitoring")).toHaveLength(before + 2);

  await openView(page, "Settings");
  for (const name of ["Errors", "Recordings"]) await turn(page, name, true);
  await waitForTelemetry(page);
  await openView(page, "Overview");
  await makeMarks(page, 1, { from: 500 });
  await expect.poll(() => arrivedMarks(arrivals)).toEqual([500]);
  await arrivals.waitForItem("the recording", ({ type }) => type === "replay_recording");
  expect(await arrivals.text(), "traces are withdrawn").not.toContain("performanceSpan");
  await openView(page, "Settings");
  await turn(page, "Traces", true);
  await openView(page, "Overview");
  await make(page, "span");
  await arrivals.waitForItem("a span", ({ type }) => type === "span");
  expect(await arrivals.text()).not.toMatch(/mark [1-4]?\d?\d /);
  // Nothing counts as lost.
  const posts = sent.posts("/monitoring").slice(before);
  expect(posts.map(({ decoded }) => new TextDecoder().decode(decoded)).join())
    .not.toContain("client_report");
});

test("nothing granted, storage refused → nothing sent until a grant, which ends with the page", async ({ page, arrivals, sent, watch }) => {
  watch.allow(MARK, ERRORS.handled);
  await page.route((url) => url.pathname === "/", async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(
      '"monitoringPath":',
      '"consent":"required","monitoringPath":',
    );
    await route.fulfill({ response, body });
  });
  await page.addInitScript(() => {
    const refuse = () => {
      throw new DOMException("refused", "SecurityError");
    };
    Object.defineProperty(globalThis, "localStorage", { get: refuse });
    IDBFactory.prototype.open = refuse;
  });
  const traced: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/signal")) traced.push(request.headers()["sentry-trace"] ?? "none");
  });
  await page.goto("/#/settings");
  await makeMarks(page, 1);
  await expect(page.getByRole("region", { name: "This session" })).toContainText("running");
  await fetchInPage(page, "/signal?delay_ms=80");
  expect(traced).toEqual([expect.stringMatching(/-0$/)]);
  expect(sent.posts("/monitoring")).toEqual([]);

  await openView(page, "Settings");
  await turn(page, "Logs", true);
  await expect(consent(page)).toContainText("the choice ends with it");
  await openView(page, "Overview");
  await make(page, "info");
  await arrivals.waitForItem("the log", ({ type }) => type === "log");
  await openView(page, "Settings");
  await turn(page, "Logs", false);
  await turn(page, "Errors", true);
  await openView(page, "Overview");
  await make(page, "info");
  await makeMarks(page, 1, { from: 2 });
  await expect.poll(() => arrivedMarks(arrivals)).toEqual([2]);
  expect(typesOf(await arrivals.items())).toEqual(["log", "event"]);
});
