import { isLoopbackHost } from "../../monitoring/protocol/loopback.ts";

/** Where an application sends its envelopes, by the address under which this page was opened. */
export interface InboxAddress {
  /** `http://127.0.0.1:8000` */
  readonly origin: string;
  /** `http://inbox@127.0.0.1:8000/1` */
  readonly dsn: string;
  /** Whether it is an address of this machine, where envelopes need no DSN. */
  readonly isLocal: boolean;
}

/** What a user copies into an application, or into a terminal, to connect it. */
interface Snippet {
  readonly name: string;
  /** Sends one event as soon as it runs, unless it only sets environment variables. */
  readonly code: (address: InboxAddress) => string;
  /** What else the user has to know. */
  readonly note: string;
  /** Sends no DSN, so it works at a local address only. */
  readonly needsLocal?: boolean;
}

/** That of the inbox's own DSN. From this machine, but not through a proxy, any other is accepted, too. */
const INBOX_KEY = "inbox";

/** The DSN of this server as seen from where the page was opened. @param page the page's address */
export function inboxAddress({ origin, hostname }: Pick<URL, "origin" | "hostname">): InboxAddress {
  return { origin, dsn: dsnOf(origin), isLocal: isLoopbackHost(hostname) };
}

/**
 * The DSN for applications that are not on this machine.
 *
 * @param host name or address of this machine as seen from there
 */
export function remoteDsn(
  { protocol, port }: Pick<URL, "protocol" | "port">,
  host: string,
): string {
  return dsnOf(`${protocol}//${host}${port && `:${port}`}`);
}

const dsnOf = (origin: string) => `${origin.replace("://", `://${INBOX_KEY}@`)}/1`;

/**
 * The key for OpenTelemetry's exporters that are not on this machine. Values are percent-encoded:
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export const OTLP_KEY =
  `OTEL_EXPORTER_OTLP_HEADERS=x-sentry-auth=sentry%20sentry_key%3D${INBOX_KEY}`;

const serverCode = (runtime: string, use: string): Snippet["code"] => ({ dsn }) =>
  `// ${use}
import * as Sentry from "@sentry/${runtime.toLowerCase()}";

Sentry.init({
  dsn: "${dsn}",
  release: "my-app@1.0.0",
  tracesSampleRate: 1,
  // Traces continue in services with OpenTelemetry.
  propagateTraceparent: true,
  enableLogs: true,
});
Sentry.captureMessage("Hello from ${runtime}");`;

export const SNIPPETS: readonly Snippet[] = [
  {
    name: "Browser",
    code: ({ dsn }) =>
      `// npm install @sentry/browser
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  release: "my-app@1.0.0",
  integrations: [Sentry.browserTracingIntegration(), Sentry.replayIntegration()],
  tracesSampleRate: 1,
  // This page's origin, and your API's, whose CORS must allow sentry-trace and baggage.
  tracePropagationTargets: [/^\\//, "http://localhost:3000"],
  replaysSessionSampleRate: 1,
  replaysOnErrorSampleRate: 1,
  enableLogs: true,
});
Sentry.captureMessage("Hello from the browser");`,
    note:
      "Pages of every port of this machine may send: no tunnel, no CORS settings. If the page has a " +
      "Content-Security-Policy, add this server to its connect-src and blob: to its worker-src.",
  },
  {
    name: "Node",
    code: serverCode(
      "Node",
      "npm install @sentry/node\n// Save as instrument.mjs, then: node --import ./instrument.mjs app.mjs",
    ),
    note: "The same options work in @sentry/nextjs, @sentry/bun and the other SDKs for JavaScript.",
  },
  {
    name: "Deno",
    code: serverCode(
      "Deno",
      "deno add npm:@sentry/deno\n// Import it first. Needs --allow-net --allow-env --allow-read --allow-sys",
    ),
    note: "Restrict --allow-net to this server and what the application itself needs.",
  },
  {
    name: "Python",
    code: ({ dsn }) =>
      `# pip install sentry-sdk
import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    release="my-app@1.0.0",
    traces_sample_rate=1.0,
    enable_logs=True,  # sentry-sdk 2.35 or newer
)
sentry_sdk.capture_message("Hello from Python")`,
    note: "An SDK of another language takes the same DSN.",
  },
  {
    name: "OpenTelemetry",
    code: ({ origin, isLocal }) =>
      `export OTEL_EXPORTER_OTLP_ENDPOINT=${origin}
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf${isLocal ? "" : `\nexport ${OTLP_KEY}`}
export OTEL_SERVICE_NAME=my-app

# Then, in the same terminal, one of:
# Deno: OTEL_DENO=true deno run app.ts
# Node: npm install @opentelemetry/auto-instrumentations-node
#   node --require @opentelemetry/auto-instrumentations-node/register app.js
# Python: pip install opentelemetry-distro opentelemetry-exporter-otlp
#   opentelemetry-bootstrap -a install
#   opentelemetry-instrument --logs_exporter otlp python app.py
# Java: java -javaagent:opentelemetry-javaagent.jar -jar app.jar`,
    note:
      "Traces, logs and metrics of every OpenTelemetry SDK, and of the Collector (otlphttp), over " +
      "HTTP as protobuf or JSON, not by gRPC.",
  },
  {
    name: "SENTRY_SPOTLIGHT",
    needsLocal: true,
    code: ({ origin }) => `export SENTRY_SPOTLIGHT=${origin}/stream`,
    note:
      "For an application on this machine that already has the SDK for Node or Python: set this variable " +
      "before it is started. Its DSN stays as it is; a copy of each envelope is sent here.",
  },
  {
    name: "curl",
    code: ({ origin, dsn }) =>
      `curl "${origin}/api/1/envelope/?sentry_key=${new URL(dsn).username}" --data-binary '{}
{"type":"event"}
{"message":"Hello from curl"}'`,
    note:
      "An envelope without an SDK: a header, then an item’s header and its payload, one line each.",
  },
];

/** The snippets that work at an address. */
export const snippetsAt = ({ isLocal }: InboxAddress): readonly Snippet[] =>
  SNIPPETS.filter(({ needsLocal }) => isLocal || !needsLocal);
