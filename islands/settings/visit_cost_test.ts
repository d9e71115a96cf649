import assert from "node:assert/strict";
import { computeVisitCost, type LoadedResource, type MonitoringScripts } from "./visit_cost.ts";

const origin = "https://page.example";
const scripts: MonitoringScripts = {
  telemetry: ["A.js", "B.js"],
  recording: ["R.js"],
  worker: ["W.js"],
  firstBytes: 5000,
};
const loaded = (path: string, transferSize = 1300, responseEnd = 1): LoadedResource => ({
  name: origin + path,
  transferSize,
  encodedBodySize: 1000,
  responseEnd,
});
const measure = (resources: readonly LoadedResource[]) =>
  computeVisitCost({ scripts, resources, route: "/monitoring", origin });

Deno.test("scripts of the build → counted by part", () => {
  const cost = measure([
    loaded("/assets/A.js", 1300, 40),
    loaded("/assets/B.js", 1300, 50),
    loaded("/assets/R.js"),
    loaded("/assets/X.js"),
    loaded("/favicon.svg"),
  ]);
  assert.deepEqual(cost.telemetry, {
    requests: 2,
    bodyBytes: 2000,
    networkBytes: 2600,
    cached: 0,
    endedAt: 50,
  });
  assert.deepEqual([cost.recording.requests, cost.worker.requests, cost.others.requests], [
    1,
    0,
    1,
  ]);
});

Deno.test("a script of another origin with the same name → not counted", () => {
  const cost = computeVisitCost({
    scripts,
    resources: [{ ...loaded(""), name: "https://other.example/assets/A.js" }],
    route: "/monitoring",
    origin,
  });
  assert.equal(cost.telemetry.requests, 0);
});

Deno.test("a cached script → counted as cached, no network bytes", () => {
  const { telemetry } = measure([loaded("/assets/A.js", 0), loaded("/assets/B.js")]);
  assert.deepEqual([telemetry.cached, telemetry.networkBytes, telemetry.bodyBytes], [
    1,
    1300,
    2000,
  ]);
});

Deno.test("a blocked script → not counted, although the browser reports it", () => {
  const { telemetry } = measure([{ ...loaded("/assets/A.js", 0), encodedBodySize: 0 }]);
  assert.equal(telemetry.requests, 0);
});

Deno.test("responses to envelopes → monitoring; requests to the inbox → console", () => {
  const cost = measure([
    loaded("/monitoring"),
    loaded("/monitoring/inbox?view=logs"),
    loaded("/monitoring/inbox"),
  ]);
  assert.deepEqual([cost.responses.requests, cost.console.requests], [1, 2]);
});

Deno.test("long frames → the time in monitoring scripts", () => {
  const script = (file: string, duration: number) => ({
    sourceURL: `${origin}/assets/${file}`,
    duration,
  });
  const { longFrames } = computeVisitCost({
    scripts,
    resources: [],
    route: "/monitoring",
    origin,
    frames: [
      { duration: 90, scripts: [script("A.js", 30), script("X.js", 50)] },
      { duration: 60, scripts: [script("X.js", 50)] },
      { duration: 70, scripts: [script("R.js", 40), { sourceURL: "", duration: 9 }] },
    ],
  });
  assert.deepEqual(longFrames, { count: 3, monitoringMs: 70, withMonitoring: 2 });
});

Deno.test("a browser that does not report long frames → undefined, not zero", () => {
  assert.equal(measure([]).longFrames, undefined);
});
