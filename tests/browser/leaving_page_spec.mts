/** A page that ends right after a burst: each event arrives once or is counted as lost. */
import type { BrowserContext, Page, Route } from "@playwright/test";
import { type Arrivals, expect, logsOf, opOf, spansOf, test } from "../harness/browser/fixtures.ts";
import { discardedOf } from "../harness/browser/arrived_telemetry.ts";
import { crash, expectAccounted, makeMarks, MARK, throttle } from "../harness/browser/marks.ts";
import {
  make,
  openPage,
  setHidden,
  shownTraceId,
  waitForTelemetry,
} from "../harness/browser/signals.ts";
import { ownCount } from "../harness/browser/views.ts";

/** Many more errors than a page can send as it ends. */
const BURST = 60;
/** A reload leaves the least time: of so many errors most are not in IndexedDB yet. */
const RELOAD_BURST = 300;

// The page of inbox mode reads what arrives, which costs a fifth more CPU time.
test.use({ mode: "relay" });

test.beforeEach(({ watch }) => watch.allow(MARK, "ERR_INTERNET_DISCONNECTED"));

/** Ways to end a page. Each returns the next page of the same origin and storage, not throttled. */
const WAYS: Readonly<
  Record<string, (page: Page, context: BrowserContext) => Promise<Page>>
> = {
  async reloaded(page) {
    await page.reload({ waitUntil: "commit" });
    await throttle(page, 1);
    return page;
  },
  async "left and reopened"(page) {
    await page.goto("/robots.txt");
    await throttle(page, 1);
    await page.goto("/");
    return page;
  },
  async closed(page, context) {
    await page.close();
    return await openNext(context);
  },
  async killed(page, context) {
    await crash(page);
    return await openNext(context);
  },
};

async function openNext(context: BrowserContext): Promise<Page> {
  const next = await context.newPage();
  await next.goto("/");
  return next;
}

// Slow: the page ends before its errors are stored.
for (
  const [rate, how, errors] of [
    [1, "left and reopened", BURST],
    [1, "killed", BURST],
    [12, "reloaded", RELOAD_BURST],
    [12, "closed", BURST],
  ] as const
) {
  test(`CPU ${rate} ×, ${errors} errors, page ${how} → each arrives once or is counted`, async ({ page, context, arrivals }) => {
    await openPage(page);
    await throttle(page, rate);
    const marks = await makeMarks(page, errors);
    await expectAccounted(arrivals, marks, await WAYS[how]!(page, context));
  });
}

// Nothing is stored, however fast the page is.
for (const how of ["left and reopened", "killed"]) {
  test(`CPU 6 ×, store busy, ${BURST} errors, page ${how} → each arrives once or is counted`, async ({ page, context, arrivals }) => {
    await openPage(page);
    await expect(ownCount(page, "Waiting in this browser")).toHaveText("0");
    const release = await occupyStore(context);
    await throttle(page, 6);
    const marks = await makeMarks(page, BURST);
    const next = await WAYS[how]!(page, context);
    await release();
    const counted = await expectAccounted(arrivals, marks, next);
    // Envelopes that were sent as the page ended are stored and sent again.
    expect(counted).toBeGreaterThan(BURST - 20);
  });
}

test("tab with unstored errors stays open, another opens → each arrives once, none counted", async ({ page, context, arrivals }) => {
  await openPage(page);
  const release = await occupyStore(context);
  const marks = await makeMarks(page, 30);
  const other = await context.newPage();
  await openPage(other);
  await release();
  expect(await expectAccounted(arrivals, marks, other)).toBe(0);
});

// Each is buffered by the SDK for up to five seconds.
for (const [rate, how] of [[1, "killed"], [12, "killed"], [12, "left and reopened"]] as const) {
  test(`CPU ${rate} ×, log written during the page load, page ${how} → both arrive or are counted`, async ({ page, context, arrivals }) => {
    await openPage(page);
    const traceId = await shownTraceId(page);
    await throttle(page, rate);
    await make(page, "fatal");
    await waitForTelemetry(await WAYS[how]!(page, context));
    await expectLogAndLoad(arrivals, traceId);
  });
}

