import assert from "node:assert/strict";
import type { Manifest } from "../server/manifest.ts";
import { monitoringScripts } from "./_monitoring_scripts.ts";

const chunk = (imports: string[], entryPoint?: string, sources = {}) => ({
  kind: "chunk",
  imports,
  entryPoint,
  sources,
});

Deno.test("monitoring scripts → each in one list; the page's first scripts in none", () => {
  const manifest = {
    first: ["FIRST.js"],
    assets: {
      "FIRST.js": chunk([], undefined, {
        "monitoring/browser/mod.ts": 900,
        "@opentelemetry/api": 100,
        "islands/strip/Strip.tsx": 5000,
      }),
      "T.js": chunk(["FIRST.js", "CORE.js"], "monitoring/browser/start_telemetry.ts"),
      "R.js": chunk(["FIRST.js", "CORE.js"], "monitoring/browser/recording_chunk.ts"),
      "CORE.js": chunk([]),
      "W.js": { ...chunk([]), kind: "extra", name: "replay-worker" },
    },
  } as unknown as Manifest;
  assert.deepEqual(monitoringScripts(manifest), {
    telemetry: ["T.js", "CORE.js"],
    recording: ["R.js"],
    worker: ["W.js"],
    firstBytes: 1000,
  });
});
