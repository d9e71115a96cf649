/**
 * Which imports are allowed. A path is a file, or a folder with a slash at its end; `npm:` and `node:`
 * names match by prefix. Always allowed: imports among the files of one rule, and any package that
 * `mayNot` does not list.
 */
export interface ImportRule {
  /** The files that the rule applies to. */
  readonly of: readonly string[];
  /** Files of the project that they may import. */
  readonly may: readonly string[];
  /** Files that they may import with `import type` only. */
  readonly mayTypes?: readonly string[];
  /** Exceptions from `may`, and packages and built-in modules that are refused. */
  readonly mayNot?: readonly string[];
  /** The rule in one sentence, for the report. */
  readonly message: string;
}

/** Folders of `islands/`. */
export const VIEW_FOLDERS = [
  "envelopes",
  "errors",
  "logs",
  "overview",
  "proof",
  "recordings",
  "settings",
  "shared",
  "strip",
  "traces",
];

/** What a view may import beside its own folder. */
const SHARED_BY_VIEWS = [
  "components/",
  "islands/shared/",
  "monitoring/browser/mod.ts",
  "monitoring/models/",
  "monitoring/protocol/",
];

/** The first rule whose `of` contains a file applies to it. Every file except tests needs a rule. */
export const IMPORT_RULES: readonly ImportRule[] = [
  {
    of: ["main.ts"],
    may: ["config.ts", "monitoring/", "routes/", "server/"],
    // React renders pages when they are built: the server runs without it.
    mayNot: ["node:sqlite", "server/page.tsx"],
    message: "main.ts wires configuration, domain, routes and server together",
  },
  {
    of: ["config.ts", "config_table.ts", "config_values.ts"],
    may: [
      "config_table.ts",
      "config_values.ts",
      "monitoring/protocol/dsn.ts",
      "monitoring/protocol/loopback.ts",
      "monitoring/storage/postgres_address.ts",
    ],
    message:
      "config.ts imports only its own parts, dsn.ts, loopback.ts and postgres_address.ts: it turns the environment into values",
  },
  {
    of: ["client.ts"],
    may: ["server/client/", "monitoring/browser/mod.ts", "monitoring/browser/client_config.ts"],
    message: "client.ts imports server/client/ and the public module of monitoring/browser/",
  },
  ...["deno_internals.ts", "monitoring/settings.ts", "monitoring/post_json.ts"].map((file) => ({
    of: [file],
    may: [],
    message: `${file} imports no other module`,
  })),
  {
    of: ["monitoring/relay_handler.ts"],
    may: [
      "config_values.ts",
      "server/endpoint.ts",
      "server/headers.ts",
      "monitoring/protocol/dsn.ts",
      "monitoring/relay/relay.ts",
      "monitoring/relay/spool/relay_spool.ts",
    ],
    message:
      "relay_handler.ts joins relay and spool for other servers, as main.ts does for this one",
  },
  {
    of: ["docs/examples/"],
    may: ["monitoring/relay_handler.ts"],
    message: "an example imports only what deno.json exports",
  },
  {
    of: ["monitoring/protocol/"],
    may: ["deno_internals.ts"],
    mayNot: ["node:fs", "node:http", "node:https", "node:net", "node:sqlite", "npm:@sentry/"],
    message: "protocol/ is pure: it does no I/O and imports only deno_internals.ts",
  },
  {
    of: ["monitoring/access/"],
    may: ["monitoring/protocol/loopback.ts"],
    message: "access/ imports loopback.ts only: a request and its peer are all that it needs",
  },
  {
    of: ["monitoring/uploads/"],
    may: [],
    message: "uploads/ imports nothing: the rate of an upload does not depend on what it is",
  },
  {
    of: ["monitoring/storage/"],
    may: ["monitoring/protocol/loopback.ts"],
    message: "storage/ imports loopback.ts only: it does not depend on what is stored",
  },
  {
    of: ["monitoring/models/"],
    may: ["monitoring/protocol/"],
    mayNot: ["node:fs", "node:http", "node:https", "node:net", "node:sqlite", "npm:@sentry/"],
    message: "models/ is pure and runs in browsers too: it imports only protocol/",
  },
  {
    of: ["monitoring/relay/spool/"],
    may: ["monitoring/protocol/", "monitoring/relay/", "monitoring/storage/"],
    message: "relay/spool/ imports protocol/, relay/ and storage/",
  },
  {
    of: ["monitoring/relay/"],
    may: [
      "monitoring/protocol/",
      "monitoring/access/",
      "monitoring/relay/spool/",
      "monitoring/uploads/",
      "deno_internals.ts",
    ],
    message:
      "relay/ imports protocol/, access/ and uploads/: it declares the interface of the inbox, and only its spool knows databases",
  },
  {
    of: ["monitoring/inbox/"],
    may: [
      "monitoring/protocol/",
      "monitoring/access/",
      "monitoring/models/",
      "monitoring/storage/",
      "monitoring/uploads/",
    ],
    message: "inbox/ imports protocol/, access/, models/, storage/ and uploads/",
  },
  {
    of: ["monitoring/alerts/"],
    may: ["monitoring/models/", "monitoring/protocol/", "monitoring/post_json.ts"],
    message: "alerts/ imports models/, protocol/ and post_json.ts",
  },
  {
    of: ["monitoring/otlp/"],
    may: ["monitoring/models/", "monitoring/protocol/", "monitoring/post_json.ts"],
    message: "otlp/ imports models/, protocol/ and post_json.ts: the relay gives it envelopes",
  },
  {
    of: ["monitoring/mcp/"],
    may: [
      "monitoring/inbox/query_parameters.ts",
      "monitoring/access/",
      "monitoring/models/",
      "monitoring/protocol/",
    ],
    mayTypes: ["monitoring/inbox/"],
    message: "mcp/ reads the inbox through its interface, by the same rules of access and queries",
  },
  {
    of: ["monitoring/security/"],
    may: [
      "monitoring/access/",
      "monitoring/models/json.ts",
      "monitoring/protocol/",
      "monitoring/relay/body/",
      "monitoring/relay/errors.ts",
      "monitoring/relay/refusal.ts",
      "monitoring/runtime/token_bucket.ts",
    ],
    message: "security/ reads bodies as the relay does, and passes envelopes to it by main.ts",
  },
  {
    of: ["monitoring/player/"],
    may: ["monitoring/protocol/", "monitoring/models/recording/recording.ts"],
    message: "player/ runs in a document of its own: it imports only protocol/ and recording.ts",
  },
  {
    of: ["monitoring/runtime/"],
    may: ["monitoring/protocol/", "monitoring/settings.ts", "deno_internals.ts"],
    message: "runtime/ imports settings.ts and protocol/",
  },
  {
    of: ["monitoring/browser/"],
    may: ["monitoring/settings.ts", "monitoring/protocol/"],
    message: "browser/ imports settings.ts and protocol/, never the page",
  },
  ...VIEW_FOLDERS.map((view) => ({
    of: [`islands/${view}/`],
    may: SHARED_BY_VIEWS,
    mayNot: ["npm:@sentry/"],
    message:
      "a view imports its own folder, islands/shared/, components/, models/, protocol/ and browser/mod.ts",
  })),
  {
    of: ["components/"],
    may: ["monitoring/settings.ts", "monitoring/protocol/retry.ts"],
    mayTypes: ["monitoring/browser/mod.ts", "monitoring/models/", "monitoring/protocol/"],
    mayNot: ["npm:@sentry/", "npm:@opentelemetry/"],
    message:
      "components turn props into markup: they import components/, settings.ts, retry.ts, and types",
  },
  {
    of: ["routes/"],
    may: ["config.ts", "server/", "monitoring/", "components/", "islands/"],
    mayNot: [
      "node:sqlite",
      "monitoring/protocol/scanner.ts",
      "monitoring/protocol/encoding.ts",
    ],
    message: "routes are thin: SQL belongs in monitoring/inbox/, parsing in monitoring/",
  },
  {
    of: ["server/"],
    may: ["deno_internals.ts"],
    mayNot: ["npm:@sentry/"],
    message:
      "server/ imports only itself, deno_internals.ts and no Sentry package: pass options from main.ts",
  },
  {
    of: ["tools/", "bench/"],
    may: [
      "config.ts",
      "deno.json",
      "monitoring/",
      "server/",
      "components/",
      "islands/",
      "routes/",
      "tests/",
    ],
    message:
      "tools and benchmarks import anything but main.ts and client.ts, which they start as a process",
  },
];

/** Tests: they may import anything but `main.ts`; product code must not import them. */
export const TEST_FILES =
  /(_test|_spec)\.m?tsx?$|(^|\/)(tests|testdata)\/|^playwright\.config\.ts$/;

/** Further folders that product code must not import. */
export const NOT_PRODUCT = ["tools/", "bench/"];

/** Modules that browsers load. Nothing that they import, directly or not, may be a `node:` module. */
export const BROWSER_ENTRIES = [
  "client.ts",
  "components/",
  "islands/",
  "monitoring/browser/mod.ts",
  "monitoring/player/player.ts",
];

/** Whether `path` is one of `paths`, or is in one of them that is a folder. */
export function isIn(path: string, paths: readonly string[]): boolean {
  return paths.some((other) => path === other || (/[/:]$/.test(other) && path.startsWith(other)));
}
