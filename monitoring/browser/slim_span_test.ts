import assert from "node:assert/strict";
import { slimSpan } from "./slim_span.ts";

const START = 1_795_340_822.7062998;
const END = 1_795_340_822.7541997;
const span = (attributes: Record<string, unknown>, isSegment = false) => ({
  start_timestamp: START,
  end_timestamp: END,
  is_segment: isSegment,
  attributes,
});

Deno.test("script over a kept connection → the two phases that the span's times do not show", () => {
  const { attributes, ...times } = slimSpan(span({
    "sentry.op": "resource.script",
    "http.request.redirect_start": 0,
    "http.request.worker_start": 0,
    "http.request.fetch_start": START,
    "http.request.domain_lookup_start": START,
    "http.request.connection_end": START + 1e-7,
    "http.request.request_start": 1_795_340_822.7273002,
    "http.request.response_start": 1_795_340_822.7423,
    "http.request.response_end": END,
    "http.request.time_to_first_byte": 0.20060000000149011,
    "http.response_delivery_type": "",
    "http.response.status_code": 0,
  }));
  assert.deepEqual(attributes, {
    "sentry.op": "resource.script",
    "http.request.request_start": 1_795_340_822.7273,
    "http.request.response_start": 1_795_340_822.7423,
    "http.response.status_code": 0,
  });
  assert.deepEqual(times, {
    start_timestamp: 1_795_340_822.7063,
    end_timestamp: 1_795_340_822.7542,
    is_segment: false,
  });
});

Deno.test("SDK's own attributes → removed; a page's source, release and browser → unchanged", () => {
  const common = { "sentry.release": "1", "user_agent.original": "Mozilla/5.0" };
  const bookkeeping = {
    "sentry.trace_lifecycle": "stream",
    "sentry.exclusive_time": 0,
    "sentry.sdk.integrations": ["Breadcrumbs"],
  };
  const child = slimSpan(span({ ...common, ...bookkeeping, "sentry.source": "custom" }));
  assert.deepEqual(child.attributes, common);
  const page = slimSpan(span({ ...common, ...bookkeeping, "sentry.source": "route" }, true));
  assert.deepEqual(page.attributes, { ...common, "sentry.source": "route" });
});

Deno.test("attributes of a span that the page made → unchanged", () => {
  const own = { count: 0, note: "", "http.request.body.size": 0, price: 0.123456 };
  assert.deepEqual(slimSpan(span({ ...own })).attributes, own);
});
