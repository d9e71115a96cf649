import assert from "node:assert/strict";
import { checkImports } from "./check_imports.ts";
import { IMPORT_RULES, isIn, VIEW_FOLDERS } from "./import_rules.ts";
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

/** Each import breaks exactly one rule. The message is a part of the expected one. */
const REFUSED: readonly [arrow: string, message: string][] = [
  ["monitoring/uploads/minimum_rate.ts → monitoring/protocol/dsn.ts", "uploads/ imports nothing"],
  ["routes/index.tsx → main.ts", "no module imports main.ts"],
  ["tests/relay/x_test.ts → main.ts", "no module imports main.ts"],
  ["main.ts → node:sqlite", "main.ts wires"],
  ["main.ts → components/OutcomeMark.tsx", "main.ts wires"],
  ["config.ts → monitoring/relay/relay.ts", "config.ts imports only"],
  ["config.ts → monitoring/protocol/scanner.ts", "config.ts imports only"],
  ["config.ts → monitoring/storage/postgres.ts", "config.ts imports only"],
  ["config.ts → server/mod.ts", "config.ts imports only"],
  ["client.ts → monitoring/browser/transport.ts", "client.ts imports"],
  ["client.ts → islands/traces/Traces.tsx", "client.ts imports"],
  ["monitoring/settings.ts → type config.ts", "settings.ts imports no other module"],
  ["deno_internals.ts → config.ts", "deno_internals.ts imports no other module"],
  [
    "monitoring/post_json.ts → monitoring/protocol/retry.ts",
    "post_json.ts imports no other module",
  ],
  ["monitoring/relay_handler.ts → monitoring/relay/answer.ts", "relay_handler.ts joins"],
  ["monitoring/relay_handler.ts → monitoring/inbox/sqlite_inbox.ts", "relay_handler.ts joins"],
  ["docs/examples/hono.ts → monitoring/relay/relay.ts", "an example imports only"],
  ["monitoring/protocol/dsn.ts → config.ts", "protocol/ is pure"],
  ["monitoring/protocol/dsn.ts → type monitoring/settings.ts", "protocol/ is pure"],
  ["monitoring/protocol/envelope.ts → monitoring/relay/relay.ts", "protocol/ is pure"],
  ["monitoring/protocol/envelope.ts → type monitoring/models/rows.ts", "protocol/ is pure"],
  ["monitoring/protocol/envelope.ts → node:fs", "protocol/ is pure"],
  ["monitoring/protocol/envelope.ts → npm:@sentry/core", "protocol/ is pure"],
  ["monitoring/access/caller.ts → monitoring/relay/relay.ts", "access/ imports loopback.ts only"],
  ["monitoring/access/caller.ts → monitoring/protocol/dsn.ts", "access/ imports loopback.ts only"],
  [
    "monitoring/storage/open_database.ts → monitoring/inbox/store.ts",
    "storage/ imports loopback.ts only",
  ],
  [
    "monitoring/storage/open_database.ts → monitoring/relay/spool/spool.ts",
    "storage/ imports loopback.ts only",
  ],
  [
    "monitoring/storage/postgres.ts → monitoring/protocol/dsn.ts",
    "storage/ imports loopback.ts only",
  ],
  ["monitoring/models/rows.ts → monitoring/inbox/store.ts", "models/ is pure"],
  ["monitoring/models/rows.ts → type monitoring/storage/errors.ts", "models/ is pure"],
  ["monitoring/models/rows.ts → node:sqlite", "models/ is pure"],
  ["monitoring/models/rows.ts → npm:@sentry/core", "models/ is pure"],
  ["monitoring/relay/relay.ts → type monitoring/inbox/store.ts", "relay/ imports protocol/"],
  ["monitoring/relay/relay.ts → monitoring/models/rows.ts", "relay/ imports protocol/"],
  ["monitoring/relay/relay.ts → monitoring/storage/open_database.ts", "relay/ imports protocol/"],
  ["monitoring/relay/spool/spool.ts → monitoring/inbox/store.ts", "relay/spool/ imports protocol/"],
  [
    "monitoring/relay/spool/spool.ts → monitoring/access/caller.ts",
    "relay/spool/ imports protocol/",
  ],
  ["monitoring/relay/spool/spool.ts → config.ts", "relay/spool/ imports protocol/"],
  ["monitoring/inbox/store.ts → monitoring/relay/relay.ts", "inbox/ imports protocol/"],
  ["monitoring/inbox/store.ts → monitoring/relay/spool/spool.ts", "inbox/ imports protocol/"],
  ["monitoring/inbox/http.ts → server/mod.ts", "inbox/ imports protocol/"],
  [
    "monitoring/alerts/webhook.ts → monitoring/inbox/inbox.ts",
    "alerts/ imports models/, protocol/ and post_json.ts",
  ],
  [
    "monitoring/security/security_endpoint.ts → monitoring/relay/relay.ts",
    "security/ reads bodies",
  ],
  ["monitoring/mcp/tools.ts → monitoring/inbox/sqlite_inbox.ts", "mcp/ reads the inbox"],
  ["monitoring/mcp/tools.ts → type monitoring/relay/relay.ts", "mcp/ reads the inbox"],
  ["monitoring/player/player.ts → monitoring/models/rows.ts", "player/ runs in a document"],
  [
    "monitoring/player/player.ts → monitoring/models/recording/timeline.ts",
    "player/ runs in a document",
  ],
  ["monitoring/otlp/otlp_json.ts → monitoring/relay/relay.ts", "otlp/ imports"],
  ["monitoring/runtime/telemetry.ts → routes/index.tsx", "runtime/ imports"],
  ["monitoring/runtime/telemetry.ts → monitoring/relay/relay.ts", "runtime/ imports"],
  ["monitoring/browser/sdk.ts → monitoring/models/rows.ts", "browser/ imports"],
  ["monitoring/browser/sdk.ts → islands/overview/Visit.tsx", "browser/ imports"],
  ["monitoring/browser/sdk.ts → components/OutcomeMark.tsx", "browser/ imports"],
  ["islands/overview/Visit.tsx → monitoring/browser/transport.ts", "a view imports"],
  ["islands/overview/Highlights.tsx → type monitoring/inbox/http.ts", "a view imports"],
  ["islands/overview/Visit.tsx → type monitoring/relay/relay.ts", "a view imports"],
  ["islands/overview/Visit.tsx → routes/index.tsx", "a view imports"],
  ["islands/overview/Visit.tsx → npm:@sentry/react", "a view imports"],
  ...VIEW_FOLDERS.map((view): [string, string] => [
    `islands/${view}/View.tsx → islands/${view === "logs" ? "traces" : "logs"}/Row.tsx`,
    "a view imports its own folder",
  ]),
  ["components/OutcomeMark.tsx → islands/overview/Visit.tsx", "components turn props into markup"],
  ["components/OutcomeMark.tsx → monitoring/browser/mod.ts", "components turn props into markup"],
  ["components/OutcomeMark.tsx → monitoring/models/rows.ts", "components turn props into markup"],
  [
    "components/OutcomeMark.tsx → type monitoring/relay/relay.ts",
    "components turn props into markup",
  ],
  ["routes/monitoring/inbox.ts → node:sqlite", "routes are thin"],
  ["routes/monitoring.ts → monitoring/protocol/scanner.ts", "routes are thin"],
  ["routes/monitoring.ts → client.ts", "routes are thin"],
  ["server/app.ts → monitoring/settings.ts", "server/ imports only itself"],
  ["server/app.ts → type config.ts", "server/ imports only itself"],
  ["server/app.ts → routes/index.tsx", "server/ imports only itself"],
  ["server/app.ts → npm:@sentry/deno", "server/ imports only itself"],
  ["server/app.ts → tests/stand_in_ingest.ts", "only tests, tools and benchmarks"],
  ["server/app.ts → tools/build.ts", "only tests, tools and benchmarks"],
  ["server/app.ts → type bench/load.ts", "only tests, tools and benchmarks"],
  ["monitoring/relay/relay.ts → monitoring/protocol/dsn_test.ts", "only tests, tools"],
  ["tools/build.ts → server/app_test.ts", "no module imports a test"],
  ["tools/build.ts → client.ts", "which they start as a process"],
  ["helpers/strings.ts → config.ts", "no rule for helpers/strings.ts"],
];

