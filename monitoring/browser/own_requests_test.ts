import assert from "node:assert/strict";
import { createIsOwnRequest, tracedPaths } from "./own_requests.ts";

const isOwn = createIsOwnRequest("/glass/", "https://page.example/x");

Deno.test("requests at and under the console's paths are its own", () => {
  for (
    const address of [
      "/monitoring",
      "/monitoring/inbox?since=1",
      "/glass",
      "https://page.example/glass/inbox#x",
      "//page.example/monitoring",
    ]
  ) assert.equal(isOwn(address), true, address);
});

Deno.test("everything else is not", () => {
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
  ) assert.equal(isOwn(address), false, address);
});

Deno.test("trace headers go to this origin's other paths", () => {
  const traced = tracedPaths("/a.b");
  for (const path of ["/", "/signal", "/monitorings", "/axb", "/a.bc"]) assert.match(path, traced);
  for (const path of ["/monitoring", "/monitoring/inbox", "/a.b", "/a.b/x"]) {
    assert.doesNotMatch(path, traced);
  }
  assert.doesNotMatch("https://other.example/signal", traced);
});
