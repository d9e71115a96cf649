/** A recording of an attacker: it runs nothing, reads nothing of the console, and connects nowhere. */
import { expect, test } from "../harness/browser/fixtures.ts";
import { postBody } from "../harness/browser/posted.ts";
import { hostileNodes } from "../harness/hostile_nodes.ts";
import { addition, element, pageEvents, segmentEnvelope } from "../harness/recorded_segments.ts";

const REPLAY_ID = "a77ac000000000000000000000000001";

/** Closes connections and counts them. It does not count requests: a preconnect sends none. */
function countConnections() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let count = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      count++;
      connection.close();
    }
  })();
  return {
    address: `http://127.0.0.1:${listener.addr.port}/`,
    count: () => count,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
    },
  };
}

test("hostile recording → runs nothing, reads nothing of the console, opens no connection", async ({ page, context, server, watch }) => {
  await using evilServer = countConnections();
  const evil = evilServer.address;
  const start = Date.now() - 60_000;
  const { head, body } = hostileNodes(evil);
  const attributes = body.map((node, n) => ({
    id: 900 + n,
    attributes: Object(node).attributes,
  }));
  const rule = `p { background: url(${evil}) }`;
  const change = (ms: number, data: object) => ({ type: 3, timestamp: start + ms, data });
  const events = [
    ...pageEvents(start, [...body, ...attributes.map(({ id }) => element(id, "a"))], head),
    ...[...head, ...body].map((node, n) =>
      addition(start + 10 + n, JSON.parse(JSON.stringify(node).replaceAll('"id":1', '"id":21')))
    ),
    change(100, { source: 0, texts: [], removes: [], adds: [], attributes }),
    change(101, { source: 8, id: 112, adds: [{ rule }] }),
    change(102, { source: 15, id: 1, styleIds: [1], styles: [{ styleId: 1, rules: [{ rule }] }] }),
    change(103, { source: 10, family: "g", fontSource: `url(${evil})`, buffer: false }),
    change(104, { source: 2, type: 2, id: 123, x: 1, y: 1 }),
    change(500, { source: 1, positions: [{ x: 5, y: 5, id: 5, timeOffset: 0 }] }),
  ];
  await page.goto("/");
  await postBody(
    server.origin,
    segmentEnvelope({ replayId: REPLAY_ID, number: 0, events, isCompressed: true }),
  );
  await page.goto(`/#/recordings/${REPLAY_ID}?at=${start + 400}`);
  const frame = (await (await page.locator(".player iframe").elementHandle())!.contentFrame())!;
  await expect(frame.getByText("Shown").first()).toBeVisible();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByRole("button", { name: "Play", exact: true })).toBeVisible();
  await expect(page.getByText("nothing is loaded from the page’s addresses")).toBeVisible();

  // Nothing so far was left to the policy.
  watch.verify();
  watch.allow("Connecting to", "Fetch API cannot load", "requires 'TrustedScript'");
  // Even code that ran in the player could not read the console or its storage, or connect.
  const reached = await frame.evaluate(async (evil) => {
    const attempts: Record<string, () => unknown> = {
      console: () => parent.document.title,
      storage: () => localStorage.length,
      cookies: () => document.cookie,
      inbox: () => fetch("/monitoring/inbox"),
      connection: () => fetch(evil, { mode: "no-cors" }),
      script: () => document.createElement("script").text = "1",
    };
    const reached = [];
    for (const [name, attempt] of Object.entries(attempts)) {
      try {
        await attempt();
        reached.push(name);
      } catch {
        // Refused, as it should be.
      }
    }
    return reached;
  }, evil);
  expect(reached).toEqual([]);
  expect(await page.evaluate(() => "attacked" in globalThis)).toBe(false);
  // A later connection has arrived, so earlier attempts would have arrived too.
  await using control = countConnections();
  await (await context.newPage()).goto(control.address).catch(() => {/* Closed at once. */});
  expect(control.count()).toBeGreaterThan(0);
  expect(evilServer.count()).toBe(0);
});
