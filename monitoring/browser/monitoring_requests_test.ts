import assert from "node:assert/strict";
import { createIsMonitoringRequest, tracedPaths } from "./monitoring_requests.ts";

const isMonitoringRequest = createIsMonitoringRequest("/glass/", "https://page.example/x");

Deno.test("address at or under /monitoring or MONITORING_PATH → monitoring's own", () => {
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

Deno.test("any other address → not monitoring's own", () => {
  for (
    const address of [
      "/",
      "/monitoringx",
      "/x/monitoring",
      "/glassy",
      "https://other.example/monitoring",
      "http://page.example/monitoring",
      "http://[",
    ]
  ) assert.equal(isMonitoringRequest(address), false, address);
});

Deno.test("trace headers → all paths of this origin but monitoring's own", () => {
  const traced = tracedPaths("/a.b");
  for (const path of ["/", "/signal", "/monitorings", "/axb", "/a.bc"]) assert.match(path, traced);
  for (const path of ["/monitoring", "/monitoring/inbox", "/a.b", "/a.b/x"]) {
    assert.doesNotMatch(path, traced);
  }
  assert.doesNotMatch("https://other.example/signal", traced);
});
