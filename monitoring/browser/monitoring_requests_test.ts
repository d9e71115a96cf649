import assert from "node:assert/strict";
import { ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import { AlwaysOnSampler, SamplingDecision } from "@opentelemetry/sdk-trace-web";
import {
  createIsMonitoringRequest,
  tracedPaths,
  withoutOwnActivity,
} from "./monitoring_requests.ts";

const PAGE = "https://page.example/x";
const isMonitoringRequest = createIsMonitoringRequest("/glass", PAGE);

const ADDRESSES: readonly (readonly [why: string, isOwn: boolean, addresses: string])[] = [
  ["at or under /monitoring or MONITORING_PATH", true, "/monitoring /monitoring/inbox?since=1"],
  ["at MONITORING_PATH, also with this origin", true, "/glass https://page.example/glass/inbox#x"],
  ["with this host alone", true, "//page.example/monitoring"],
  ["of another path", false, "/ /monitoringx /x/monitoring /glassy"],
  ["of another origin", false, "https://other.example/monitoring http://page.example/monitoring"],
  ["that is invalid", false, "http://["],
];
for (const [why, isOwn, addresses] of ADDRESSES) {
  Deno.test(`address ${why} → ${isOwn ? "" : "no "}monitoring request`, () => {
    const withSlash = createIsMonitoringRequest("/glass/", PAGE);
    for (const address of addresses.split(" ")) {
      assert.equal(isMonitoringRequest(address), isOwn, address);
      assert.equal(
        withSlash(address),
        isOwn,
        `${address}, MONITORING_PATH with a slash at its end`,
      );
    }
  });
}

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