for (const [arrow, message] of REFUSED) {
  Deno.test(`${arrow} → refused`, () => {
    const problems = checkImports(imports(arrow));
    assert.equal(problems.length, 1, problems.join("\n"));
    assert.match(problems[0] ?? "", new RegExp(`^${arrow.split(" → ")[0]}:1 imports "`));
    assert.ok(problems[0]?.includes(message), problems[0]);
  });
}

Deno.test("each rule of the table → one of the refused imports breaks it", () => {
  const importers = REFUSED.map(([arrow]) => arrow.split(" → ")[0] ?? "");
  for (const { of, message } of IMPORT_RULES) {
    const own = REFUSED.filter(([, expected], at) =>
      message.includes(expected) && isIn(importers[at] ?? "", of)
    );
    assert.ok(own.length > 0, of.join(", "));
  }
});

Deno.test("imports of the intended layout → allowed", () => {
  const allowed = imports(
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
    ...VIEW_FOLDERS.flatMap((view) => [
      `islands/${view}/View.tsx → islands/${view}/Row.tsx`,
      `islands/${view}/View.tsx → islands/shared/source/source.ts`,
      `islands/${view}/View.tsx → components/OutcomeMark.tsx`,
      `islands/${view}/View.tsx → monitoring/models/rows.ts`,
      `islands/${view}/View.tsx → monitoring/protocol/inbox_row.ts`,
      `islands/${view}/View.tsx → monitoring/browser/mod.ts`,
      `islands/${view}/View.tsx → npm:react`,
    ]),
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
    "tools/demo.ts → tests/stand_in_ingest.ts",
    "tools/build.ts → monitoring/browser/build.ts",
  );
  assert.deepEqual(checkImports(allowed), []);
});

