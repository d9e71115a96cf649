/**
 * The times of a stop, in milliseconds. Each is a maximum. In the order in which they are used: `answers`, `delivery`,
 * `report`, `close`; the others run meanwhile.
 */
export const STOP = {
  /** For pending responses. */
  answers: 2_500,
  /** For requests that are on their way over open connections. */
  lastRequests: 500,
  /** For live attempts at ingests. The rest of `answers` is for spooling what is undecided. */
  lastAttempts: 1_500,
  /** For deliveries of the spool to finish, then for them to abort. */
  spoolDeliveries: 2_800,
  spoolAborts: 300,
  /** To deliver what is left, and to report what was not delivered. */
  delivery: 800,
  report: 200,
  /** To close files, and to send the last copies. */
  close: 500,
  copies: 400,
} as const;

/** Maximum duration of a stop. Deno Deploy kills a process 5 seconds after it asked it to stop. */
export const STOP_MS = STOP.answers + STOP.delivery + STOP.report + STOP.close;
