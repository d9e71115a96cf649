/** Where the browser sends envelopes, what the CSP allows, and the release that they name. */
import { expect, type Options, test } from "../harness/browser/fixtures.ts";
import { make, openPage } from "../harness/browser/signals.ts";

interface Way extends Pick<Options, "ingestHost"> {
  readonly serverEnv?: Record<string, string>;
  readonly isDirect?: true;
}

const WAYS: Readonly<Record<string, Way>> = {
  "hosted ingest → all envelopes go to /monitoring without a query": {
    ingestHost: "o1.ingest.us.sentry.io",
  },
  "self-hosted ingest → all envelopes go directly there, and the CSP allows it": {
    ingestHost: "self-hosted",
    isDirect: true,
  },
  "self-hosted ingest, SENTRY_TUNNEL=always → all envelopes go to /monitoring": {
    ingestHost: "self-hosted",
    serverEnv: { SENTRY_TUNNEL: "always" },
  },
};

for (const [name, { ingestHost, serverEnv = {}, isDirect = false }] of Object.entries(WAYS)) {
  test.describe(() => {
    test.use({ mode: "relay", ingestHost, serverEnv });

    test(name, async ({ page, server, sent, ingest, arrivals }) => {
      const policy = (await page.goto("/"))?.headers()["content-security-policy"];
      expect(policy).toContain(`connect-src 'self'${isDirect ? ` ${ingest.origin}` : ""};`);
      await openPage(page);
      await make(page, "Handled error");
      await arrivals.waitForItem("the error", ({ type }) => type === "event");
      const addressesOf = (requests: typeof sent.all) =>
        new Set(requests.map(({ url }) => url.href.split("?sentry_")[0]));
      const leaving = addressesOf(sent.leaving(server.origin));
      expect(addressesOf(sent.posts())).toEqual(
        isDirect ? leaving : new Set([`${server.origin}/monitoring`]),
      );
      expect(leaving).toEqual(new Set(isDirect ? [`${ingest.origin}/api/1/envelope/`] : []));
      expect(new Set(ingest.requests.map(({ path }) => path.split("?")[0])))
        .toEqual(new Set(["/api/1/envelope/"]));
      // `Content-Encoding` would need a preflight.
      const encodings = (await arrivals.envelopes()).map(({ contentEncoding }) => contentEncoding);
      if (isDirect) expect(new Set(encodings)).toEqual(new Set([null]));
    });
  });
}

test.describe("with SENTRY_RELEASE and SENTRY_ENVIRONMENT", () => {
  test.use({ serverEnv: { SENTRY_RELEASE: "glass@1.2.3", SENTRY_ENVIRONMENT: "staging" } });

  test("release and environment set → in events, spans and logs", async ({ page, arrivals }) => {
    await openPage(page);
    await make(page, "Handled error");
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
