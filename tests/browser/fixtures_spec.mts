/** Tests of the test fixtures, on a page made for them, without the real server. */
import {
  expect,
  fingerprints,
  inThisProcess,
  test as withServer,
} from "../harness/browser/fixtures.ts";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; connect-src *;" +
  " require-trusted-types-for 'script'";

const test = withServer.extend<{ script: string }>({
  // The script of the page.
  script: ["", { option: true }],
  // Envelopes go to the stand-in ingest, which needs no server.
  mode: "relay",
  server: async ({ script }, provide) => {
    const html = `<!doctype html><link rel="icon" href="data:,"><script>${script}</script>`;
    const headers = { "Content-Type": "text/html", "Content-Security-Policy": POLICY };
    await using server = inThisProcess(
      Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response(html, { headers }),
      ),
    );
    await provide(server);
  },
});

test.describe("problems", () => {
  test.use({
    script: `
      console.warn("a warning");
      console.error("printed to the console");
      setTimeout(() => { throw new Error("thrown") });
      Promise.reject(new Error("rejected"));
      document.createElement("img").src = "/blocked.png";
      try { document.head.innerHTML = "<b>" } catch {}
    `,
  });

  test("errors of all kinds, in every page → the test fails unless allowed", async ({ page, context, watch }) => {
    watch.allow("data:,");
    await page.goto("/");
    await expect.poll(() => watch.unexpected.map(({ kind }) => kind).sort())
      .toEqual(["console", "csp", "csp", "error", "error"]);
    expect(() => watch.verify()).toThrow(
      /printed to the console[^]*blocked\.png|blocked\.png[^]*printed to/,
    );

    const before = watch.problems.length;
    const second = await context.newPage();
    await second.goto("/");
    await expect.poll(() => watch.problems.length).toBe(2 * before);

    watch.allow("printed to the console", /^(thrown|rejected)$/, /Content Security|TrustedHTML/);
    expect(watch.unexpected).toEqual([]);
    watch.verify();
  });
});

test("posted bodies → recorded byte for byte", async ({ page, ingest, sent, server, watch }) => {
  watch.allow("data:,");
  await page.goto("/");
  await page.evaluate(async (target) => {
    const bytes = (count: number) =>
      Uint8Array.from({ length: count }, (_, at) => (at * 7919) >> 3);
    const post = (body: BodyInit, init: RequestInit = {}) =>
      fetch(target, { method: "POST", mode: "no-cors", body, ...init });
    await post("h\u00e9llo \ud83d\ude00");
    await post(bytes(3_000_000));
    await post(bytes(60_000), { keepalive: true });
    navigator.sendBeacon(target, bytes(5_000));
  }, `${ingest.origin}/api/1/envelope/`);
  await ingest.waitFor((requests) => requests.length === 4);
  // The browser may report a request after it has arrived.
  await expect.poll(() => fingerprints(sent.posts("/api/1/envelope/").map(({ bytes }) => bytes)))
    .toEqual(fingerprints(ingest.requests.map(({ body }) => body)));
  expect(sent.leaving(server.origin)).toHaveLength(4);
  await page.evaluate(async (target) => {
    await fetch(target, { method: "POST", mode: "no-cors", body: new Blob(["unseen"]) });
  }, `${ingest.origin}/api/1/envelope/`);
  // Not an empty body.
  expect(() => sent.posts()).toThrow(/Cannot read the body/);
});
