import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures.ts";
import { errorOf, opOf, spansOf } from "./telemetry.ts";

const THROWN = "Thrown by the first inline script";
const REJECTED = "Rejected by the first inline script";

/** Delay of the SDK: its start must differ from the errors' time. */
const SDK_DELAY_MS = 1_500;

/** A script that fails before the page's others, and stores the time. */
const FAILING = `self.failedAt = Date.now(); Promise.reject(new Error("${REJECTED}"));` +
  `throw new Error("${THROWN}")`;

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
  watch.allow(THROWN, REJECTED);
  await page.addInitScript(() => void (Math.random = () => 0.5)); // not recorded from the start
  await failEarly(page);
  await page.goto("/");
  const failedAt = await page.evaluate(() => (self as unknown as { failedAt: number }).failedAt);

  for (const text of [THROWN, REJECTED]) {
    const event = await arrivals.waitFor(text, (items) => errorOf(items, text));
    expect(Math.abs(event.timestamp * 1000 - failedAt), "milliseconds off").toBeLessThan(500);
    const load = await arrivals.waitFor(
      "the page load",
      (items) => spansOf(items).find((span) => opOf(span) === "pageload"),
    );
    expect(event.contexts.trace.trace_id).toBe(load.trace_id);
    expect(load.start_timestamp * 1000, "the page load started before").toBeLessThan(failedAt + 1);
  }
  // A visit with an error is recorded, also if the recorder was loaded later.
  await arrivals.waitForItem("the recording", ({ type }) => type === "replay_recording");
  const events = await arrivals.items("event");
  expect(events.filter((item) => JSON.stringify(item.json()).includes("first inline script")))
    .toHaveLength(2);
});
