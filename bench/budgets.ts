/**
 * The budgets of size, speed and memory, as data. `deno task size` and `deno task bench` compare
 * measurements with them, and exit with 1 if one is missed.
 */
export interface Budget {
  readonly unit: "bytes gzip" | "bytes" | "files" | "ms" | "MiB" | "/s" | "×";
  /** Upper or lower limit in `unit`. */
  readonly limit: Limit;
  /** For ratios (`×`): what the measured value is divided by. */
  readonly against?: string;
}

export type Limit = { readonly most: number } | { readonly least: number };

/** The default of `MAX_IN_FLIGHT_BYTES`. */
const IN_FLIGHT_MIB = 256;

const HANDLE_TUNNEL_REQUEST = "handleTunnelRequest of @sentry/core on the same Deno";
const NGINX = "nginx proxy_pass to the same ingest";

/** Parts of the built page. Each is measured without what earlier parts have loaded. */
export const SIZE_BUDGETS = {
  /** One round trip: the ten packets of a connection's initial window (RFC 6928). */
  htmlAndStyle: { unit: "bytes gzip", limit: { most: 14_000 } },
  /** React alone takes 70,700. */
  scriptsBeforeIslands: { unit: "bytes gzip", limit: { most: 84_000 } },
  telemetryCore: { unit: "bytes gzip", limit: { most: 76_000 } },
  recording: { unit: "bytes gzip", limit: { most: 41_000 } },
  recordingWorker: { unit: "bytes gzip", limit: { most: 5_000 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** Numbers of script files. Few, because a browser requests only six at a time over HTTP/1.1. */
export const FILE_BUDGETS = {
  scriptsBeforeIslands: { unit: "files", limit: { most: 4 } },
  /** Loaded by the overview without further input: telemetry, recording, the worker, live lists. */
  scriptsAfterLoad: { unit: "files", limit: { most: 11 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** What a page load uploads, as sent, whose session is not sampled for recording: `deno task size`. */
export const UPLOAD_BUDGET = { unit: "bytes", limit: { most: 6_000 } } as const satisfies Budget;

/** CPU time (user and system) of the relay's process for each envelope: `--only=relay`. */
export const RELAY_CPU_BUDGETS = {
  "2 KB": { unit: "×", limit: { most: 1.3 }, against: HANDLE_TUNNEL_REQUEST },
  "200 KB": { unit: "×", limit: { most: 1 }, against: HANDLE_TUNNEL_REQUEST },
} as const satisfies Readonly<Record<string, Budget>>;

/** CPU time of all processes for each envelope with `WORKERS=auto`: `--only=relay`. */
export const WORKERS_CPU_BUDGET = {
  unit: "×",
  limit: { most: 1.1 },
  against: "one process",
} as const satisfies Budget;

/** Envelopes per second through the relay: `--only=relay`. */
export const RELAY_RATE_BUDGETS = {
  "2 KB": { unit: "×", limit: { least: 0.28 }, against: NGINX },
  "200 KB": { unit: "×", limit: { least: 0.5 }, against: NGINX },
} as const satisfies Readonly<Record<string, Budget>>;

/** Resident memory of the server in relay mode: `--only=memory`. */
export const MEMORY_BUDGETS = {
  idle: { unit: "MiB", limit: { most: 120 } },
  /** Added by 1,000 concurrent envelopes of 1 MiB. */
  added: { unit: "MiB", limit: { most: IN_FLIGHT_MIB + 256 } },
  /** Share of the added memory that is left 30 seconds after the last answer. */
  left: { unit: "×", limit: { most: 0.5 }, against: "the memory added" },
} as const satisfies Readonly<Record<string, Budget>>;

const WITHOUT_MONITORING = "the same page built without monitoring";

/** The page in a browser on a slow network and a slow processor: `--only=page`. */
export const PAGE_BUDGETS = {
  /** Until a click on a control is answered. */
  islandsAnswer: { unit: "×", limit: { most: 1.05 }, against: WITHOUT_MONITORING },
  /** First contentful paint. */
  firstPaint: { unit: "×", limit: { most: 1.05 }, against: WITHOUT_MONITORING },
  /** What is added to the total blocking time. */
  blocking: { unit: "ms", limit: { most: 50 }, against: WITHOUT_MONITORING },
  /** A task over 50 ms delays input noticeably (https://www.w3.org/TR/longtasks-1/). */
  longestTask: { unit: "ms", limit: { most: 50 } },
  /** Bodies of all requests of a load that is not recorded. */
  upload: UPLOAD_BUDGET,
  scriptsBefore: FILE_BUDGETS.scriptsBeforeIslands,
  scriptsAfter: FILE_BUDGETS.scriptsAfterLoad,
} as const satisfies Readonly<Record<string, Budget>>;

/** Answers to `GET /`, and the start of the server: `--only=serving`. */
export const SERVING_BUDGETS = {
  page: { unit: "×", limit: { least: 0.4 }, against: "nginx with the same bytes in a file" },
  start: { unit: "ms", limit: { most: 400 } },
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * Envelopes of 10 KB, each synced to disk, while the ingest refuses connections: `--only=spool`.
 */
export const SPOOL_RATE_BUDGETS = {
  sqlite: { unit: "/s", limit: { least: 2_000 } },
  postgres: { unit: "/s", limit: { least: 1_000 } },
} as const satisfies Readonly<Record<string, Budget>>;

/**
 * The median of 5 runs of every filter and sort of each list, in an inbox of 200,000 envelopes of 25 sources:
 * `--only=inbox`.
 */
export const INBOX_QUERY_BUDGET: Budget = { unit: "ms", limit: { most: 200 } };

/** A trace of 10,000 spans in a browser: `--only=traces`. */
export const TRACE_VIEW_BUDGETS = {
  /** From the click until its rows are drawn. */
  open: { unit: "ms", limit: { most: 1_000 } },
  /** The longest task while a person uses it (https://www.w3.org/TR/longtasks-1/). */
  longTask: { unit: "ms", limit: { most: 50 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** Lists of 2,000 rows in a browser: `--only=lists`. */
export const LIST_BUDGETS = {
  /** The longest task while a person scrolls them, and while rows arrive. */
  longTask: { unit: "ms", limit: { most: 50 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** A recording of 5 minutes and 20,000 events in a browser: `--only=recording`. */
export const RECORDING_BUDGETS = {
  /** From the click until the player shows it. */
  open: { unit: "ms", limit: { most: 1_000 } },
  seek: { unit: "ms", limit: { most: 300 } },
} as const satisfies Readonly<Record<string, Budget>>;

/** Main-thread time of errors, with the processor four times slower: `--only=errors`. */
export const ERROR_BUDGETS = {
  /** Breadcrumbs, serialisation and storage of one error on an idle page. */
  single: { unit: "ms", limit: { most: 2 } },
  /** The same for each error of a burst of 500. */
  ofBurst: { unit: "ms", limit: { most: 2 } },
  /** After such a burst: input waits at most this long at a time. */
  longestTask: { unit: "ms", limit: { most: 100 } },
} as const satisfies Readonly<Record<string, Budget>>;
