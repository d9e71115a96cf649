import assert from "node:assert/strict";
import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { AlwaysOnSampler, SamplingDecision } from "@opentelemetry/sdk-trace-web";
import {
  createIsMonitoringRequest,
  tracedPaths,
  withoutOwnActivity,
} from "./monitoring_requests.ts";

const isMonitoringRequest = createIsMonitoringRequest("/glass", "https://page.example/x");

Deno.test("address at or under /monitoring or MONITORING_PATH → monitoring request", () => {
  for (
    const address of [
      "/monitoring",
      "/monitoring/inbox?since=1",
      "/glass",
      "https://page.example/glass/inbox#x",
      "//page.example/monitoring",
    ]
  ) assert.equal(isMonitoringRequest(address), true, address);
});

Deno.test("any other address → no monitoring request", () => {
  for (
    const address of [
      "/",
      "/monitoringx",
      "/x/monitoring",
      "/glassy",
      "https://other.example/monitoring",
      "http://page.example/monitoring",
    ]
  ) assert.equal(isMonitoringRequest(address), false, address);
});

Deno.test("MONITORING_PATH with trailing slash → same as without", () => {
  const withSlash = createIsMonitoringRequest("/glass/", "https://page.example/x");
  for (const address of ["/glass", "/glass/", "/glass/inbox"]) {
    assert.ok(withSlash(address), address);
  }
  assert.ok(!withSlash("/glassy"));
});

Deno.test("invalid address → no monitoring request", () => {
  assert.equal(isMonitoringRequest("http://["), false);
});

Deno.test("trace headers → all paths of this origin except monitoring requests", () => {
  const traced = tracedPaths("/a.b");
  for (const path of ["/", "/signal", "/monitorings", "/axb", "/a.bc"]) assert.match(path, traced);
  for (const path of ["/monitoring", "/monitoring/inbox", "/a.b", "/a.b/x"]) {
    assert.doesNotMatch(path, traced);
  }
  assert.doesNotMatch("https://other.example/signal", traced);
});

Deno.test("span of a monitoring request → not recorded; of any other address → sampler decides", () => {
  const sampler = withoutOwnActivity(new AlwaysOnSampler(), isMonitoringRequest);
  const decide = (attributes: Record<string, string>) =>
    sampler.shouldSample(ROOT_CONTEXT, "", "", SpanKind.CLIENT, attributes, []).decision;
  const { NOT_RECORD, RECORD_AND_SAMPLED } = SamplingDecision;
  assert.equal(decide({ "sentry.op": "http.client", "url.full": "/glass/inbox" }), NOT_RECORD);
  assert.equal(decide({ "sentry.op": "resource.other", url: "/monitoring" }), NOT_RECORD);
  assert.equal(decide({ "sentry.op": "http.client", url: "/signal" }), RECORD_AND_SAMPLED);
  assert.equal(decide({ "sentry.op": "navigation", url: "/monitoring" }), RECORD_AND_SAMPLED);
});
