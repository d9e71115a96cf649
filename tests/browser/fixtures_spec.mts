/** Tests of the test fixtures, on a page made for them, without the real server. */
import { deflateSync } from "node:zlib";
import { expect, fingerprints, readRecording, test as withServer } from "./fixtures.ts";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; connect-src *;" +
  " require-trusted-types-for 'script'";

const test = withServer.extend<{ script: string }>({
  // The script of the page.
  script: ["", { option: true }],
  // Envelopes go to the stand-in ingest, which needs no server.
  mode: "relay",
  server: async ({ script }, provide) => {
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () =>
      new Response(
        `<!doctype html><link rel="icon" href="data:,"><title>Made</title><script>${script}</script>`,
        { headers: { "Content-Type": "text/html", "Content-Security-Policy": POLICY } },
      ));
    const stop = async () => {
      await server.shutdown();
      return { success: true, code: 0, signal: null };
    };
    await provide({
      origin: `http://127.0.0.1:${server.addr.port}`,
      port: server.addr.port,
      pid: Deno.pid,
      dataDir: "",
      output: () => "",
      stop,
      [Symbol.asyncDispose]: async () => void await stop(),
    });
    await stop();
  },
});

test("quiet page → no problems, no requests elsewhere", async ({ page, watch, sent, server }) => {
  await page.goto("/");
  await expect(page).toHaveTitle("Made");
  // The policy blocks the `data:` icon, which Chromium reports.
  watch.allow("data:,");
  expect(watch.unexpected).toEqual([]);
  expect(sent.leaving(server.origin)).toEqual([]);
  expect(sent.all.map(({ url, kind }) => [url.pathname, kind])).toContainEqual(["/", "document"]);
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

test.describe("posts", () => {
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
    expect(fingerprints(sent.posts("/api/1/envelope/").map(({ bytes }) => bytes)))
      .toEqual(fingerprints(ingest.requests.map(({ body }) => body)));
    expect(sent.leaving(server.origin)).toHaveLength(4);
  });

  test("body that cannot be recorded → error, not an empty body", async ({ page, ingest, sent, watch }) => {
    watch.allow("data:,");
    await page.goto("/");
    await page.evaluate(async (target) => {
      await fetch(target, { method: "POST", mode: "no-cors", body: new Blob(["unseen"]) });
    }, `${ingest.origin}/api/1/envelope/`);
    expect(() => sent.posts()).toThrow(/Cannot read the body/);
  });
});

test("arrived envelopes → parsed, including recordings", async ({ ingest, arrivals }) => {
  const events = JSON.stringify([{ type: 3, timestamp: 1, data: { text: "canary" } }]);
  const recording = Uint8Array.from([
    ...new TextEncoder().encode('{"segment_id":2}\n'),
    ...deflateSync(events),
  ]);
  const head = '{"event_id":"9ec79c33ec9942ab8353589fcb2e04dc"}\n{"type":"event","length":17}\n' +
    `{"message":"one"}\n{"type":"replay_recording","length":${recording.length}}\n`;
  const post = (body: BodyInit) =>
    fetch(`${ingest.origin}/api/1/envelope/`, { method: "POST", body });
  const waiting = arrivals.waitForItem("the event", ({ type }) => type === "event");
  await (await post("{}")).text();
  await (await post(Uint8Array.from([...new TextEncoder().encode(head), ...recording]))).text();

  const event = await waiting;
  expect(event.json()).toEqual({ message: "one" });
  expect(event.envelope.header.event_id).toBe("9ec79c33ec9942ab8353589fcb2e04dc");
  const [item] = await arrivals.items("replay_recording");
  expect(item && readRecording(item)).toEqual({
    segmentId: 2,
    compressed: true,
    events: JSON.parse(events),
  });
  expect(await arrivals.envelopes()).toHaveLength(1);
  expect(await arrivals.text()).toContain("canary");
});

test("expected item does not arrive → error that lists what did", async ({ ingest, arrivals }) => {
  const body = '{}\n{"type":"log","length":2}\n{}';
  await (await fetch(`${ingest.origin}/api/1/envelope/`, { method: "POST", body })).text();
  await expect(arrivals.waitForItem("an event", ({ type }) => type === "event", { timeout: 500 }))
    .rejects.toThrow("an event did not arrive. Arrived: log.");
});
