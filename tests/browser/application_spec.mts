/** Pages of other origins and the inbox: an application with Sentry's SDK, and hostile pages. */
import { CHROMIUM_ARGS } from "../../tools/find_chromium.ts";
import { installSdks, modulesOf } from "../sdks/installed.ts";
import { serveApplication } from "../harness/browser/application_site.ts";
import { expect, listRows, test as base } from "../harness/browser/fixtures.ts";

/** The script of an application. Its address has the DSN, or the address of Spotlight. */
const APPLICATION = `
  import * as Sentry from "@sentry/browser";
  const { dsn, spotlight } = Object.fromEntries(new URLSearchParams(location.search));
  Sentry.init({
    dsn,
    tracesSampleRate: 1,
    integrations: [
      Sentry.browserTracingIntegration({ instrumentNavigation: false }),
      ...(spotlight ? [Sentry.spotlightBrowserIntegration({ sidecarUrl: spotlight })] : []),
    ],
  });
  setTimeout(() => { throw new Error("The application failed by " + (dsn ? "DSN" : "Spotlight") + " of " + Sentry.SDK_VERSION); });
`;
const HEAD = '<!doctype html><link rel="icon" href="data:,"><title>Shop</title>';

/** `evil.example` resolves to this machine, as with DNS rebinding. */
const test = base.extend({
  launchOptions: [async ({ chromium }, provide) => {
    const args = [...CHROMIUM_ARGS, "--host-resolver-rules=MAP evil.example 127.0.0.1"];
    await provide({ executablePath: chromium, args });
  }, { scope: "worker" }],
});

test("@sentry/browser 10 and 11 on another loopback port → errors and page loads arrive", async ({ page, server, watch }) => {
  watch.allow("The application failed by");
  await installSdks();
  const html = `${HEAD}<script type="module" src="/app.js"></script>`;
  await using major10 = await serveApplication(APPLICATION, html);
  await using major11 = await serveApplication(
    APPLICATION,
    html,
    modulesOf("@sentry/browser", "11.12.0"),
  );
  const errors = async () =>
    (await listRows(server.origin, "occurrences")).map(({ value }) => value).join();
  const dsn = `dsn=http://dev@127.0.0.1:${server.port}/1`;
  for (const [major, { port }] of [[10, major10], [11, major11]] as const) {
    await page.goto(`http://localhost:${port}/?${dsn}`);
    await expect.poll(errors).toContain(`The application failed by DSN of ${major}.`);
  }
  await page.goto(`http://127.0.0.1:${major11.port}/?spotlight=${server.origin}/stream`);
  await expect.poll(errors).toContain("failed by Spotlight of 11.");
  const pageLoads = async () =>
    (await listRows(server.origin, "traces")).filter(({ op }) => op === "pageload").length;
  await expect.poll(pageLoads).toBeGreaterThanOrEqual(2);
  expect(await listRows(server.origin, "refusals")).toEqual([]);
});

test("hostile page: CORS, no-cors, beacon, form, rebound name → neither writes nor reads", async ({ page, server, serverArrivals, watch }) => {
  watch.allow(
    /Failed to load resource|CORS policy|EventSource|Cross-Origin-Opener-Policy|refused to connect|frame/,
  );
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  await using hostile = await serveApplication("", HEAD);
  await page.goto(`http://evil.example:${hostile.port}/`);
  const attempts = await page.evaluate(async (origin) => {
    const body =
      '{"dsn":"https://inbox@sightglass.invalid/1"}\n{"type":"event"}\n{"message":"hostile"}';
    const attempt = async (path: string, init: RequestInit) => {
      try {
        const response = await fetch(`${origin}${path}`, init);
        return `${response.type} ${await response.text()}`;
      } catch (error) {
        return (error as Error).name;
      }
    };
    const results: string[] = [];
    for (const path of ["/api/1/envelope/?sentry_key=inbox", "/stream", "/monitoring"]) {
      const type = { "Content-Type": "application/x-sentry-envelope" };
      results.push(
        await attempt(path, { method: "POST", body }),
        await attempt(path, { method: "POST", body, headers: type }),
        await attempt(path, { method: "POST", body, mode: "no-cors" }),
      );
      navigator.sendBeacon(`${origin}${path}`, body);
      const frame = Object.assign(document.createElement("iframe"), { name: path });
      const form = Object.assign(document.createElement("form"), {
        method: "POST",
        enctype: "text/plain",
        action: `${origin}${path}`,
        target: path,
      });
      // Sent as NAME=VALUE: the envelope is split at its only "=".
      const field = Object.assign(document.createElement("input"), {
        name: '{"x":"',
        value: '"}\n{"type":"event"}\n{"message":"hostile"}',
      });
      form.append(field);
      document.body.append(frame, form);
      const loaded = new Promise((resolve) =>
        frame.addEventListener("load", resolve, { once: true })
      );
      form.submit();
      await loaded;
    }
    const inbox = "/monitoring/inbox?view=envelopes";
    results.push(
      await attempt(inbox, {}),
      await attempt(inbox, { mode: "no-cors" }),
      await attempt("/monitoring/inbox", { method: "DELETE" }),
      await new Promise((resolve) => {
        new EventSource(`${origin}/monitoring/inbox`).onerror = () => resolve("error");
      }),
    );
    return results;
  }, server.origin);
  const posts = ["TypeError", "TypeError", "opaque "];
  const reads = ["TypeError", "opaque ", "TypeError", "error"];
  expect(attempts).toEqual([...posts, ...posts, ...posts, ...reads]);

  await page.goto(`http://evil.example:${server.port}/`);
  const rebound = await page.evaluate(async () => {
    const body = '{}\n{"type":"event"}\n{"message":"hostile"}';
    const paths = ["/api/1/envelope/?sentry_key=inbox", "/stream", "/monitoring"];
    const requests = [
      ...paths.map((path) => fetch(path, { method: "POST", body })),
      fetch("/monitoring/inbox?view=envelopes"),
      fetch("/monitoring/inbox", { method: "DELETE" }),
    ];
    return (await Promise.all(requests)).map(({ status }) => status);
  });
  expect(rebound).toEqual([403, 403, 403, 403, 403]);

  expect(await listRows(server.origin, "occurrences")).toEqual([]);
  expect((await listRows(server.origin, "envelopes")).length).toBeGreaterThan(0);
  const refused = await listRows(server.origin, "refusals");
  expect(refused.every(({ error }) => error === "origin_not_allowed")).toBe(true);
  expect(new Set(refused.map(({ origin }) => origin))).toEqual(
    new Set([`http://evil.example:${hostile.port}`, `http://evil.example:${server.port}`]),
  );
});
