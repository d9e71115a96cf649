import assert from "node:assert/strict";
import { judgeImports } from "./check_imports.ts";
import { IMPORT_RULES } from "./import_rules.ts";
import type { Import } from "./module_graph.ts";

/** `"a.ts → b.ts"`; with `type` before the second name a type-only import. */
function imports(...arrows: string[]): Import[] {
  return arrows.map((arrow, index) => {
    const [from = "", target = ""] = arrow.split(" → ");
    const typeOnly = target.startsWith("type ");
    const to = typeOnly ? target.slice(5) : target;
    return { from, to, line: index + 1, specifier: to, typeOnly };
  });
}

/** Each breaks one rule and nothing else; the second text is part of what must be said. */
const OFFENCES: readonly [arrow: string, said: string][] = [
  ["routes/index.tsx → main.ts", "nobody imports main.ts"],
  ["tests/relay/x_test.ts → main.ts", "nobody imports main.ts"],
  ["main.ts → node:sqlite", "main.ts wires"],
  ["main.ts → components/Mark.tsx", "main.ts wires"],
  ["config.ts → monitoring/relay/relay.ts", "only dsn.ts and settings.ts"],
  ["config.ts → monitoring/protocol/scanner.ts", "only dsn.ts and settings.ts"],
  ["config.ts → server/mod.ts", "only dsn.ts and settings.ts"],
  ["client.ts → monitoring/browser/transport.ts", "the public module"],
  ["monitoring/settings.ts → type config.ts", "imports nothing"],
  ["monitoring/protocol/dsn.ts → config.ts", "imports nothing of the project"],
  ["monitoring/protocol/dsn.ts → type monitoring/settings.ts", "imports nothing of the project"],
  ["monitoring/protocol/envelope.ts → monitoring/relay/relay.ts", "imports nothing of the project"],
  ["monitoring/protocol/envelope.ts → node:fs", "does no I/O"],
  ["monitoring/protocol/envelope.ts → npm:@sentry/core", "does no I/O"],
  ["monitoring/relay/relay.ts → type monitoring/inbox/store.ts", "not each other"],
  ["monitoring/relay/relay.ts → monitoring/spool/queue.ts", "not each other"],
  ["monitoring/inbox/store.ts → monitoring/relay/relay.ts", "not each other"],
  ["monitoring/inbox/http.ts → server/mod.ts", "not each other"],
  ["monitoring/spool/queue.ts → monitoring/inbox/store.ts", "not each other"],
  ["monitoring/spool/queue.ts → config.ts", "not each other"],
  ["monitoring/relay/relay.ts → monitoring/storage/open_database.ts", "those with a file"],
  ["monitoring/spool/queue.ts → monitoring/access/caller.ts", "those that strangers reach"],
  ["monitoring/access/caller.ts → monitoring/relay/relay.ts", "imports nothing of the project"],
  [
    "monitoring/storage/open_database.ts → monitoring/inbox/store.ts",
    "imports nothing of the project",
  ],
  ["monitoring/models/rows.ts → monitoring/inbox/store.ts", "read models are pure"],
  ["islands/envelopes/inspect/payload.ts → islands/shared/source/feed.ts", "read models are pure"],
  ["monitoring/runtime/tracing.ts → routes/index.tsx", "runtime/ imports"],
  ["monitoring/browser/sdk.ts → monitoring/protocol/inbox_row.ts", "browser/ imports"],
  ["monitoring/browser/sdk.ts → islands/overview/Visit.tsx", "browser/ imports"],
  ["monitoring/browser/sdk.ts → components/Mark.tsx", "knows nothing of the page"],
  ["islands/overview/Visit.tsx → monitoring/browser/transport.ts", "islands import"],
  ["islands/overview/InboxList.tsx → monitoring/inbox/store.ts", "islands import"],
  ["islands/overview/InboxList.tsx → type monitoring/inbox/http.ts", "islands import"],
  ["islands/logs/Logs.tsx → monitoring/inbox/list_sql.ts", "islands import"],
  [
    "islands/envelopes/Envelopes.tsx → monitoring/inbox/archive/export_archive.ts",
    "islands import",
  ],
  ["islands/overview/Visit.tsx → routes/index.tsx", "islands import"],
  ["islands/overview/Visit.tsx → npm:@sentry/react", "islands import"],
  ["components/Mark.tsx → islands/overview/Visit.tsx", "components turn props into markup"],
  ["components/Mark.tsx → monitoring/browser/mod.ts", "components turn props into markup"],
  ["components/Mark.tsx → type monitoring/relay/relay.ts", "components turn props into markup"],
  ["routes/monitoring/inbox.ts → node:sqlite", "routes are thin"],
  ["routes/monitoring.ts → monitoring/protocol/scanner.ts", "routes are thin"],
  ["routes/monitoring.ts → client.ts", "routes are thin"],
  ["server/app.ts → monitoring/settings.ts", "knows nothing of Sentry"],
  ["server/app.ts → type config.ts", "knows nothing of Sentry"],
  ["server/app.ts → routes/index.tsx", "knows nothing of Sentry"],
  ["server/app.ts → npm:@sentry/deno", "knows nothing of Sentry"],
  ["server/app.ts → tests/stand_in_ingest.ts", "only tests, tools and benchmarks"],
  ["server/app.ts → tools/build.ts", "only tests, tools and benchmarks"],
  ["server/app.ts → type bench/load.ts", "only tests, tools and benchmarks"],
  ["monitoring/relay/relay.ts → monitoring/protocol/dsn_test.ts", "only tests, tools"],
  ["tools/build.ts → server/app_test.ts", "nobody imports a test"],
  ["tools/build.ts → client.ts", "which they start as a process"],
  ["helpers/strings.ts → config.ts", "under no rule"],
];

