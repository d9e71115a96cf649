/**
 * Which way imports may go. A path is a file, or a folder with a slash at its end; `npm:` and `node:`
 * names count by their beginning. What `of` a rule's own files import of each other is always allowed,
 * and so is any package that `mayNot` does not name.
 */
export interface ImportRule {
  /** The files that the rule is for. */
  readonly of: readonly string[];
  /** What they may import of the project. */
  readonly may: readonly string[];
  /** What they may import by `import type` alone. */
  readonly mayTypes?: readonly string[];
  /** Exceptions from `may`, and packages and built-in modules that they must do without. */
  readonly mayNot?: readonly string[];
  /** What would be right, in one sentence. */
  readonly right: string;
}

/** What islands may import beside their own folder. */
const FOR_ISLANDS = [
  "components/",
  "islands/shared/",
  "monitoring/browser/mod.ts",
  "monitoring/models/",
  "monitoring/protocol/",
];

/** The first rule whose `of` holds a file is the file's rule. Everything outside tests needs one. */
export const IMPORT_RULES: readonly ImportRule[] = [
  {
    of: ["main.ts"],
    may: ["config.ts", "monitoring/", "routes/", "server/"],
    // React renders pages when they are built: the server runs without it.
    mayNot: ["node:sqlite", "server/page.ts"],
    right: "main.ts wires configuration, domain, routes and server together",
  },
  {
    of: ["config.ts"],
    may: ["monitoring/protocol/dsn.ts", "monitoring/settings.ts"],
    right: "config.ts turns the environment into values and imports only dsn.ts and settings.ts",
  },
  {
    of: ["client.ts"],
    may: ["server/client/", "monitoring/browser/mod.ts", "monitoring/browser/client_config.ts"],
    right: "client.ts imports server/client/ and the public module of monitoring/browser/",
  },
  {
    of: ["monitoring/settings.ts"],
    may: [],
    right: "settings.ts is the one place of the settings and imports nothing",
  },
  {
    of: ["monitoring/deno_internals.ts"],
    may: [],
    right: "deno_internals.ts is the one place of undocumented behaviour and imports nothing",
  },
  {
    of: ["monitoring/protocol/"],
    may: ["monitoring/deno_internals.ts"],
    mayNot: ["node:fs", "node:http", "node:https", "node:net", "node:sqlite", "npm:@sentry/"],
    right:
      "protocol/ is pure: it does no I/O and imports nothing of the project but deno_internals.ts",
  },
  {
    of: ["monitoring/access/"],
    may: [],
    right:
      "access/ decides who may read and write by a request and its peer: it imports nothing of the project",
  },
  {
    of: ["monitoring/storage/"],
    may: [],
    right:
      "storage/ is what every database file needs, whatever is in it: it imports nothing of the project",
  },
  {
    of: ["monitoring/models/"],
    may: ["monitoring/protocol/"],
    mayNot: ["node:fs", "node:http", "node:https", "node:net", "node:sqlite", "npm:@sentry/"],
    right: "models/ is pure, for the server and for browsers: it imports protocol/ alone",
  },
  {
    of: ["monitoring/relay/"],
    may: ["monitoring/protocol/", "monitoring/access/", "monitoring/deno_internals.ts"],
    right: "relay/ imports protocol/ and access/: it declares the interfaces of spool and inbox",
  },
  {
    of: ["monitoring/spool/"],
    may: ["monitoring/protocol/", "monitoring/storage/"],
    right: "spool/ imports protocol/ and storage/",
  },
  {
    of: ["monitoring/inbox/"],
    may: [
      "monitoring/protocol/",
      "monitoring/access/",
      "monitoring/models/",
      "monitoring/storage/",
    ],
    right: "inbox/ imports protocol/, access/, models/ and storage/",
  },
  {
    of: ["monitoring/runtime/"],
    may: ["monitoring/protocol/", "monitoring/settings.ts", "monitoring/deno_internals.ts"],
    right: "runtime/ imports settings.ts and protocol/",
  },
  {
    of: ["monitoring/browser/"],
    may: ["monitoring/settings.ts", "monitoring/protocol/"],
    right: "browser/ imports settings.ts and protocol/, and knows nothing of the page",
  },
  ...["envelopes", "errors", "logs", "overview", "settings", "shared", "strip", "traces"].map((
    view,
  ) => ({
    of: [`islands/${view}/`],
    may: FOR_ISLANDS,
    mayNot: ["npm:@sentry/"],
    right:
      "a view imports its own folder, islands/shared/, components/, models/, protocol/ and browser/mod.ts",
  })),
  {
    of: ["components/"],
    may: ["monitoring/settings.ts", "monitoring/protocol/retry.ts"],
    mayTypes: ["monitoring/browser/mod.ts", "monitoring/models/", "monitoring/protocol/"],
    mayNot: ["npm:@sentry/", "npm:@opentelemetry/"],
    right:
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
    right: "routes are thin: SQL belongs in monitoring/inbox/, parsing in monitoring/",
  },
  {
    of: ["server/"],
    may: [],
    mayNot: ["npm:@sentry/"],
    right: "server/ knows nothing of Sentry and imports only itself: hand it options from main.ts",
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
    right: "tools and benchmarks import anything but main.ts, which they start as a process",
  },
];

/** Files that may import anything but `main.ts`, and that product code never imports. */
export const TEST_FILES =
  /(_test|_spec)\.m?tsx?$|(^|\/)(tests|testdata)\/|^playwright\.config\.ts$/;

/** Beside tests, what product code never imports. */
export const NOT_PRODUCT = ["tools/", "bench/"];

/** Modules that browsers load: whatever they reach must do without `node:` modules. */
export const BROWSER_ENTRIES = [
  "client.ts",
  "components/",
  "islands/",
  "monitoring/browser/mod.ts",
];

/** Whether `path` is one of `places` or lies in it. */
export function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || (/[/:]$/.test(place) && path.startsWith(place)));
}
