/** Traces with spans of the page and of the server. */
import { expect, opOf, type Span, spansOf, test } from "../harness/browser/fixtures.ts";
import { make, openPage, shownTraceId, waitForTelemetry } from "../harness/browser/signals.ts";

const statusOf = ({ attributes }: Span) => attributes["http.response.status_code"]?.value;

for (const mode of ["inbox", "relay"] as const) {
  test.describe(`in ${mode} mode`, () => {
    test.use({ mode });

    test("page loaded → its trace continues that of the server's response", async ({ page, arrivals, serverArrivals }) => {
      await openPage(page);
      const load = await arrivals.waitForSpan("the page load", (span) => opOf(span) === "pageload");
      const served = await serverArrivals.waitForSpan(
        "the server's span",
        ({ span_id }) => span_id === load.parent_span_id,
      );
      expect(served.name).toBe("GET /");
      expect(opOf(served)).toBe("http.server");
      expect(served.parent_span_id).toBeUndefined();
      expect(served.trace_id).toBe(load.trace_id);
      expect(await shownTraceId(page)).toBe(load.trace_id);
    });
  });
}

test.describe("in relay mode", () => {
  test.use({ mode: "relay" });

  test("reload answered with 304 → a new trace", async ({ page, arrivals, serverArrivals }) => {
    await openPage(page);
    const first = await shownTraceId(page);
    await page.reload();
    await waitForTelemetry(page);
    const second = await shownTraceId(page);
    expect(second).not.toBe(first);
    // Requests in flight when the page ends may be repeated, so each span is found by its trace.
    const loads = await arrivals.waitFor("both page loads", (items) => {
      const found = [first, second].map((traceId) =>
        spansOf(items).find((span) => opOf(span) === "pageload" && span.trace_id === traceId)
      );
      return found.every((span) => span !== undefined) && found;
    });
    const served = await serverArrivals.waitFor("the server's spans of both", (items) => {
      const found = loads.map(({ parent_span_id }) =>
        spansOf(items).find(({ span_id }) => span_id === parent_span_id)
      );
      return found.every((span) => span !== undefined) && found;
    });
    expect(served.map(statusOf)).toEqual([200, 304]);
  });

  test("request fails → its span is the parent of the server's, which has the log and the error", async ({ page, arrivals, serverArrivals, watch }) => {
    watch.allow("status of 503", "status of 500");
    await openPage(page);
    const traceId = await shownTraceId(page);
    await make(page, "Failing request");
    await expect(page.getByText("Response with status 503")).toBeVisible();
    await make(page, "Server error");
    await expect(page.getByText("Response with status 500")).toBeVisible();

    for (const status of [503, 500]) {
      const requested = await arrivals.waitForSpan(
        `the page's span with ${status}`,
        (span) => opOf(span) === "http.client" && statusOf(span) === status,
      );
      const served = await serverArrivals.waitForSpan(
        `the server's span with ${status}`,
        (span) => statusOf(span) === status,
      );
      expect(served.name).toBe("GET /signal");
      expect([served.trace_id, served.parent_span_id]).toEqual([traceId, requested.span_id]);
    }
    const error = await serverArrivals.waitForError("Server error, made on purpose");
    expect(error.contexts.trace.trace_id).toBe(traceId);
    const log = await serverArrivals.waitForLog(
      "the server's log",
      ({ level }) => level === "error",
    );
    expect(log.trace_id).toBe(traceId);
  });
});
