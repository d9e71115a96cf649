import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { checkImports, type Import, readImports } from "./check_imports.ts";
import { IMPORT_RULES } from "./import_rules.ts";
import { projectRoot } from "../project_files.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

/** `"a.ts → b.ts"`; with `type` before the second name a type-only import. */
function imports(...arrows: readonly string[]): Import[] {
  return arrows.map((arrow) => {
    const [from = "", target = ""] = arrow.split(" → ");
    return { from, to: target.replace(/^type /, ""), typeOnly: target.startsWith("type ") };
  });
}

/** Each breaks exactly one rule; one for each kind of rule. */
const REFUSED = [
  "tests/relay/x_test.ts → main.ts",
  "main.ts → node:sqlite",
  "monitoring/settings.ts → type config/config.ts",
  "docs/examples/hono.ts → monitoring/relay/relay.ts",
  "monitoring/protocol/envelope.ts → npm:@sentry/core",
  "monitoring/inbox/store.ts → monitoring/relay/relay.ts",
  "islands/logs/deep/Row.tsx → islands/traces/View.tsx",
  "server/app.ts → tests/harness/stand_in_ingest.ts",
  "server/app.ts → npm:fast-check",
  "monitoring/relay/relay.ts → monitoring/protocol/dsn_test.ts",
  "helpers/strings.ts → config/config.ts",
];

const ALLOWED = [
  "config/config_test.ts → config/config.ts",
  "monitoring/mcp/tools.ts → type monitoring/inbox/inbox.ts",
  "monitoring/browser/sdk.ts → npm:@sentry/browser",
  "server/app_test.ts → server/testdata/page.tsx",
  "tools/picture.ts → tests/harness/server_process.ts",
  "islands/traces/View.tsx → islands/traces/deep/Row.tsx",
  "docs/examples/hono.ts → npm:hono",
];

Deno.test("imports against the layout → one problem each, with both names", () => {
  for (const arrow of REFUSED) {
    const problems = checkImports(imports(arrow));
    assert.equal(problems.length, 1, `${arrow}: ${problems.join("\n")}`);
    const [from, to] = arrow.replace("type ", "").split(" → ");
    assert.ok(problems[0]!.startsWith(`${from} imports ${to}: `), problems[0]);
  }
});

Deno.test("imports of the intended layout → allowed", () => {
  assert.deepEqual(checkImports(imports(...ALLOWED)), []);
});

Deno.test("rule for a place → the place exists", () => {
  for (const place of Object.keys(IMPORT_RULES)) {
    assert.ok(existsSync(`${projectRoot}/${place.replace("*/", "")}`), place);
  }
});

Deno.test("files import each other over others, one of them only types → cycle, without its importers", () => {
  const problems = checkImports(imports(
    "main.ts → server/app.ts",
    "server/app.ts → type server/load.ts",
    "server/load.ts → server/client/hydrate.ts",
    "server/client/hydrate.ts → server/app.ts",
    "server/client/hydrate.ts → server/headers.ts",
  ));
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? "",
    /^Import cycle: (?:server\/\S+ imports server\/\S+,? ?){3} Imports go/,
  );
  assert.doesNotMatch(problems[0] ?? "", /main|headers/);
});

Deno.test("files of a project → static, dynamic and type-only imports", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  for (const name of ["sub", "node_modules"]) await Deno.mkdir(`${root}/${name}`);
  const files = {
    "deno.json": "{}",
    "sub/b.ts": "export type B = number; export const b = 1;",
    "node_modules/skipped.ts": 'import "../a.ts";',
    "a.ts": [
      'import type { B } from "./sub/b.ts";',
      'export type C = import("./c.ts").C;',
      'export const load = () => import("./c.ts");',
      'import "node:fs";',
      'import "npm:react@19.3.1";',
      "export const x: B = 1;",
    ].join("\n"),
    "c.ts": "export type C = 1;",
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${root}/${name}`, text);
  }
  const found = (await readImports(root)).map(({ from, to, typeOnly }) =>
    `${from} → ${typeOnly ? "type " : ""}${to}`
  );
  assert.deepEqual(found.sort(), [
    "a.ts → c.ts",
    "a.ts → node:fs",
    "a.ts → npm:react@19.3.1",
    "a.ts → type sub/b.ts",
  ]);
});
