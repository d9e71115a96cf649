/** Protocol and models do no I/O, and run in browsers too. */
const PURE = "!node:fs !node:http !node:https !node:net !node:sqlite !npm:@sentry/";

/** What configuration may know of the domain. */
const VALUES =
  "monitoring/protocol/dsn.ts monitoring/protocol/loopback.ts monitoring/storage/postgres_address.ts";

/** What exporters may import: they get a copy of each envelope. */
const COPIES = "monitoring/models/ monitoring/protocol/ monitoring/post_json.ts";

/** What all of the console may import beside its own rooms. */
const CONSOLE =
  "components/ monitoring/browser/mod.ts monitoring/models/ monitoring/protocol/ !npm:@sentry/";

const VIEW =
  `${CONSOLE} islands/data/ islands/kit/ islands/charts/ islands/pipeline/ islands/player/ ` +
  "islands/background_code.ts islands/view_code.ts";

/**
 * What the files of each place may import of the project, beside each other. A place is a file or a folder with a slash at
 * its end; `*` is any folder. The first place that has a file counts; every file except tests needs one.
 *
 * `type:PLACE`: with `import type` only. `!PLACE`: not, in spite of the others; also for packages and built-in modules,
 * which are allowed otherwise.
 */
export const IMPORT_RULES: Readonly<Record<string, string>> = {
  // React renders pages when they are built: the server runs without it.
  "main.ts": "config/config.ts monitoring/ routes/ server/ !node:sqlite !server/page.tsx",
  "config/": VALUES,
  "client.ts":
    "islands/shell/Console.tsx server/client/ monitoring/protocol/retry.ts monitoring/browser/mod.ts monitoring/browser/client_config.ts",
  "monitoring/settings.ts": "",
  "monitoring/post_json.ts": "",
  "monitoring/services.ts": "config/config.ts monitoring/ !node:sqlite",
  "monitoring/relay_handler.ts": "config/values.ts server/endpoint.ts server/headers.ts " +
    "monitoring/protocol/ monitoring/otlp/otlp_endpoint.ts monitoring/relay/relay.ts " +
    "monitoring/relay/spool/relay_spool.ts",
  "docs/examples/": "monitoring/relay_handler.ts",
  "monitoring/protocol/": `type:monitoring/models/parsed_envelope.ts ${PURE}`,
  "monitoring/access/": "monitoring/protocol/",
  "monitoring/uploads/": "monitoring/protocol/",
  "monitoring/storage/": "monitoring/protocol/",
  "monitoring/models/": `monitoring/protocol/ ${PURE}`,
  // Envelopes are admitted, then sent; the spool is drained by sending. Nothing imports in the other direction.
  "monitoring/relay/admit/": "monitoring/protocol/ monitoring/access/ monitoring/relay/errors.ts",
  "monitoring/relay/send/": "monitoring/protocol/ " +
    "type:monitoring/relay/metrics.ts type:monitoring/relay/process_report.ts",
  "monitoring/relay/spool/": "monitoring/protocol/ monitoring/storage/ monitoring/relay/admit/ " +
    "monitoring/relay/send/ monitoring/relay/answer.ts monitoring/relay/errors.ts " +
    "type:monitoring/relay/metrics.ts",
  // The relay declares the interface of the inbox, and only its spool knows databases.
  "monitoring/relay/": "monitoring/protocol/ monitoring/access/ monitoring/uploads/ " +
    "monitoring/relay/admit/ monitoring/relay/send/ monitoring/relay/spool/",
  "monitoring/inbox/": "monitoring/protocol/ monitoring/access/ monitoring/models/ " +
    "monitoring/storage/ monitoring/uploads/",
  "monitoring/alerts/": COPIES,
  "monitoring/otlp/": `${COPIES} monitoring/relay/admit/ monitoring/relay/errors.ts ` +
    "type:monitoring/relay/",
  // Assistants read the inbox through its interface, by the same rules of access and queries.
  "monitoring/mcp/": "monitoring/access/ monitoring/models/ monitoring/protocol/ " +
    "monitoring/inbox/query_parameters.ts monitoring/inbox/details/ type:monitoring/inbox/",
  "monitoring/security/": "monitoring/access/ monitoring/models/json.ts monitoring/protocol/ " +
    "monitoring/relay/body_reader.ts monitoring/relay/errors.ts type:monitoring/relay/ " +
    "monitoring/runtime/token_bucket.ts",
  "monitoring/player/": "monitoring/protocol/ monitoring/models/recording/recording.ts",
  // Implements the observer interface of server/endpoint.ts. The server does not import the implementation.
  "monitoring/runtime/": "monitoring/protocol/ monitoring/settings.ts server/endpoint.ts",
  "monitoring/browser/": "monitoring/settings.ts monitoring/protocol/",
  // Each room of the islands knows those above it: what is read, controls, charts, what several views contain, the views.
  "islands/data/": CONSOLE,
  "islands/kit/": `${CONSOLE} islands/data/`,
  "islands/charts/": `${CONSOLE} islands/data/ islands/kit/`,
  // The shell loads each view, and the lists of shared code name modules of every room.
  "islands/shell/": `${CONSOLE} islands/`,
  "islands/background_code.ts": `${CONSOLE} islands/`,
  "islands/view_code.ts": `${CONSOLE} islands/`,
  // The settings contain the proof.
  "islands/settings/": `${VIEW} islands/proof/Proof.tsx`,
  // A view imports nothing of another view; the pipeline and the player are parts of several.
  "islands/*/": VIEW,
  "components/": "monitoring/settings.ts monitoring/protocol/retry.ts type:monitoring/models/ " +
    "monitoring/models/duration.ts monitoring/models/time_units.ts " +
    "type:monitoring/protocol/ type:monitoring/browser/mod.ts !npm:@sentry/ !npm:@opentelemetry/",
  // Routes are thin: SQL belongs in the inbox, parsing in the domain.
  "routes/": "config/ server/ monitoring/ components/ islands/ !node:sqlite " +
    "!monitoring/protocol/scanner.ts !monitoring/protocol/encoding.ts",
  "server/": "monitoring/protocol/ !npm:@sentry/",
  "tools/": "config/ deno.json bench/ tests/ monitoring/ server/ components/ islands/ routes/",
  "bench/": "config/ deno.json tools/ tests/ monitoring/ server/ components/ islands/ routes/",
};

/** Tests: they may import anything but `main.ts`. */
export const TEST_FILES =
  /(_test|_spec)\.m?tsx?$|(^|\/)(tests|testdata)\/|^playwright\.config\.ts$/;

/** Only tests and files here import tests, files here, and packages for development. */
export const NOT_PRODUCT = ["tools/", "bench/", "docs/examples/"];
