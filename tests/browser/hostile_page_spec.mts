/** Hostile pages of other origins, and the inbox. */
import { CHROMIUM_ARGS } from "../../tools/find_chromium.ts";
import { serveApplication } from "../harness/browser/application_site.ts";
import { expect, listRows, test as base } from "../harness/browser/fixtures.ts";

const HEAD = '<!doctype html><link rel="icon" href="data:,"><title>Hostile</title>';

/** Where envelopes are posted. */
const PATHS = ["/api/1/envelope/?sentry_key=inbox", "/stream", "/monitoring"];

/** `evil.example` resolves to this machine, as with DNS rebinding. */
const test = base.extend({
  launchOptions: [async ({ chromium }, provide) => {
    const args = [...CHROMIUM_ARGS, "--host-resolver-rules=MAP evil.example 127.0.0.1"];
    await provide({ executablePath: chromium, args });
  }, { scope: "worker" }],
});

test("hostile page: CORS, no-cors, beacon, form, rebound name → neither writes nor reads", async ({ page, server, serverArrivals, watch }) => {
  watch.allow(
    /Failed to load resource|CORS policy|EventSource|Cross-Origin-Opener-Policy|refused to connect|frame/,
  );
  await serverArrivals.waitForItem("the server's log", ({ type }) => type === "log");
  await using hostile = await serveApplication("", HEAD);
  await page.goto(`http://evil.example:${hostile.port}/`);
  const attempts = await page.evaluate(async ([origin, ...paths]) => {
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
    for (const path of paths) {
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
  }, [server.origin, ...PATHS] as const);
  const posts = ["TypeError", "TypeError", "opaque "];
  const reads = ["TypeError", "opaque ", "TypeError", "error"];
  expect(attempts).toEqual([...posts, ...posts, ...posts, ...reads]);

  // The page itself, under a rebound name.
  await page.goto(`http://evil.example:${server.port}/`);
  const rebound = await page.evaluate(async (paths) => {
    const body = '{}\n{"type":"event"}\n{"message":"hostile"}';
    const requests = [
      ...paths.map((path) => fetch(path, { method: "POST", body })),
      fetch("/monitoring/inbox?view=envelopes"),
      fetch("/monitoring/inbox", { method: "DELETE" }),
    ];
    return (await Promise.all(requests)).map(({ status }) => status);
  }, PATHS);
  expect(rebound).toEqual([403, 403, 403, 403, 403]);

  expect(await listRows(server.origin, "occurrences")).toEqual([]);
  expect((await listRows(server.origin, "envelopes")).length).toBeGreaterThan(0);
  const refused = await listRows(server.origin, "refusals");
  expect(refused.every(({ error }) => error === "origin_not_allowed")).toBe(true);
  expect(new Set(refused.map(({ origin }) => origin))).toEqual(
    new Set([`http://evil.example:${hostile.port}`, `http://evil.example:${server.port}`]),
  );
});
