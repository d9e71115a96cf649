/** A small application with `@sentry/node` of any major version, whose folder is the first argument. */
const Sentry = require(process.argv[2]);

Sentry.init({
  // Without a DSN the SDK sends to SENTRY_SPOTLIGHT alone.
  dsn: process.env.SENTRY_DSN,
  spotlight: process.env.SENTRY_SPOTLIGHT,
  release: "shop@1",
  tracesSampleRate: 1,
  enableLogs: true,
});

const { SDK_VERSION } = Sentry;
Sentry.startSpan({ name: `checkout ${SDK_VERSION}`, op: "task" }, () => {
  Sentry.startSpan({ name: "SELECT cart", op: "db" }, () => {});
  Sentry.logger?.info(`cart loaded ${SDK_VERSION}`);
  Sentry.captureException(new Error(`payment failed ${SDK_VERSION}`));
});
Sentry.captureCheckIn({ monitorSlug: "nightly", status: "ok" });
Sentry.captureFeedback({ message: "It is slow." }, {
  attachments: [{ filename: "note.txt", data: "note" }],
});
Sentry.flush(20_000);
