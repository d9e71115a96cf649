/** Tests of the test fixtures, on a page made for them, without the real server. */
import { expect, inThisProcess, test as withServer } from "../harness/browser/fixtures.ts";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; connect-src *;" +
  " require-trusted-types-for 'script'";

const SCRIPT = `
  console.warn("a warning");
  console.error("printed to the console");
  setTimeout(() => { throw new Error("thrown") });
  Promise.reject(new Error("rejected"));
  document.createElement("img").src = "/blocked.png";
  try { document.head.innerHTML = "<b>" } catch {}
`;

const test = withServer.extend({
  // Envelopes go to the stand-in ingest, which needs no server.
  mode: "relay",
  server: async ({ mode: _ }, provide) => {
    const html = `<!doctype html><link rel="icon" href="data:,"><script>${SCRIPT}</script>`;
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
