import assert from "node:assert/strict";
import { readModuleGraph, urlReferences } from "./module_graph.ts";
import { temporaryFolder } from "../../tests/temporary_folder.ts";

Deno.test("module graph → static, dynamic and type-only imports, workers, missing files", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  await Deno.mkdir(`${root}/sub`);
  await Deno.mkdir(`${root}/node_modules`);
  const files = {
    "deno.json": "{}",
    "sub/b.ts": "export type B = number; export const b = 1;",
    "worker.ts": "postMessage(1);",
    "node_modules/skipped.ts": 'import "../a.ts";',
    "a.ts": [
      'import type { B } from "./sub/b.ts";',
      'export type C = import("./c.ts").C;',
      'export const load = () => import("./worker.ts");',
      'import "node:fs";',
      'export const worker = () => new Worker(new URL("./worker.ts", import.meta.url));',
      'import "./missing.ts";',
      "export const x: B = 1;",
    ].join("\n"),
    "c.ts": 'import { b } from "./sub/b.ts"; export type C = typeof b;',
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${root}/${name}`, text);
  }
  const graph = (await readModuleGraph(root)).map(({ from, line, to, typeOnly, broken }) =>
    `${from}:${line} → ${typeOnly ? "type " : ""}${to}${broken ? " (broken)" : ""}`
  );
  assert.deepEqual(graph.sort(), [
    "a.ts:1 → type sub/b.ts",
    "a.ts:2 → type c.ts",
    "a.ts:3 → worker.ts",
    "a.ts:4 → node:fs",
    "a.ts:5 → worker.ts",
    "a.ts:6 → missing.ts (broken)",
    "c.ts:1 → sub/b.ts",
  ]);
});

Deno.test("files named by URL → imports; data and folders → not", () => {
  const source = [
    'new Worker(new URL("./insert_worker.ts", import.meta.url), { type: "module" });',
    'const file = import.meta.resolve("../other.ts");',
    'const folder = new URL("../.build/", import.meta.url);',
  ].join("\n");
  assert.deepEqual(
    urlReferences("monitoring/inbox/store.ts", source).map(({ line, to }) => [line, to]),
    [[1, "monitoring/inbox/insert_worker.ts"], [2, "monitoring/other.ts"]],
  );
});
