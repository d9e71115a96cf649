import assert from "node:assert/strict";
import { checkImports, type Import, readImports } from "./check_imports.ts";
import { IMPORT_RULES } from "./import_rules.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";

/** `"a.ts → b.ts"`; with `type` before the second name a type-only import. */
function imports(...arrows: readonly string[]): Import[] {
  return arrows.map((arrow) => {
    const [from = "", target = ""] = arrow.split(" → ");
    return { from, to: target.replace(/^type /, ""), typeOnly: target.startsWith("type ") };
  });
}

/** Each breaks exactly one rule. */
const REFUSED = [
  "monitoring/uploads/uploads.ts → monitoring/protocol/dsn.ts",
  "routes/index.tsx → main.ts",
  "tests/relay/x_test.ts → main.ts",
  "main.ts → node:sqlite",
  "main.ts → components/OutcomeMark.tsx",
  "config.ts → monitoring/relay/relay.ts",
  "config.ts → monitoring/protocol/scanner.ts",
  "config.ts → monitoring/storage/postgres.ts",
  "config.ts → server/mod.ts",
  "client.ts → monitoring/browser/transport.ts",
  "client.ts → islands/traces/Traces.tsx",
  "monitoring/settings.ts → type config.ts",
  "deno_internals.ts → config.ts",
  "monitoring/post_json.ts → monitoring/protocol/retry.ts",
  "monitoring/relay_handler.ts → monitoring/relay/answer.ts",
  "monitoring/relay_handler.ts → monitoring/inbox/sqlite_inbox.ts",
  "docs/examples/hono.ts → monitoring/relay/relay.ts",
  "monitoring/protocol/dsn.ts → config.ts",
  "monitoring/protocol/dsn.ts → type monitoring/settings.ts",
  "monitoring/protocol/envelope.ts → monitoring/relay/relay.ts",
  "monitoring/protocol/envelope.ts → type monitoring/models/rows.ts",
  "monitoring/protocol/envelope.ts → node:fs",
  "monitoring/protocol/envelope.ts → npm:@sentry/core",
  "monitoring/access/caller.ts → monitoring/relay/relay.ts",
  "monitoring/access/caller.ts → monitoring/protocol/dsn.ts",
  "monitoring/storage/open_database.ts → monitoring/inbox/store.ts",
  "monitoring/storage/open_database.ts → monitoring/relay/spool/spool.ts",
  "monitoring/storage/postgres.ts → monitoring/protocol/dsn.ts",
  "monitoring/models/rows.ts → monitoring/inbox/store.ts",
  "monitoring/models/rows.ts → type monitoring/storage/errors.ts",
  "monitoring/models/rows.ts → node:sqlite",
  "monitoring/models/rows.ts → npm:@sentry/core",
  "monitoring/relay/relay.ts → type monitoring/inbox/store.ts",
  "monitoring/relay/relay.ts → monitoring/models/rows.ts",
  "monitoring/relay/relay.ts → monitoring/storage/open_database.ts",
  "monitoring/relay/spool/spool.ts → monitoring/inbox/store.ts",
  "monitoring/relay/spool/spool.ts → monitoring/access/caller.ts",
  "monitoring/relay/spool/spool.ts → config.ts",
  "monitoring/inbox/store.ts → monitoring/relay/relay.ts",
  "monitoring/inbox/store.ts → monitoring/relay/spool/spool.ts",
  "monitoring/inbox/http.ts → server/mod.ts",
  "monitoring/alerts/webhook.ts → monitoring/inbox/inbox.ts",
  "monitoring/security/security_endpoint.ts → monitoring/relay/relay.ts",
  "monitoring/mcp/tools.ts → monitoring/inbox/sqlite_inbox.ts",
  "monitoring/mcp/tools.ts → type monitoring/relay/relay.ts",
  "monitoring/player/player.ts → monitoring/models/rows.ts",
  "monitoring/player/player.ts → monitoring/models/recording/timeline.ts",
  "monitoring/otlp/otlp_json.ts → monitoring/relay/relay.ts",
  "monitoring/runtime/telemetry.ts → routes/index.tsx",
  "monitoring/runtime/telemetry.ts → monitoring/relay/relay.ts",
  "monitoring/browser/sdk.ts → monitoring/models/rows.ts",
  "monitoring/browser/sdk.ts → islands/overview/Visit.tsx",
  "monitoring/browser/sdk.ts → components/OutcomeMark.tsx",
  "islands/overview/Visit.tsx → monitoring/browser/transport.ts",
  "islands/overview/Highlights.tsx → type monitoring/inbox/http.ts",
  "islands/overview/Visit.tsx → type monitoring/relay/relay.ts",
  "islands/overview/Visit.tsx → routes/index.tsx",
  "islands/overview/Visit.tsx → npm:@sentry/react",
  "components/OutcomeMark.tsx → islands/overview/Visit.tsx",
  "components/OutcomeMark.tsx → monitoring/browser/mod.ts",
  "components/OutcomeMark.tsx → monitoring/models/rows.ts",
  "components/OutcomeMark.tsx → type monitoring/relay/relay.ts",
  "routes/monitoring/inbox.ts → node:sqlite",
  "routes/monitoring.ts → monitoring/protocol/scanner.ts",
  "routes/monitoring.ts → client.ts",
  "server/app.ts → monitoring/settings.ts",
  "server/app.ts → type config.ts",
  "server/app.ts → routes/index.tsx",
  "server/app.ts → npm:@sentry/deno",
  "server/app.ts → tests/harness/stand_in_ingest.ts",
  "server/app.ts → tools/build.ts",
  "server/app.ts → type bench/load.ts",
  "monitoring/relay/relay.ts → monitoring/protocol/dsn_test.ts",
  "tools/build.ts → server/app_test.ts",
  "tools/build.ts → client.ts",
  "helpers/strings.ts → config.ts",
  "islands/traces/View.tsx → islands/logs/Row.tsx",
  "islands/logs/deep/Row.tsx → islands/traces/View.tsx",
  "islands/shared/TabCount.tsx → islands/logs/Row.tsx",
  "server/app.ts → npm:fast-check",
  "bench/main.ts → client.ts",
  "config_table.ts → config.ts",
  "config_values.ts → config.ts",
  "docs/examples/hono.ts → config.ts",
];

