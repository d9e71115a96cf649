/** The pipeline strip: counts, reasons of refusals, the relay's health, reduced motion. */
import { answers, takes } from "../harness/stand_in_ingest.ts";
import { expect, test } from "../harness/browser/fixtures.ts";
import { ERRORS, make, openPage } from "../harness/browser/signals.ts";

test.use({ mode: "relay" });

const isHealthRequest = ({ method, url }: { method: string; url: URL }) =>
  method === "GET" && url.pathname === "/monitoring";

test("ingest refuses envelopes → counted by reason, and announced", async ({ page, ingest, watch }) => {
  watch.allow(ERRORS.handled, "status of 400");
  ingest.behave(
    answers(400, { headers: { "X-Sentry-Error": "event of a kind that is not taken" } }),
  );
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  await expect(strip).toContainText("Counted since the page was opened");
  await make(page, "Handled error");
  const reasons = strip.getByRole("list", { name: "Refused, by reason" });
  await expect(reasons.getByRole("listitem").first()).toHaveText(
    /\d+ refused \(status 400\), the last at \d\d:\d\d:\d\d: event of a kind that is not taken/,
  );
  await expect(strip.getByRole("status")).toContainText(
    /[1-9]\d* refused\. Last refused: event of a kind that is not taken/,
  );

  ingest.behave(takes());
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d* accepted/);
  await expect(reasons.getByRole("listitem").first()).toContainText("status 400");
});

test("relay has spooled envelopes → its health is requested until there are none", async ({ page, ingest, sent, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  ingest.behave(answers(503));
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d*\senvelopes? of all senders in its spool/);
  ingest.behave(takes());
  // The second text appears if an envelope of this page is delivered before the spooled ones.
  await expect(strip).toContainText(/the relay’s spool is empty|All delivered\./);
  const before = sent.all.length;
  await make(page, "warn");
  await expect(strip).toContainText("All delivered.");
  const later = sent.all.slice(before);
  // At most one for each envelope, and the one that was planned before.
  expect(later.filter(isHealthRequest).length)
    .toBeLessThanOrEqual(1 + later.filter(({ method }) => method === "POST").length);
});

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("the relay's counts are read → nothing below the strip moves", async ({ page }) => {
      await page.goto("/");
      const tabs = page.getByRole("navigation", { name: "Views" });
      const before = await tabs.boundingBox();
      const senders = page.getByRole("region", { name: "Flow" }).getByText("All senders: ");
      await expect(senders).toContainText("0 refused.");
      expect((await tabs.boundingBox())?.y).toBe(before?.y);
    });

    test("another sender is refused → counted with its outcome, apart from this page's own", async ({ page, server }) => {
      await openPage(page);
      const strip = page.getByRole("region", { name: "Flow" });
      const senders = strip.getByText("All senders: ");
      await expect(senders).toContainText("0 refused.");
      await sendRefusedEnvelopes(server.origin);
      // The window gets the focus again, as after using another program.
      await expect(async () => {
        await page.evaluate(() => void dispatchEvent(new Event("focus")));
        await expect(senders).toContainText("2 refused (2 rejected).", { timeout: 3_000 });
      }).toPass();
      await expect(strip).toContainText("Counted since the server started, read at");
      // Those of this page were all accepted.
      await expect(strip.getByRole("listitem").nth(1)).toContainText("0 refused");
      await expect(strip).toContainText("This page: All delivered.");
    });
  });
}

/** Sends a malformed envelope, and one of a page of another origin. */
async function sendRefusedEnvelopes(origin: string): Promise<void> {
  for (const headers of [new Headers(), new Headers({ Origin: "https://elsewhere.example" })]) {
    const body = "no envelope";
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body, headers });
    await response.body?.cancel();
    expect(response.headers.get("x-relay-outcome")).toBe("rejected");
  }
}

test.describe("prefers-reduced-motion", () => {
  test.use({ mode: "inbox", contextOptions: { reducedMotion: "reduce" } });

  test("envelope delivered → its mark appears at the end without moving", async ({ page, watch }) => {
    watch.allow(ERRORS.handled);
    await openPage(page);
    // A mark stays for two seconds: too short to look for it from outside.
    await page.evaluate(() =>
      new MutationObserver(() => {
        const mark = document.querySelector(".tube .moving");
        if (mark) document.documentElement.dataset.mark = getComputedStyle(mark).animationName;
      }).observe(document.body, { subtree: true, childList: true })
    );
    await make(page, "Handled error");
    await expect(page.locator("html")).toHaveAttribute("data-mark", "appear");
  });
});

test("script of the live strip is blocked → a message instead, the page works", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT", ERRORS.handled);
  const html = await (await page.request.get("/")).text();
  const firstScripts = new Set(html.match(/[\w-]{8}\.js/g));
  // Blocks all scripts that the HTML does not list. It lists those of telemetry, too.
  await page.route("/assets/*", (route) => {
    const name = new URL(route.request().url()).pathname.replace("/assets/", "");
    return firstScripts.has(name) ? route.continue() : route.abort("blockedbyclient");
  });
  await openPage(page);
  await expect(page.getByRole("region", { name: "Flow" })).toContainText(
    "the live display did not load",
  );
  await make(page, "Handled error");
  await expect(page.getByText("An error was caught and handled.")).toBeVisible();
});
