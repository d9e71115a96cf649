/** Traces with spans of the page and of the server. */
import { expect, opOf, test } from "../harness/browser/fixtures.ts";
import { openPage, shownTraceId } from "../harness/browser/signals.ts";

test.use({ mode: "relay" });

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
