/** Where the browser sends envelopes, what the CSP allows, and the release that they name. */
import type { Page } from "@playwright/test";
import { expect, test } from "../harness/browser/fixtures.ts";
import { make, openPage } from "../harness/browser/signals.ts";

const HANDLED = "Handled error";

async function policyOf(page: Page): Promise<string> {
  const response = await page.goto("/");
  return response?.headers()["content-security-policy"] ?? "";
}

for (const ingestHost of ["o1.ingest.sentry.io", "o1.ingest.us.sentry.io"] as const) {
  test.describe(`with the hosted ingest ${ingestHost}`, () => {
    test.use({ mode: "relay", ingestHost });

    test("hosted ingest → all envelopes go to /monitoring without a query", async ({ page, server, sent, ingest, arrivals }) => {
      expect(await policyOf(page)).toContain("connect-src 'self';");
      await openPage(page);
      await make(page, HANDLED);
      const { envelope } = await arrivals.waitForItem("the error", ({ type }) => type === "event");
      expect(envelope.header.dsn).toContain(ingestHost);
      expect(sent.leaving(server.origin)).toEqual([]);
      const posts = sent.posts();
      expect(posts.length).toBeGreaterThan(0);
      expect(new Set(posts.map(({ url }) => url.pathname + url.search))).toEqual(
        new Set(["/monitoring"]),
      );
      expect(new Set(ingest.requests.map(({ path }) => path.split("?")[0])))
        .toEqual(new Set(["/api/1/envelope/"]));
    });
  });
}

test.describe("with a self-hosted ingest", () => {
  test.use({ mode: "relay", ingestHost: "self-hosted" });

  test("self-hosted ingest → all envelopes go directly there, and the CSP allows it", async ({ page, server, sent, ingest, arrivals }) => {
    expect(await policyOf(page)).toContain(`connect-src 'self' ${ingest.origin};`);
    await openPage(page);
    await make(page, HANDLED);
    await arrivals.waitForItem("the error", ({ type }) => type === "event");
    expect(sent.posts("/monitoring")).toEqual([]);
    const left = sent.leaving(server.origin);
    expect(left.length).toBeGreaterThan(0);
    expect(new Set(left.map(({ url }) => url.origin))).toEqual(new Set([ingest.origin]));
    // `Content-Encoding` would need a preflight.
    const encodings = (await arrivals.envelopes()).map(({ contentEncoding }) => contentEncoding);
    expect(new Set(encodings)).toEqual(new Set([null]));
  });

  test.describe("and SENTRY_TUNNEL=always", () => {
    test.use({ serverEnv: { SENTRY_TUNNEL: "always" } });

    test("SENTRY_TUNNEL=always → all envelopes go to /monitoring", async ({ page, server, sent, arrivals }) => {
      expect(await policyOf(page)).toContain("connect-src 'self';");
      await openPage(page);
      await make(page, HANDLED);
      await arrivals.waitForItem("the error", ({ type }) => type === "event");
      expect(sent.posts("/monitoring").length).toBeGreaterThan(0);
      expect(sent.leaving(server.origin)).toEqual([]);
    });
  });
});

test.describe("with MONITORING_PATH", () => {
  test.use({ mode: "relay", serverEnv: { MONITORING_PATH: "/glass/in" } });

  test("MONITORING_PATH → envelopes go there, and these requests make no telemetry", async ({ page, sent, arrivals }) => {
    await openPage(page);
    await make(page, HANDLED);
    await arrivals.waitForItem("the error", ({ type }) => type === "event");
    expect(new Set(sent.posts().map(({ url }) => url.pathname))).toEqual(new Set(["/glass/in"]));
    expect(await arrivals.text()).not.toContain("/glass/in");
  });
});

test("SENTRY_ENVIRONMENT not set → development, in events", async ({ page, arrivals }) => {
  await openPage(page);
  await make(page, HANDLED);
  const event = await arrivals.waitForItem("the error", ({ type }) => type === "event");
  expect(event.json()).toMatchObject({ environment: "development" });
});

test.describe("with SENTRY_RELEASE and SENTRY_ENVIRONMENT", () => {
  test.use({ serverEnv: { SENTRY_RELEASE: "glass@1.2.3", SENTRY_ENVIRONMENT: "staging" } });

  test("release and environment set → in events, spans and logs", async ({ page, arrivals }) => {
    await openPage(page);
    await make(page, HANDLED);
    await make(page, "info");
    const event = await arrivals.waitForItem("the error", ({ type }) => type === "event");
    expect(event.json()).toMatchObject({ release: "glass@1.2.3", environment: "staging" });
    for (const type of ["log", "span"]) {
      const item = await arrivals.waitForItem(`a ${type}`, (one) => one.type === type);
      expect(JSON.stringify(item.json()), type).toMatch(
        /glass@1\.2\.3.*staging|staging.*glass@1\.2\.3/s,
      );
    }
  });
});
