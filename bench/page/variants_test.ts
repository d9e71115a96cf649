import assert from "node:assert/strict";
import { projectRoot } from "../../tools/project_files.ts";
import { EAGER, WITHOUT_MONITORING, WITHOUT_SERVER_TRACING } from "./variants.ts";

Deno.test("variants of the page → replaced modules still export the same names", async () => {
  for (const variant of [EAGER, WITHOUT_MONITORING, WITHOUT_SERVER_TRACING]) {
    for (const [path, source] of Object.entries(variant)) {
      if (path === "client.ts") continue; // Exports nothing, and runs in a browser only.
      const original = await import(`${projectRoot}/${path}`);
      const replacement = await import(`data:text/javascript,${encodeURIComponent(source)}`);
      assert.deepEqual(Object.keys(replacement).sort(), Object.keys(original).sort(), path);
    }
  }
});
