/** The two halves of a trace, the page's and the server's, as they arrive in one place. */
import { expect, test } from "./fixtures.ts";
import { make, openPage, shownTraceId, telemetryRuns } from "./signals.ts";
import { errorOf, logsOf, opOf, type Span, spansOf } from "./arrived_signals.ts";

const statusOf = ({ attributes }: Span) => attributes["http.response.status_code"]?.value;

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("the page load continues the trace of the answer that brought the page", async ({ page, arrivals, serverArrivals }) => {
      await openPage(page);
      const load = await arrivals.waitFor(
        "the page load",
        (items) => spansOf(items).find((span) => opOf(span) === "pageload"),
      );
      const answer = await serverArrivals.waitFor(
        "the server's span",
        (items) => spansOf(items).find(({ span_id }) => span_id === load.parent_span_id),
      );
      expect(answer.name).toBe("GET /");
      expect(opOf(answer)).toBe("http.server");
      expect(answer.parent_span_id).toBeUndefined();
      expect(answer.trace_id).toBe(load.trace_id);
      expect(await shownTraceId(page)).toBe(load.trace_id);
    });

    test("a page that the browser has stored, refreshed by a 304, is a trace of its own", async ({ page, arrivals, serverArrivals }) => {
      await openPage(page);
      const first = await shownTraceId(page);
      await page.reload();
      await telemetryRuns(page);
      const second = await shownTraceId(page);
      expect(second).not.toBe(first);
      // What was under way when the page was left may arrive twice, so each is looked for by its trace.
      const loads = await arrivals.waitFor("both page loads", (items) => {
        const found = [first, second].map((traceId) =>
          spansOf(items).find((span) => opOf(span) === "pageload" && span.trace_id === traceId)
        );
        return found.every((span) => span !== undefined) && found;
      });
      const answers = await serverArrivals.waitFor("the server's half of both", (items) => {
        const found = loads.map(({ parent_span_id }) =>
          spansOf(items).find(({ span_id }) => span_id === parent_span_id)
        );
        return found.every((span) => span !== undefined) && found;
      });
      expect(answers.map(statusOf)).toEqual([200, 304]);
    });

    test("a failing request's span is the parent of the server's, which has the log and the error", async ({ page, arrivals, serverArrivals, watch }) => {
      watch.allow("status of 503", "status of 500");
      await openPage(page);
      const traceId = await shownTraceId(page);
      await make(page, "Failing request");
      await expect(page.getByText("Response with status 503")).toBeVisible();
      await make(page, "Server error");
      await expect(page.getByText("Response with status 500")).toBeVisible();

      for (const status of [503, 500]) {
        const asked = await arrivals.waitFor(
          `the page's span with ${status}`,
          (items) =>
            spansOf(items).find((span) =>
              opOf(span) === "http.client" && statusOf(span) === status
            ),
        );
        const answered = await serverArrivals.waitFor(
          `the server's span with ${status}`,
          (items) => spansOf(items).find((span) => statusOf(span) === status),
        );
        expect(answered.name).toBe("GET /signal");
        expect([answered.trace_id, answered.parent_span_id]).toEqual([traceId, asked.span_id]);
      }
      const error = await serverArrivals.waitFor(
        "the server's error",
        (items) => errorOf(items, "Server error, made on purpose"),
      );
      expect(error.contexts.trace.trace_id).toBe(traceId);
      const log = await serverArrivals.waitFor(
        "the server's log",
        (items) => logsOf(items).find(({ level }) => level === "error"),
      );
      expect(log.trace_id).toBe(traceId);
    });
  });
}

test("the minute's signals used up → the page shows when to try again", async ({ page, server, watch }) => {
  watch.allow("429");
  await openPage(page);
  const status = async () => {
    const response = await fetch(`${server.origin}/signal`);
    await response.body?.cancel();
    return response.status;
  };
  // One more is answered each second, so a slow machine tries again.
  await expect(async () => {
    while (await status() !== 429);
    await make(page, "Failing request");
    await expect(page.getByText(/status 429 .*60 signals a minute\. Try again in a minute/))
      .toBeVisible({ timeout: 1_000 });
  }).toPass();
});
