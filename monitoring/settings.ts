/**
 * The six monitoring settings: the one place they stand. The browser's SDK is configured with these
 * constants and the page prints them, so what it says is what is in force.
 *
 * The names are those of Sentry's browser options
 * (https://docs.sentry.io/platforms/javascript/configuration/options/); rates are shares from 0 to 1.
 */
export const settings = {
  /** Every trace is recorded: a trace that is missing explains nothing. */
  tracesSampleRate: 1,
  /** One visit in ten is recorded from its start. */
  replaysSessionSampleRate: 0.1,
  /** Every other visit is buffered, and its recording is sent once an error occurs. */
  replaysOnErrorSampleRate: 1,
  /** Structured logs. */
  enableLogs: true,
  /** Recordings: every text is replaced by asterisks. */
  maskAllText: true,
  /** Recordings: what is typed is replaced by asterisks. */
  maskAllInputs: true,
  /** Recordings: images, video, audio and the like have no source. */
  blockAllMedia: true,
} as const;
