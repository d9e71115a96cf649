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

/** What is pure in the inbox: read models, for the server and for browsers. */
const READING = ["monitoring/inbox/read/", "monitoring/inbox/inspect/"];
/** What these share with the inbox's HTTP: rows, and the file of an export. */
const INBOX_WIRE = ["monitoring/inbox/row.ts", "monitoring/inbox/archive/format.ts"];

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
    may: ["monitoring/envelope/dsn.ts", "monitoring/settings.ts"],
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
    of: ["monitoring/envelope/"],
    may: [],
    mayNot: ["node:fs", "node:http", "node:https", "node:net", "node:sqlite", "npm:@sentry/"],
    right: "envelope/ turns bytes into types and imports nothing of the project, and does no I/O",
  },
  {
    of: ["monitoring/access/"],
    may: [],
    right:
      "access/ decides who may read and write by a request and its peer: it imports nothing of the project",
  },
  {
    of: ["monitoring/sqlite/"],
    may: [],
    right:
      "sqlite/ is what every SQLite file needs, whatever is in it: it imports nothing of the project",
  },
  {
    of: READING,
    may: ["monitoring/envelope/", ...INBOX_WIRE],
    mayTypes: ["monitoring/inbox/feed.ts"],
    right: "read models are pure: they import envelope/, row.ts and the format of an export",
  },
  ...["relay", "inbox", "spool"].map((name) => ({
    of: [`monitoring/${name}/`],
    may: [
      "monitoring/envelope/",
      ...(name === "spool" ? [] : ["monitoring/access/"]),
      ...(name === "relay" ? [] : ["monitoring/sqlite/"]),
    ],
    right:
      "relay, inbox and spool import envelope/, those with a file sqlite/, those that strangers" +
      " reach access/, and not each other:" +
      " declare a small interface where one needs another, and wire them in main.ts",
  })),
  {
    of: ["monitoring/runtime/"],
    may: ["monitoring/envelope/", "monitoring/settings.ts"],
    right: "runtime/ imports settings.ts and envelope/",
  },
  {
    of: ["monitoring/browser/"],
    may: ["monitoring/settings.ts", "monitoring/envelope/"],
    right: "browser/ imports settings.ts and envelope/, and knows nothing of the page",
  },
  {
    of: ["islands/"],
    may: [
      "components/",
      "monitoring/browser/mod.ts",
      "monitoring/inbox/feed.ts",
      ...READING,
      ...INBOX_WIRE,
    ],
    mayNot: ["npm:@sentry/"],
    right: "islands import components/, the inbox's live rows and read models, and browser/mod.ts",
  },
  {
    of: ["components/"],
    may: ["monitoring/settings.ts"],
    mayTypes: ["monitoring/browser/mod.ts", "monitoring/inbox/row.ts", "monitoring/inbox/read/"],
    mayNot: ["npm:@sentry/", "npm:@opentelemetry/"],
    right: "components turn props into markup: they import components/, settings.ts, and types",
  },
  {
    of: ["routes/"],
    may: ["config.ts", "server/", "monitoring/", "components/", "islands/"],
    mayNot: [
      "node:sqlite",
      "monitoring/envelope/scanner.ts",
      "monitoring/envelope/reader.ts",
      "monitoring/envelope/encoding.ts",
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
