import assert from "node:assert/strict";
import { addCost, type LoadedResource, NO_COST } from "./page_cost.ts";

const origin = "https://page.example";
const scripts = new Set(["A.js", "B.js", "R.js"].map((file) => `${origin}/assets/${file}`));
const loaded = (path: string, part: Partial<LoadedResource> = {}): LoadedResource => (
  { name: origin + path, transferSize: 1300, encodedBodySize: 1000, ...part }
);

Deno.test("scripts of monitoring → counted; from the cache no network bytes, blocked not", () => {
  const resources = [
    loaded("/assets/A.js"),
    loaded("/assets/R.js", { transferSize: 0 }),
    loaded("/assets/B.js", { transferSize: 0, encodedBodySize: 0 }),
    loaded("/assets/X.js"),
    loaded("", { name: "https://other.example/assets/A.js" }),
    loaded("/monitoring"),
  ];
  const cost = addCost(NO_COST, scripts, { resources });
  assert.deepEqual(cost, { ...NO_COST, files: 2, cached: 1, networkBytes: 1300 });
  assert.equal(addCost(cost, scripts, { resources: [loaded("/assets/A.js")] }).files, 3);
});

Deno.test("long frames → the time in monitoring scripts; none of monitoring → the same state", () => {
  const script = (file: string, duration: number) => (
    { sourceURL: file && `${origin}/assets/${file}`, duration }
  );
  const others = { scripts: [script("X.js", 50)] };
  const cost = addCost(NO_COST, scripts, {
    frames: [
      { scripts: [script("A.js", 30), script("X.js", 50)] },
      others,
      { scripts: [script("R.js", 40), script("", 9)] },
    ],
  });
  assert.deepEqual(cost, { ...NO_COST, frames: 2, frameMs: 70 });
  assert.equal(addCost(cost, scripts, { frames: [others] }), cost);
});