for (const arrow of REFUSED) {
  Deno.test(`${arrow} → refused`, () => {
    const problems = checkImports(imports(arrow));
    assert.equal(problems.length, 1, problems.join("\n"));
    const [from, to] = arrow.replace("type ", "").split(" → ");
    assert.ok(problems[0]?.startsWith(`${from} imports ${to}: `), problems[0]);
  });
}

Deno.test("each place of the table → one of the refused imports breaks its rule", () => {
  const problems = checkImports(imports(...REFUSED)).join("\n");
  for (const place of Object.keys(IMPORT_RULES)) {
    assert.ok(problems.includes(`: beside itself ${place} may import `), place);
  }
});

const ALLOWED = [
  "main.ts → config.ts",
  "main.ts → monitoring/relay/relay.ts",
  "main.ts → monitoring/inbox/store.ts",
  "main.ts → routes/_state.ts",
  "main.ts → server/mod.ts",
  "config.ts → config_values.ts",
  "config.ts → monitoring/protocol/dsn.ts",
  "config_values.ts → monitoring/storage/postgres_address.ts",
  "config_test.ts → config.ts",
  "client.ts → server/client/hydrate.ts",
  "client.ts → monitoring/browser/mod.ts",
  "monitoring/protocol/envelope.ts → monitoring/protocol/scanner.ts",
  "monitoring/protocol/encoding.ts → node:zlib",
  "monitoring/models/rows.ts → monitoring/protocol/envelope.ts",
  "monitoring/models/trace/trace.ts → monitoring/models/json.ts",
  "monitoring/access/caller.ts → monitoring/access/hosts.ts",
  "monitoring/storage/open_database.ts → node:sqlite",
  "monitoring/relay/relay.ts → monitoring/protocol/dsn.ts",
  "monitoring/relay/relay.ts → monitoring/access/caller.ts",
  "monitoring/relay/spool/spool.ts → monitoring/storage/open_database.ts",
  "monitoring/relay/spool/spool.ts → monitoring/protocol/envelope.ts",
  "monitoring/inbox/store.ts → node:sqlite",
  "monitoring/inbox/store.ts → monitoring/models/rows.ts",
  "monitoring/inbox/store.ts → monitoring/storage/open_database.ts",
  "monitoring/inbox/http.ts → monitoring/access/caller.ts",
  "monitoring/runtime/telemetry.ts → monitoring/settings.ts",
  "monitoring/browser/sdk.ts → npm:@sentry/browser",
  "monitoring/browser/sdk.ts → monitoring/protocol/envelope.ts",
  "monitoring/browser/build.ts → node:fs",
  "components/OutcomeMark.tsx → components/format/bytes.ts",
  "components/OutcomeMark.tsx → monitoring/settings.ts",
  "components/OutcomeMark.tsx → type monitoring/protocol/inbox_row.ts",
  "routes/monitoring.ts → monitoring/relay/relay.ts",
  "routes/index.tsx → islands/overview/Visit.tsx",
  "routes/_state.ts → type config.ts",
  "server/app.ts → node:path",
  "server/app_test.ts → server/testdata/page.tsx",
  "server/testdata/page.tsx → server/mod.ts",
  "tests/browser/page_spec.mts → tools/server_process.ts",
  "tests/relay/x_test.ts → monitoring/relay/relay.ts",
  "tools/demo.ts → tests/harness/stand_in_ingest.ts",
  "tools/build.ts → monitoring/browser/build.ts",
  "islands/traces/View.tsx → islands/traces/Row.tsx",
  "islands/traces/View.tsx → islands/shared/source/source.ts",
  "islands/traces/View.tsx → components/OutcomeMark.tsx",
  "islands/traces/View.tsx → monitoring/models/rows.ts",
  "islands/traces/View.tsx → monitoring/protocol/inbox_row.ts",
  "islands/traces/View.tsx → monitoring/browser/mod.ts",
  "islands/traces/View.tsx → npm:react",
  "docs/examples/hono.ts → npm:hono",
  "bench/main.ts → tools/run/server_process.ts",
  "monitoring/storage/postgres.ts → npm:pg",
];

