/** Chromium's own reports: it posts them, and the console shows them. */
import { createHash, X509Certificate } from "node:crypto";
import { startServer } from "../../tools/run/server_process.ts";
import { CHROMIUM_ARGS } from "../../tools/test/find_chromium.ts";
import { expect, listRows, test } from "./fixtures.ts";
import { openPage } from "./signals.ts";
import { openView } from "./views.ts";

const pem = (name: string) =>
  Deno.readTextFileSync(new URL(`../relay/testdata/ingest_${name}.pem`, import.meta.url));
/** A certificate for `localhost`. */
const cert = pem("cert");
const fingerprint = createHash("sha256")
  .update(new X509Certificate(cert).publicKey.export({ type: "spki", format: "der" }))
  .digest("base64");

test.use({
  launchOptions: async ({ chromium }, provide) => {
    await provide({
      executablePath: chromium,
      args: [
        ...CHROMIUM_ARGS,
        // Without it the Reporting API waits for a minute. It sends nothing where a certificate's errors are ignored, so
        // this one is trusted.
        "--short-reporting-delay",
        `--ignore-certificate-errors-spki-list=${fingerprint}`,
      ],
    });
  },
});

/** Ends TLS in front of a server. */
function startTlsProxy() {
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key: pem("key") });
  const { port } = listener.addr;
  let target = 0;
  const pass = async (client: Deno.Conn) => {
    // Chromium may send a late report when the test has already stopped the server.
    const server = await Deno.connect({ hostname: "127.0.0.1", port: target }).catch(() =>
      undefined
    );
    if (server === undefined) return client.close();
    const pipes = [
      client.readable.pipeTo(server.writable),
      server.readable.pipeTo(client.writable),
    ];
    // A side that breaks off ends the other.
    await Promise.allSettled(pipes);
  };
  const accepting = (async () => {
    for (;;) {
      const client = await listener.accept().catch(() => undefined);
      if (client === undefined) return;
      void pass(client);
    }
  })();
  return {
    origin: `https://localhost:${port}`,
    to: (serverPort: number) => void (target = serverPort),
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

test("image of another site, 30 times, over http → one envelope, an error in the console", async ({ page, server, sent, watch }) => {
  watch.allow("https://evil.example/");
  await openPage(page, "/?secret=1");
  await page.evaluate(() => {
    for (let n = 0; n < 30; n++) new Image().src = `https://evil.example/pixel.png?secret=${n}`;
  });
  await openView(page, "Errors");
  const row = page.getByRole("row").filter({ hasText: "img-src https://evil.example" });
  await expect(row).toContainText("Blocked by the page's policy");
  await row.getByRole("link").click();
  const detail = page.getByRole("article");
  await expect(detail).toContainText("https://evil.example/pixel.png");
  const report = sent.all.find(({ url }) => url.pathname === "/monitoring/security");
  expect(report?.method).toBe("POST");

  const rows = await listRows(server.origin, "envelopes&type=raw_security");
  expect(rows).toHaveLength(1);
  const envelope = await fetch(`${server.origin}/monitoring/inbox?id=${rows[0].id}`);
  const text = await envelope.text();
  expect(text).not.toContain("secret");
  expect(JSON.parse(text.split("\n")[2]!)["csp-report"]).toMatchObject({
    "document-uri": `${server.origin}/`,
    "blocked-uri": "https://evil.example/pixel.png",
  });
});

test("violation, deprecation, intervention, crash over https → errors and logs in the console", async ({ page: closing, context, watch }) => {
  watch.allow("https://evil.example/", "Blocked call to navigator.vibrate");
  await using proxy = startTlsProxy();
  await using server = await startServer({ env: { PUBLIC_ORIGIN: proxy.origin } });
  proxy.to(server.port);

  // Not by `evaluate`, which counts as an action of the user: that permits vibrating.
  await closing.addInitScript(() => addEventListener("load", () => navigator.vibrate(1)));
  await openPage(closing, `${proxy.origin}/?secret=1`);
  await closing.evaluate(() => {
    new Image().src = "https://evil.example/pixel.png?secret";
    const request = new XMLHttpRequest();
    request.open("GET", "/monitoring?secret", false);
    request.send();
  });
  const page = await context.newPage();
  await page.goto(`${proxy.origin}/#/errors`);
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  await expect(row("img-src https://evil.example")).toBeVisible();
  const debug = await context.newCDPSession(closing);
  const crashed = closing.waitForEvent("crash");
  // Never answered.
  void debug.send("Page.crash").catch(() => {});
  await crashed;
  await expect(row("The page crashed")).toBeVisible();

  await openView(page, "Logs");
  await expect(row("Deprecation: Synchronous `XMLHttpRequest`")).toBeVisible();
  await expect(row("Intervention: Blocked call to navigator.vibrate")).toBeVisible();
});
