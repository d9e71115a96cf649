/** The glass: what flows, what waits, what was refused and why, for whom it is seen or read. */
import type { Page } from "@playwright/test";
import { answers, takes } from "../stand_in_ingest.ts";
import { expect, test } from "./fixtures.ts";
import { ERRORS, make, openPage } from "./signals.ts";

test.use({ mode: "relay" });

const healthAsked = ({ method, url }: { method: string; url: URL }) =>
  method === "GET" && url.pathname === "/monitoring";

test("what is refused is counted by reason, in words, beside a mark; and read out once", async ({ page, ingest, watch }) => {
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

test("relay holds spooled envelopes → its health is requested until there are none", async ({ page, ingest, sent, watch }) => {
  watch.allow(ERRORS.handled);
  await openPage(page);
  const strip = page.getByRole("region", { name: "Flow" });
  ingest.behave(answers(503));
  await make(page, "Handled error");
  await expect(strip).toContainText(/[1-9]\d*\senvelopes? of all senders on its disk/);
  ingest.behave(takes());
  // The second, if an envelope of this page is delivered live before the spool's are.
  await expect(strip).toContainText(/nothing waits in the relay’s spool|All delivered\./, {
    timeout: 60_000,
  });
  const asked = sent.all.filter(healthAsked).length;

  // When envelopes end, one request for each burst of them.
  await make(page, "warn");
  await expect(strip).toContainText("All delivered.", { timeout: 60_000 });
  expect(sent.all.filter(healthAsked).length - asked).toBeLessThanOrEqual(2);
});

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("the relay's counts are read → nothing below the strip moves", async ({ page }) => {
      await page.goto("/");
      const tabs = page.getByRole("navigation", { name: "Views" });
      const before = await tabs.boundingBox();
      const senders = page.getByRole("region", { name: "Flow" }).getByText("All senders: ");
      await expect(senders).toContainText("0 refused.", { timeout: 60_000 });
      expect((await tabs.boundingBox())?.y).toBe(before?.y);
    });

    test("another sender is refused → counted with its outcome, apart from this page's own", async ({ page, server }) => {
      await openPage(page);
      const strip = page.getByRole("region", { name: "Flow" });
      const senders = strip.getByText("All senders: ");
      await expect(senders).toContainText("0 refused.");
      await refuseOthers(server.origin);
      // As after sending something with another program: this window gets the focus again.
      await expect(async () => {
        await page.evaluate(() => void dispatchEvent(new Event("focus")));
        await expect(senders).toContainText("2 refused (2 rejected).", { timeout: 3_000 });
      }).toPass();
      await expect(strip).toContainText("Counted since the server started, read at");
      // This page's own were all taken.
      await expect(strip.getByRole("listitem").nth(1)).toContainText("0 refused");
      await expect(strip).toContainText("This page: All delivered.");
    });
  });
}

/** Sends what is no envelope, and one to a project that is not this server's, as other programs do. */
async function refuseOthers(origin: string): Promise<void> {
  const dsn = "https://0123456789abcdef@elsewhere.example/9";
  for (const body of ["no envelope", `{"dsn":"${dsn}"}\n{"type":"event"}\n{}\n`]) {
    const response = await fetch(`${origin}/monitoring`, { method: "POST", body });
    await response.body?.cancel();
    expect(response.headers.get("x-relay-outcome")).toBe("rejected");
  }
}

test.describe("with less motion", () => {
  test.use({ mode: "inbox", contextOptions: { reducedMotion: "reduce" } });

  test("nothing travels: a mark stands where it arrived", async ({ page }) => {
    await openPage(page);
    await make(page, "Handled error");
    const mark = page.locator(".tube .m").first();
    await expect(mark).toHaveCSS("animation-name", "stand");
  });

  test.beforeEach(({ watch }) => watch.allow(ERRORS.handled));
});

test("what the glass needs to be drawn does not load: it says so, and the page works", async ({ page, watch }) => {
  watch.allow("ERR_BLOCKED_BY_CLIENT", ERRORS.handled);
  const names = await scriptsOf(page);
  // All that comes later but telemetry itself.
  await page.route("/assets/*", (route) => {
    const name = new URL(route.request().url()).pathname.replace("/assets/", "");
    return names.has(name) ? route.continue() : route.abort("blockedbyclient");
  });
  await openPage(page);
  await expect(page.getByRole("region", { name: "Flow" })).toContainText(
    "what shows it passing did not load",
  );
  await make(page, "Handled error");
  await expect(page.getByText("An error was handled and reported.")).toBeVisible();
});

/** The scripts that the page names, and those of telemetry. */
async function scriptsOf(page: Page): Promise<ReadonlySet<string>> {
  const html = await (await page.request.get("/")).text();
  return new Set(html.match(/[\w-]{8}\.js/g));
}
