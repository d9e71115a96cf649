/** The times of a stop, in milliseconds, in the order in which they are used. Each is a maximum. */
export const STOP = {
  /** For requests that are on their way over open connections. */
  lastRequests: 500,
  /** For pending responses, those of the last requests included. */
  answers: 2_500,
  /** To deliver what is left, and to report what was not delivered. */
  delivery: 800,
  report: 200,
  /** To send the last copies and to close files. */
  close: 500,
} as const;

/** Maximum duration of a stop. Deno Deploy kills a process 5 seconds after it asked it to stop. */
export const STOP_MS = STOP.answers + STOP.delivery + STOP.report + STOP.close;