for (const [arrow, said] of OFFENCES) {
  Deno.test(`refused: ${arrow}`, () => {
    const offences = judgeImports(imports(arrow));
    assert.equal(offences.length, 1, offences.join("\n"));
    assert.match(offences[0] ?? "", new RegExp(`^${arrow.split(" → ")[0]}:1 imports "`));
    assert.ok(offences[0]?.includes(said), offences[0]);
  });
}

Deno.test("every rule of the table is broken by one of the refused imports", () => {
  const told = OFFENCES.flatMap(([arrow]) => judgeImports(imports(arrow))).join("\n");
  for (const { of, right } of IMPORT_RULES) assert.ok(told.includes(right), of.join(", "));
});

Deno.test("what the layout asks for is allowed", () => {
  const allowed = imports(
    "main.ts → config.ts",
    "main.ts → monitoring/relay/relay.ts",
    "main.ts → monitoring/inbox/store.ts",
    "main.ts → routes/_state.ts",
    "main.ts → server/mod.ts",
    "config.ts → monitoring/protocol/dsn.ts",
    "config_test.ts → config.ts",
    "client.ts → server/client/hydrate.ts",
    "client.ts → monitoring/browser/mod.ts",
    "monitoring/protocol/envelope.ts → monitoring/protocol/scanner.ts",
    "monitoring/protocol/encoding.ts → node:zlib",
    "monitoring/relay/relay.ts → monitoring/protocol/dsn.ts",
    "monitoring/inbox/store.ts → node:sqlite",
    "monitoring/browser/sdk.ts → npm:@sentry/browser",
    "monitoring/browser/build.ts → node:fs",
    "islands/overview/Visit.tsx → components/Mark.tsx",
    "islands/overview/InboxList.tsx → monitoring/protocol/inbox_row.ts",
    "islands/logs/Logs.tsx → monitoring/models/rows.ts",
    "islands/envelopes/Envelopes.tsx → islands/envelopes/inspect/payload.ts",
    "islands/shared/source/http_source.ts → type islands/shared/source/feed.ts",
    "islands/shared/source/visit_source.ts → monitoring/protocol/inbox_archive.ts",
    "islands/overview/Visit.tsx → npm:react",
    "components/Mark.tsx → components/format/bytes.ts",
    "islands/overview/ArrivalRow.tsx → type monitoring/protocol/inbox_row.ts",
    "routes/monitoring.ts → monitoring/relay/relay.ts",
    "routes/index.tsx → islands/overview/Visit.tsx",
    "routes/_state.ts → type config.ts",
    "server/app.ts → node:path",
    "server/app_test.ts → server/testdata/page.tsx",
    "server/testdata/page.tsx → server/mod.ts",
    "tests/browser/page_spec.mts → tools/server_process.ts",
    "tests/relay/x_test.ts → monitoring/relay/relay.ts",
    "tools/demo.ts → tests/stand_in_ingest.ts",
    "tools/build.ts → monitoring/browser/build.ts",
  );
  assert.deepEqual(judgeImports(allowed), []);
});

Deno.test("an island must not reach a node: module, however long the way", () => {
  const offences = judgeImports(imports(
    "islands/overview/InboxList.tsx → islands/shared/source/feed.ts",
    "islands/shared/source/feed.ts → monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.equal(offences.length, 1);
  assert.match(offences[0] ?? "", /^monitoring\/inbox\/read\/describe\.ts:3 imports "node:zlib"/);
  assert.match(offences[0] ?? "", /InboxList\.tsx → monitoring\/inbox\/feed\.ts → monitoring/);
});

Deno.test("a type-only import costs a browser nothing", () => {
  const offences = judgeImports(imports(
    "islands/overview/InboxList.tsx → type monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.deepEqual(offences, []);
});

Deno.test("a round of files over two folders of one area is refused", () => {
  const offences = judgeImports(imports(
    "server/app.ts → server/client/hydrate.ts",
    "server/client/hydrate.ts → type server/app.ts",
  ));
  assert.equal(offences.length, 1);
  assert.match(offences[0] ?? "", /cycle across folders, server\/app\.ts, server\/client\/hydrate/);
});

Deno.test("a round of folders that no single file closes is refused", () => {
  const offences = judgeImports(imports(
    "routes/index.tsx → islands/overview/Visit.tsx",
    "islands/overview/Visit.tsx → components/Mark.tsx",
    "components/Other.tsx → islands/strip/Strip.tsx",
  ));
  assert.equal(offences.length, 2, "the direction, and the round");
  assert.match(offences[1] ?? "", /cycle across folders, components\/, islands\//);
});

Deno.test("a round within one folder is the folder's own affair", () => {
  const round = imports("server/app.ts → type server/load.ts", "server/load.ts → server/app.ts");
  assert.deepEqual(judgeImports(round), []);
});

Deno.test("an import that leads nowhere is named", () => {
  const [broken] = imports("server/app.ts → server/gone.ts");
  assert.ok(broken);
  assert.match(
    judgeImports([{ ...broken, broken: "Module not found." }])[0] ?? "",
    /^server\/app\.ts:1 imports "server\/gone\.ts": it leads nowhere: Module not found\.$/,
  );
});
