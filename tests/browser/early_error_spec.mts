import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, opOf, test } from "../harness/browser/fixtures.ts";
import { sampleRecording } from "../harness/browser/signals.ts";

const THROWN = "Thrown by the first inline script";
const REJECTED = "Rejected by the first inline script";
const BETWEEN = "Thrown between the two tasks in which telemetry starts";

/** Delay of the SDK: its start must differ from the errors' time. */
const SDK_DELAY_MS = 1_500;

/** A script that fails before the page's others, and stores the time. */
const FAILING = `self.failedAt = Date.now(); Promise.reject(new Error("${REJECTED}"));` +
  `throw new Error("${THROWN}")`;

/** Runs in the page: throws in a task after the first one of the start, which opens the store of envelopes. */
function failBetween(message: string): void {
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...args) {
    IDBFactory.prototype.open = open;
    // Before the timer of the second task.
    setTimeout(() => {
      Object.assign(self, { betweenAt: Date.now() });
      throw new Error(message);
    });
    return open.apply(this, args);
  };
}

/** Serves the page with the failing script after its first inline script, and delays the SDK. */
async function failEarly(page: Page): Promise<void> {
  let first = "";
  await page.route((url) => url.pathname === "/", async (route) => {
    const response = await route.fetch();
    first = await response.text();
    const hash = createHash("sha256").update(FAILING).digest("base64");
    const headers = response.headers();
    const policy = headers["content-security-policy"]!;
    expect(first.slice(0, first.indexOf("</script>"))).toContain("unhandledrejection");
    await route.fulfill({
      response,
      headers: {
        ...headers,
        "content-security-policy": policy.replace("script-src", `script-src 'sha256-${hash}'`),
      },
      body: first.replace("</script>", `</script><script>${FAILING}</script>`),
    });
  });
  await page.route("/assets/*", async (route) => {
    const name = new URL(route.request().url()).pathname;
    if (!first.includes(name)) await new Promise((resolve) => setTimeout(resolve, SDK_DELAY_MS));
    await route.continue();
  });
}

test("error and rejection before the SDK has loaded → arrive once, with their time and trace", async ({ page, arrivals, watch }) => {
  watch.allow(THROWN, REJECTED, BETWEEN);
  await sampleRecording(page, false);
  await page.addInitScript(failBetween, BETWEEN);
  await failEarly(page);
  await page.goto("/");

  const times = { [THROWN]: "failedAt", [REJECTED]: "failedAt", [BETWEEN]: "betweenAt" };
  for (const [text, time] of Object.entries(times)) {
    const event = await arrivals.waitForError(text);
    const failedAt = await page.evaluate((time) => Number(Reflect.get(self, time)), time);
    expect(Math.abs(event.timestamp * 1000 - failedAt), "milliseconds off").toBeLessThan(
      SDK_DELAY_MS,
    );
    const load = await arrivals.waitForSpan("the page load", (span) => opOf(span) === "pageload");
    expect(event.contexts.trace.trace_id).toBe(load.trace_id);
    expect(load.start_timestamp * 1000, "the page load started before").toBeLessThan(failedAt + 1);
  }
  // A session with an error is recorded, also if the recorder was loaded later.
  await arrivals.waitForItem("the recording", ({ type }) => type === "replay_recording");
  const events = await arrivals.items("event");
  const values = events.map((item) => JSON.stringify(item.json().exception));
  for (const text of Object.keys(times)) {
    expect(values.filter((value) => value.includes(text)), text).toHaveLength(1);
  }
});