Deno.test("an island reaches a node: module over other files → refused, with the chain", () => {
  const problems = checkImports(imports(
    "islands/overview/Highlights.tsx → islands/shared/source/feed.ts",
    "islands/shared/source/feed.ts → monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^monitoring\/models\/describe\.ts:3 imports "node:zlib"/);
  assert.match(
    problems[0] ?? "",
    /islands\/shared\/source\/feed\.ts → monitoring\/models\/describe\.ts/,
  );
});

Deno.test("an island imports only types of a module that imports node: → allowed", () => {
  const problems = checkImports(imports(
    "islands/overview/Highlights.tsx → type monitoring/models/describe.ts",
    "monitoring/models/describe.ts → node:zlib",
  ));
  assert.deepEqual(problems, []);
});

Deno.test("two files of two folders import each other → cycle", () => {
  const problems = checkImports(imports(
    "server/app.ts → server/client/hydrate.ts",
    "server/client/hydrate.ts → type server/app.ts",
  ));
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /^Import cycle, server\/app\.ts, server\/client\/hydrate/);
});

Deno.test("files of one folder import each other, one of them only types → cycle", () => {
  const problems = checkImports(imports(
    "server/app.ts → type server/load.ts",
    "server/load.ts → server/router.ts",
    "server/router.ts → server/app.ts",
  ));
  assert.equal(problems.length, 1);
  assert.match(
    problems[0] ?? "",
    /^Import cycle, server\/app\.ts, server\/load\.ts, server\/router/,
  );
});

Deno.test("an import of a missing file → reported with its error", () => {
  const [broken] = imports("server/app.ts → server/missing.ts");
  assert.ok(broken);
  assert.match(
    checkImports([{ ...broken, broken: "Module not found." }])[0] ?? "",
    /^server\/app\.ts:1 imports "server\/missing\.ts": it cannot be resolved: Module not found\.$/,
  );
});
