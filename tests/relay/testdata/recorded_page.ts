/**
 * The page that `record.ts` opens in a browser: Sentry's SDK makes one item of each type. The fragment selects the
 * SDK's mode: `static`, `stream` (spans as they end) or `chunks` (profiles as separate items).
 */
import * as Sentry from "@sentry/browser";

const mode = location.hash.slice(1);

Sentry.init({
  dsn: "https://publickey@o1.ingest.us.sentry.io/42",
  tunnel: "/monitoring",
  release: "recorded@1.0.0",
  environment: "recording",
  tracesSampleRate: 1,
  enableLogs: true,
  ...(mode === "stream" ? { traceLifecycle: "stream" as const } : {}),
  ...(mode === "static" ? { profilesSampleRate: 1, replaysSessionSampleRate: 1 } : {}),
  ...(mode === "chunks"
    ? { profileSessionSampleRate: 1, profileLifecycle: "manual" as const }
    : {}),
  integrations: [
    Sentry.browserTracingIntegration({ instrumentPageLoad: false }),
    ...(mode === "static" ? [Sentry.replayIntegration({ minReplayDuration: 0 })] : []),
    ...(mode === "stream"
      ? [Sentry.spanStreamingIntegration()]
      : [Sentry.browserProfilingIntegration()]),
  ],
  beforeSend: (event) => event.message === "dropped" ? null : event,
});

/** Keeps the main thread busy, so that a profiler has something to sample. */
function work(ms: number): number {
  const end = performance.now() + ms;
  let sum = 0;
  while (performance.now() < end) sum += Math.sqrt(sum + 1);
  return sum;
}

switch (mode) {
  case "static":
    await Sentry.startSpan({ name: "checkout", op: "ui.action", forceTransaction: true }, () => {
      Sentry.startSpan({ name: "compute", op: "function" }, () => work(200));
      return new Promise((resolve) => setTimeout(resolve, 50));
    });
    Sentry.logger.info("An order was placed", { items: 3 });
    Sentry.metrics.count("orders", 1, { attributes: { kind: "test" } });
    Sentry.captureFeedback({ message: "The button does nothing.\nIt did yesterday." });
    Sentry.captureMessage("dropped");
    Sentry.withScope((scope) => {
      const data = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      scope.addAttachment({ filename: "bytes.bin", data, contentType: "application/octet-stream" });
      Sentry.captureMessage("with an attachment");
    });
    Sentry.captureException(new Error("Cannot place the order: the basket is empty"));
    await Sentry.getClient()?.getIntegrationByName<ReturnType<typeof Sentry.replayIntegration>>(
      "Replay",
    )?.flush();
    break;
  case "stream":
    Sentry.startSpan({ name: "checkout", op: "ui.action" }, () => {
      Sentry.startSpan({ name: "compute", op: "function" }, () => work(5));
    });
    break;
  case "chunks":
    Sentry.startSpan({ name: "checkout", op: "ui.action" }, () => work(5));
    Sentry.uiProfiler.startProfiler();
    work(300);
    await new Promise((resolve) => setTimeout(resolve, 50));
    Sentry.uiProfiler.stopProfiler();
    break;
}
await Sentry.flush();
document.title = "done";
