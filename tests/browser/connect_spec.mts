/** How to connect an application: from an empty inbox to the first envelope. */
import type { Page } from "@playwright/test";
import { inboxAddress, SNIPPETS } from "../../islands/overview/snippets.ts";
import { installSdks, modulesOf } from "../sdks/installed.ts";
import { serveApplication } from "../harness/browser/application_site.ts";
import { expect, listRows, test } from "../harness/browser/fixtures.ts";
import { expectAccessibleLayout } from "../harness/browser/page_look.ts";
import { errorEvent, MARKUP, postEnvelope } from "../harness/browser/posted.ts";
import { openView } from "../harness/browser/views.ts";

const connect = (page: Page) => page.getByRole("region", { name: "Connect", exact: true });

/** Sends an error like an application with a release. */
const sendError = (origin: string) =>
  postEnvelope(
    origin,
    { sdk: { name: "sentry.javascript.node", version: "10.2.0" } },
    ["event", errorEvent("TypeError", "", { release: "my-app@1.0.0" })],
  );

/** An API for pages of other origins. `traced` has the trace of each request. */
function serveApi() {
  const traced: (string | null)[] = [];
  const headers = { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    if (request.method === "GET") traced.push(request.headers.get("sentry-trace"));
    return new Response("{}", { headers });
  });
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return { origin, traced, [Symbol.asyncDispose]: () => server.shutdown() };
}

test.use({ permissions: ["clipboard-read", "clipboard-write"] });

test("empty inbox → how to connect, on the overview too; first envelope → its link", async ({ page, server }) => {
  await page.goto("/");
  const firstRun = page.locator(".overview .connect-guide");
  await expect(firstRun).toContainText("Sightglass is the window on the applications");
  await expect(firstRun.getByRole("button", { name: "Copy DSN", exact: true })).toBeVisible();
  await openView(page, "Connect");
  const dsn = `http://inbox@127.0.0.1:${server.port}/1`;
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect(connect(page)).toContainText("No application has sent anything yet.");
  await connect(page).getByRole("button", { name: "Copy DSN", exact: true }).press("Enter");
  await expect.poll(copied).toBe(dsn);
  await connect(page).getByRole("radio", { name: "Browser" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(connect(page).getByRole("radio", { name: "Node" })).toBeChecked();
  await connect(page).getByRole("button", { name: "Copy code" }).press("Enter");
  await expect.poll(copied).toContain(`dsn: "${dsn}"`);
  await connect(page).getByText("From a container").press("Enter");
  await expect(connect(page)).toContainText(`http://inbox@host.docker.internal:${server.port}/1`);
  await expectAccessibleLayout(page, "instructions");

  await sendError(server.origin);
  // What SDKs send beside an error, and after it, is not named in its place.
  await postEnvelope(server.origin, {}, ["session", { sid: "1".repeat(32), status: "crashed" }]);
  await expect(connect(page)).toContainText("Received TypeError from my-app");
  await connect(page).getByRole("link", { name: /^TypeError/ }).click();
  await expect(page.getByRole("article")).toContainText("TypeError");
  await page.goto("/");
  await expect(page.getByRole("region", { name: "Needs a look" })).toContainText("TypeError");
  await expect(firstRun).toBeHidden();
  await openView(page, "Connect");
  // The choice is remembered.
  await expect(connect(page).getByRole("radio", { name: "Node" })).toBeChecked();
});

test("refused envelopes → reason, origin and fix; snippet on another port → received", async ({ page, context, server }) => {
  await page.goto("/#/connect");
  await expect(connect(page)).toContainText("No application has sent anything yet.");
  const post = (headers: Record<string, string>) =>
    fetch(`${server.origin}/stream`, { method: "POST", headers, body: "{}\n{}" });
  await post({ Origin: "http://192.168.1.20:3000" });
  const refused = connect(page).getByRole("listitem").filter({ hasText: "192.168.1.20" });
  for (const text of ["origin_not_allowed", "/stream", "ALLOWED_ORIGINS"]) {
    await expect(refused).toContainText(text);
  }
  // More than the server lists: repeats are one row, and all are counted.
  for (let n = 0; n < 60; n++) await post({ "User-Agent": MARKUP });
  for (const agent of ["curl/8", "python-requests/2"]) await post({ "User-Agent": agent });
  await expect(connect(page)).toContainText(
    "63 refused requests, whole or in part, since the server started",
  );
  await expect(connect(page).getByRole("listitem").first()).toContainText("python-requests/2");
  await expect(refused).toBeHidden();
  await connect(page).getByRole("button", { name: "Show 1 more" }).press("Enter");
  await expect(refused).toBeVisible();
  await expect(connect(page).getByRole("listitem").filter({ hasText: MARKUP })).toContainText(
    "×60",
  );
  await expectAccessibleLayout(page, "refusals");

  // A page of another port that runs the snippet for browsers, and asks its API on a third port.
  await using api = serveApi();
  await installSdks();
  const snippet = SNIPPETS.find(({ name }) => name === "Browser")!
    .code(inboxAddress(new URL(server.origin)));
  await using site = await serveApplication(
    snippet.replace("http://localhost:3000", api.origin) +
      `Sentry.logger.info("Log of the browser"); fetch("${api.origin}/cart");`,
    '<link rel="icon" href="data:,"><script type="module" src="/app.js"></script>',
    modulesOf("@sentry/browser", "11.12.0"),
  );
  const other = await context.newPage();
  await other.goto(`http://127.0.0.1:${site.port}`);
  await expect(connect(page)).toContainText(/Received .+ from my-app/);
  const values = async () => (await listRows(server.origin, "errors")).map(({ value }) => value);
  await expect.poll(values).toContain("Hello from the browser");
  // What the page advertises: each of these needs an option of its own.
  for (const view of ["traces", "logs", "recordings"] as const) {
    await expect.poll(() => listRows(server.origin, `${view}&application=apps`), view).not.toEqual(
      [],
    );
  }
  const applications = await listRows(server.origin, "applications");
  const application = applications.find(({ name }) => name === "my-app");
  expect(application.releases).toEqual(["my-app@1.0.0"]);
  expect(api.traced).toEqual([expect.stringMatching(/^[\da-f]{32}-/)]);
});
