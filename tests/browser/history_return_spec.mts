/** Back in the history, with the page from the browser's HTTP cache. */
import { randomBytes } from "node:crypto";
import { startServer } from "../harness/server_process.ts";
import { expect, opOf, spansOf, test as base } from "../harness/browser/fixtures.ts";
import { openPage, shownTraceId } from "../harness/browser/signals.ts";

/** `sentTraceIds`: the trace ids in `Server-Timing`, one for each response with the page. */
const test = base.extend<{ sentTraceIds: string[] }>({
  sentTraceIds: async ({ browserName: _browserName }, provide) => {
    await provide([]);
  },

  // A proxy before the real server that adds a trace id to each page. (Playwright's `route` would disable
  // the browser's cache, which this test needs.)
  server: async ({ sentTraceIds }, provide) => {
    let target = "";
    await using proxy = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      async (request) => {
        const { pathname, search } = new URL(request.url);
        const { method, body, signal } = request;
        const headers = new Headers(request.headers);
        headers.delete("host");
        const response = await fetch(target + pathname + search, {
          method,
          headers,
          body,
          signal,
          redirect: "manual",
        });
        const responseHeaders = new Headers(response.headers);
        // `fetch` has decoded the body.
        for (const name of ["content-encoding", "content-length"]) responseHeaders.delete(name);
        if (pathname === "/" && method === "GET") {
          const traceId = randomBytes(16).toString("hex");
          sentTraceIds.push(traceId);
          const trace = `${traceId}-${randomBytes(8).toString("hex")}-1`;
          responseHeaders.set(
            "Server-Timing",
            `sentry-trace;desc="${trace}", baggage;desc="sentry-trace_id=${traceId}"`,
          );
        }
        return new Response(response.body, { status: response.status, headers: responseHeaders });
      },
    );
    const { port } = proxy.addr;
    const origin = `http://127.0.0.1:${port}`;
    await using server = await startServer({ env: { PUBLIC_ORIGIN: origin } });
    target = server.origin;
    await provide({ ...server, origin, port });
  },
});

test("back to a cached page → a new trace, not that of the first load", async ({ page, arrivals, sentTraceIds }) => {
  await openPage(page);
  const first = await shownTraceId(page);
  expect(sentTraceIds, "the page load continues the server's trace").toEqual([first]);
  // A page that is left while it sends may only be able to count its spans as lost.
  await arrivals.waitFor(
    "the first page load",
    (items) => spansOf(items).find((span) => opOf(span) === "pageload"),
  );
  await page.goto("/robots.txt");
  await page.goBack();
  await expect(page.getByRole("region", { name: "This visit" })).toContainText("running");
  const second = await shownTraceId(page);
  // No request was sent: the cached response has the first trace id.
  expect(sentTraceIds).toEqual([first]);
  const stale = await page.evaluate(() => {
    const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    return [entry?.type, entry?.serverTiming[0]?.description];
  });
  expect(stale[0]).toBe("back_forward");
  expect(stale[1]).toContain(first);
  expect(second).not.toBe(first);

  const loads = await arrivals.waitFor("both page loads", (items) => {
    // Without duplicates: delivery is at least once.
    const found = new Map(
      spansOf(items).filter((span) => opOf(span) === "pageload")
        .map(({ span_id, trace_id }) => [span_id, trace_id]),
    );
    return found.size === 2 && found;
  });
  expect([...loads.values()].sort()).toEqual([first, second].sort());
});
