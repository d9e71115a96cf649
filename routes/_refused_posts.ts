/** Posts that no address takes: what the sender, and who looks for it among the refused, gets to read. */
const SENTRY_SDK =
  "use a Sentry SDK with the DSN http://dev@HOST:PORT/1 of this server, in relay mode with the key and" +
  " project of your own DSN";

export const NO_OTLP = {
  status: 404,
  error: "not_found",
  detail: `Cannot take OpenTelemetry over OTLP yet: ${SENTRY_SDK}.`,
};

export const NO_SINGLE_EVENTS = {
  status: 404,
  error: "not_found",
  detail:
    "Cannot take single events at /api/PROJECT/store/: send envelopes to /api/PROJECT/envelope/." +
    " Newer versions of the SDK do so, sentry-sdk for Python from 2.0 on.",
};

/** The detail for an unknown address, or one that takes other methods. */
export const NO_POST = `Cannot take a POST at this address: ${SENTRY_SDK}, its option tunnel with` +
  " /monitoring, or SENTRY_SPOTLIGHT with /stream.";
