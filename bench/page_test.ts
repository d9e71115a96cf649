import assert from "node:assert/strict";
import { projectRoot } from "../tools/project_files.ts";
import { WITHOUT_MONITORING } from "./page.ts";

Deno.test("page without monitoring → replaced modules still export the same names", async () => {
  for (const [path, source] of Object.entries(WITHOUT_MONITORING)) {
    const original = await import(`${projectRoot}/${path}`);
    const replacement = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    assert.deepEqual(Object.keys(replacement).sort(), Object.keys(original).sort(), path);
  }
});
