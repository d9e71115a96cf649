import assert from "node:assert/strict";
import { runInThisContext } from "node:vm";
import { FlattenMap, originalPositionFor, type TraceMap } from "@jridgewell/trace-mapping";
import { injectDebugId } from "./sourcemaps_to_inbox.ts";

/** Maps the first character of a script's line. */
const mapAt = (line: number) => ({
  version: 3,
  sources: ["a.ts"],
  names: [],
  mappings: `${";".repeat(line - 1)}AAAA`,
});

interface Registered {
  _sentryDebugIds?: Record<string, string>;
  isStrict?: boolean;
}
const registered = globalThis as Registered;

/** Runs a classic script. Returns the debug ids that it has registered. */
function run(script: string): string[] {
  registered._sentryDebugIds = {};
  runInThisContext(script);
  return Object.values(registered._sentryDebugIds);
}

Deno.test("script → registers the id that script and map end with, and runs as before", () => {
  const code = "globalThis.isStrict = (function () { return !this; })();";
  const strict = [
    `"use strict";${code}`,
    `'use strict'\n${code}`,
    `${"/** licence **/ // a\n".repeat(50)} "use strict";${code}`,
  ];
  for (const script of [code, `${"/**/".repeat(50)}(()=>{"use strict"})();${code}`, ...strict]) {
    const injected = injectDebugId(script, mapAt(1));
    assert.deepEqual(run(injected.script), [injected.map.debugId]);
    assert.ok(injected.script.endsWith(`\n//# debugId=${injected.map.debugId}\n`));
    assert.equal(registered.isStrict, strict.includes(script), script);
  }
});

Deno.test("same script and map → same id; another map → another", () => {
  const id = (line: number) => injectDebugId("a()", mapAt(line)).map.debugId;
  assert.equal(id(1), id(1));
  assert.notEqual(id(1), id(2));
});

Deno.test("line added, with and without hashbang, map of sections → positions stay valid", () => {
  const sections = {
    version: 3,
    sections: [{ offset: { line: 0, column: 0 }, map: mapAt(1) }],
  };
  const cases = [
    ["here()", mapAt(1), 2],
    ["here()", sections, 2],
    ["#!/usr/bin/env node\nhere()", mapAt(2), 3],
  ] as const;
  for (const [script, map, line] of cases) {
    const injected = injectDebugId(script, map);
    assert.equal(injected.script.split("\n")[line - 1], "here()");
    const flat = FlattenMap(injected.map as never) as TraceMap;
    const found = originalPositionFor(flat, { line, column: 0 });
    assert.deepEqual([found.source, found.line, found.column], ["a.ts", 1, 0]);
  }
  assert.match(injectDebugId(cases[2][0], cases[2][1]).script, /^#!\/usr\/bin\/env node\n/);
});