for (const point of ["journaled", "sent"] as const) {
  test(`page killed while its log is ${point} → both arrive or are counted`, async ({ page, context, arrivals }) => {
    const session = await context.newCDPSession(page);
    await blockWhenLogIs(page, point);
    // Without a response the page load does not end.
    await context.route("/robots.txt", () => {});
    await openPage(page);
    const traceId = await shownTraceId(page);
    await page.evaluate(() => void fetch("/robots.txt"));
    await make(page, "fatal");
    const blocked = page.waitForEvent("console", (message) => message.text() === "blocked");
    void setHidden(page, true).catch(() => {/* The page is killed meanwhile. */});
    await blocked;
    await crash(page, session);
    await waitForTelemetry(await openNext(context));
    await expectLogAndLoad(arrivals, traceId);
  });
}

/** Waits until the page's log and its page load have arrived or are counted, the log once. */
async function expectLogAndLoad(arrivals: Arrivals, traceId: string): Promise<void> {
  await expect(async () => {
    const items = await arrivals.items();
    const lost = discardedOf(items);
    const logs = logsOf(items).length;
    const loads = spansOf(items).filter((span) =>
      span.trace_id === traceId && opOf(span) === "pageload"
    );
    expect(logs + (lost["internal_sdk_error:log_item"] ?? 0), "logs").toBe(1);
    expect(loads.length > 0 || (lost["internal_sdk_error:span"] ?? 0) > 0, "page load").toBe(true);
  }).toPass();
}

/** Blocks the page's main thread once the journal has the log's envelope, or the request for it is made. */
async function blockWhenLogIs(page: Page, point: "journaled" | "sent"): Promise<void> {
  await page.addInitScript((point) => {
    const block = () => {
      console.info("blocked");
      for (;;);
    };
    const { fetch } = globalThis;
    const { setItem } = Storage.prototype;
    if (point === "sent") {
      globalThis.fetch = (input, init) => {
        const response = fetch(input, init);
        const { body } = init ?? {};
        if (body instanceof Uint8Array && new TextDecoder().decode(body).includes('"type":"log"')) {
          block();
        }
        return response;
      };
      return;
    }
    Storage.prototype.setItem = function (key, value) {
      setItem.call(this, key, value);
      if (!key.startsWith("envelope:")) return;
      // The entry of what the SDK buffers counts the page load, too.
      const [, [first, second]] = JSON.parse(value);
      if (first?.category === "log_item" && !second) block();
    };
  }, point);
}

/** Reasons why the SDK has not started, what the page shows, and how it ends. */
const WITHOUT_SDK: Readonly<
  Record<string, readonly [(route: Route) => unknown, string, keyof typeof WAYS]>
> = {
  "not loaded yet": [() => {/* Never answered. */}, "loading", "killed"],
  "cannot load": [(route) => route.abort(), "failed:", "reloaded"],
};
for (const [why, [handle, shown, how]] of Object.entries(WITHOUT_SDK)) {
  test(`SDK ${why}, page with errors and a log ${how} → each counted once`, async ({ page, context, arrivals, watch }) => {
    watch.allow("ERR_FAILED");
    let isRouted = true;
    await context.route("/assets/*", async (route) => {
      const response = await route.fetch();
      const isTelemetry = (await response.text()).includes("X-Relay-Outcome");
      if (isRouted && isTelemetry) await handle(route);
      else await route.fulfill({ response });
    });
    await page.goto("/#/settings");
    await expect(page.getByRole("region", { name: "This session" })).toContainText(shown);
    const marks = await makeMarks(page, 4);
    await make(page, "fatal");
    isRouted = false;
    const next = await WAYS[how]!(page, context);
    await waitForTelemetry(next);
    expect(await expectAccounted(arrivals, marks, next)).toBe(marks.length);
    expect(discardedOf(await arrivals.items())["internal_sdk_error:log_item"]).toBe(1);
  });
}

/**
 * Holds a transaction open on the store's tables, in a tab without telemetry: transactions of other pages
 * are queued behind it.
 *
 * @returns a function that ends it
 */
async function occupyStore(context: BrowserContext): Promise<() => Promise<void>> {
  const holder = await context.newPage();
  await holder.goto("/robots.txt");
  await holder.evaluate(() =>
    new Promise<void>((occupied) => {
      const opening = indexedDB.open("envelopes");
      opening.onsuccess = () => {
        const tables = opening.result.transaction(["metas", "bodies"], "readwrite");
        const repeat = () => {
          tables.objectStore("metas").get("none").onsuccess = repeat;
          occupied();
        };
        repeat();
      };
    })
  );
  return () => holder.close();
}