Deno.test("imports of the intended layout → allowed", () => {
  assert.deepEqual(checkImports(imports(...ALLOWED)), []);
});

Deno.test("file in a new folder → refused until it has a rule", () => {
  assert.match(
    checkImports(imports("helpers/strings.ts → config.ts"))[0] ?? "",
    /there is no rule for the file\. Add its folder/,
  );
});

Deno.test("an island reaches a node: module over other files → refused, with the chain", () => {
  const problems = checkImports(imports(
    "islands/overview/Highlights.tsx → islands/shared/source/feed.ts",
    "islands/shared/source/feed.ts → monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.ok(problems.length > 0);
  const chain = /feed\.ts → monitoring\/models\/describe\.ts → node:zlib\.$/;
  for (const problem of problems) assert.match(problem, chain);
});

Deno.test("an island imports only types of a module that imports node: → allowed", () => {
  const problems = checkImports(imports(
    "islands/overview/Highlights.tsx → type monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.deepEqual(problems, []);
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

Deno.test("an import of a missing file → reported with its error", () => {
  const [broken] = imports("server/app.ts → server/missing.ts");
  assert.deepEqual(checkImports([{ ...broken!, broken: "Module not found." }]), [
    "server/app.ts imports server/missing.ts: it cannot be resolved: Module not found.",
  ]);
});

Deno.test("files of a project → static, dynamic and type-only imports, workers, missing files", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  for (const name of ["sub", "node_modules"]) await Deno.mkdir(`${root}/${name}`);
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
      'export const build = new URL("./sub/", import.meta.url);',
      'import "./missing.ts";',
      "export const x: B = 1;",
    ].join("\n"),
    "c.ts": 'export type C = 1; export const path = import.meta.resolve("./sub/b.ts");',
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${root}/${name}`, text);
  }
  const found = (await readImports(root)).map(({ from, to, typeOnly, broken }) =>
    `${from} → ${typeOnly ? "type " : ""}${to}${broken ? " (broken)" : ""}`
  );
  assert.deepEqual(found.sort(), [
    "a.ts → missing.ts (broken)",
    "a.ts → node:fs",
    "a.ts → type c.ts",
    "a.ts → type sub/b.ts",
    "a.ts → worker.ts",
    "a.ts → worker.ts",
    "c.ts → sub/b.ts",
  ]);
});
