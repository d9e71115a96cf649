/** The limit is in the budget's unit. */
export type Budget =
  & {
    readonly what: string;
    readonly unit: "bytes gzip" | "bytes" | "files" | "ms" | "MiB" | "/s" | "×" | "cores";
  }
  & ({ readonly most: number } | { readonly least: number });

const WITHOUT_MONITORING = "against the page built without monitoring";
const TUNNEL = "against handleTunnelRequest of @sentry/core";

export const BUDGETS = {
  // `--only=size`. Each part is measured without what earlier parts have loaded.
  /** One round trip: the ten packets of a connection's initial window (RFC 6928). */
  htmlAndStyle: { what: "HTML and style until first paint", unit: "bytes gzip", most: 14_000 },
  /** React alone takes 70,700. */
  firstScripts: { what: "scripts before islands answer", unit: "bytes gzip", most: 84_000 },
  /** Few, because a browser requests only six at a time over HTTP/1.1. */
  firstScriptFiles: { what: "script files before islands answer", unit: "files", most: 4 },
  /** Until telemetry runs, in the mode that needs more. Each file is a request, on the way before the view is drawn. */
  firstLoadFiles: { what: "script files of a first page load", unit: "files", most: 12 },
  telemetryCore: { what: "telemetry core, after load", unit: "bytes gzip", most: 76_000 },
  recording: { what: "recording, at idle after the core", unit: "bytes gzip", most: 41_000 },
  recordingWorker: { what: "recording's worker", unit: "bytes gzip", most: 5_000 },
  viewScripts: { what: "first opening of the largest view", unit: "bytes gzip", most: 60_000 },
  viewFiles: { what: "first opening of a view, script files", unit: "files", most: 3 },

  // `--only=upload`
  upload: { what: "uploaded by a load that is not recorded", unit: "bytes", most: 6_000 },

  // `--only=page`: 4 × slower processor, 1.6 Mbit/s.
  clickAnswered: { what: `a click is answered, ${WITHOUT_MONITORING}`, unit: "×", most: 1.05 },
  firstPaint: { what: `first contentful paint, ${WITHOUT_MONITORING}`, unit: "×", most: 1.05 },
  blocking: { what: "blocking time that monitoring adds", unit: "ms", most: 50 },

  // `--only=views`. A task over 50 ms delays input noticeably (https://www.w3.org/TR/longtasks-1/).
  scrolledList: { what: "longest task, 2,000 rows scrolled", unit: "ms", most: 50 },
  readTrace: { what: "trace of 10,000 spans read from the server", unit: "ms", most: 500 },
  zoomedTrace: { what: "longest task, 10,000 spans zoomed", unit: "ms", most: 50 },

  // `--only=relay`. CPU time is that of the relay's process, for each envelope.
  relayCpu2: { what: `CPU time, 2 KB, ${TUNNEL}`, unit: "×", most: 1.6 },
  relayCpu200: { what: `CPU time, 200 KB, ${TUNNEL}`, unit: "×", most: 1.2 },
  relayRate2: { what: `throughput, 2 KB, ${TUNNEL}`, unit: "×", least: 0.7 },
  relayRate200: { what: `throughput, 200 KB, ${TUNNEL}`, unit: "×", least: 0.9 },

  // `--only=memory`: resident memory of the server in relay mode.
  idleMemory: { what: "idle server", unit: "MiB", most: 120 },
  /** The default of `MAX_IN_FLIGHT_BYTES`, and as much again. */
  addedMemory: { what: "added by 1,000 uploads of 1 MiB at once", unit: "MiB", most: 512 },
  memoryLeft: { what: "of that, left after 30 seconds", unit: "×", most: 0.5 },
  warmStart: { what: "warm start to the first answer", unit: "ms", most: 400 },

  // `--only=spool`: each envelope is synced to disk before it is answered.
  spoolSqlite: { what: "10 KB accepted, ingest down, SQLite", unit: "/s", least: 2_000 },
  spoolPostgres: { what: "10 KB accepted, ingest down, PostgreSQL", unit: "/s", least: 1_000 },

  // `--only=inbox`: each query of each list, with the default `INBOX_MAX_BYTES` of envelopes.
  inboxQuery: { what: "slowest list, filter, sort or chart", unit: "ms", most: 200 },

  // `--only=intake`: 50,000 spans, 50,000 logs and 1,000 points a minute for ten minutes; lists after it.
  intakeCpu: {
    what: "CPU time of 101,000 spans, logs and points a minute",
    unit: "cores",
    most: 1,
  },
  intakeFiles: { what: "size of the inbox's files, against the bodies", unit: "×", most: 3 },
} as const satisfies Readonly<Record<string, Budget>>;
