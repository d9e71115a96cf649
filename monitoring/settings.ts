/**
 * The monitoring settings, defined only here. They configure the browser's SDK, and the page prints the same constants.
 *
 * The names are those of Sentry's browser options
 * (https://docs.sentry.io/platforms/javascript/configuration/options/); rates are from 0 to 1.
 */
export const settings = {
  /** Every trace is recorded. */
  tracesSampleRate: 1,
  /** One session in ten is recorded from its start. */
  replaysSessionSampleRate: 0.1,
  /** All other sessions are buffered; the recording is sent when an error occurs. */
  replaysOnErrorSampleRate: 1,
  /** Structured logs. */
  enableLogs: true,
  /** Recordings: every text is replaced by asterisks. */
  maskAllText: true,
  /** Recordings: input is replaced by asterisks. */
  maskAllInputs: true,
  /** Recordings: images, video and audio have no source. */
  blockAllMedia: true,
};

/** The SDK's option `dataCollection`, in the browser and on the server: nothing that may be personal. */
export const NO_PERSONAL_DATA = {
  userInfo: false,
  cookies: false,
  httpHeaders: { request: false, response: false },
  httpBodies: [],
  urlQueryParams: false,
  graphQL: { document: false, variables: false },
  genAI: { inputs: false, outputs: false },
  databaseQueryData: false,
  stackFrameVariables: false,
};
