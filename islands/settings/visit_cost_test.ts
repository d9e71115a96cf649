import assert from "node:assert/strict";
import {
  computeVisitCost,
  type LoadedResource,
  type LongFrame,
  type MonitoringScripts,
} from "./visit_cost.ts";

const origin = "https://page.example";
const scripts: MonitoringScripts = {
  telemetry: ["A.js", "B.js"],
  recording: ["R.js"],
  worker: ["W.js"],
  firstBytes: 5000,
};
const loaded = (path: string, part: Partial<LoadedResource> = {}): LoadedResource => (
  { name: origin + path, transferSize: 1300, encodedBodySize: 1000, ...part }
);
const measure = (resources: readonly LoadedResource[], frames: readonly LongFrame[] = []) =>
  computeVisitCost({ scripts, resources, route: "/monitoring", origin, frames });

Deno.test("scripts of the build → counted by part; responses and the console apart", () => {
  const { telemetry, recording, worker, others, responses, console } = measure([
    loaded("/assets/A.js"),
    loaded("/assets/B.js"),
    loaded("/assets/R.js"),
    loaded("/assets/X.js"),
    loaded("/favicon.svg"),
    loaded("/monitoring"),
    loaded("/monitoring/inbox?view=logs"),
    loaded("/monitoring/inbox"),
  ]);
  assert.deepEqual(telemetry, {
    requests: 2,
    bodyBytes: 2000,
    networkBytes: 2600,
    cached: 0,
  });
  const counts = [recording, worker, others, responses, console].map(({ requests }) => requests);
  assert.deepEqual(counts, [1, 0, 1, 1, 2]);
});

const ONE_SCRIPT: readonly (readonly [string, LoadedResource, Record<string, number>])[] = [
  [
    "of another origin with the same name → not counted",
    loaded("", { name: "https://other.example/assets/A.js" }),
    { requests: 0 },
  ],
  [
    "from the cache → counted as cached, no network bytes",
    loaded("/assets/A.js", { transferSize: 0 }),
    { requests: 1, cached: 1, networkBytes: 0, bodyBytes: 1000 },
  ],
  [
    "that is blocked → not counted, although the browser reports it",
    loaded("/assets/A.js", { transferSize: 0, encodedBodySize: 0 }),
    { requests: 0 },
  ],
];
for (const [title, script, expected] of ONE_SCRIPT) {
  Deno.test(`a script ${title}`, () => {
    const { telemetry } = measure([script]);
    assert.deepEqual({ ...telemetry, ...expected }, telemetry);
  });
}

Deno.test("long frames → the time in monitoring scripts", () => {
  const script = (file: string, duration: number) => (
    { sourceURL: file && `${origin}/assets/${file}`, duration }
  );
  const { longFrames } = measure([], [
    { scripts: [script("A.js", 30), script("X.js", 50)] },
    { scripts: [script("X.js", 50)] },
    { scripts: [script("R.js", 40), script("", 9)] },
  ]);
  assert.deepEqual(longFrames, { count: 3, monitoringMs: 70, withMonitoring: 2 });
});
