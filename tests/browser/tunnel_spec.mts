/** Where the browser sends envelopes, and what the CSP allows. */
import { expect, type Options, test } from "../harness/browser/fixtures.ts";
import { make, openPage } from "../harness/browser/signals.ts";
import { pipeline } from "../harness/browser/views.ts";

interface Way extends Pick<Options, "ingestHost"> {
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
};

for (const [name, { ingestHost, isDirect = false }] of Object.entries(WAYS)) {
  test.describe(() => {
    test.use({ mode: "relay", ingestHost });

    test(name, async ({ page, server, sent, ingest, arrivals }) => {
      const policy = (await page.goto("/"))?.headers()["content-security-policy"];
      expect(policy).toContain(`connect-src 'self'${isDirect ? ` ${ingest.origin}` : ""};`);
      await openPage(page);
      await make(page, "handled");
      await arrivals.waitForItem("the error", ({ type }) => type === "event");
      // The browser's event of a request may come after the request has arrived.
      await expect.poll(() => sent.posts()).not.toHaveLength(0);
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
      const heads = pipeline(page).locator("thead th");
      await expect(heads).toHaveText(["Envelopes", "This console", "Sent to this server"]);
    });
  });
}
