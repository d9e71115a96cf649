/*
 * Why a step of a proof can fail, and how to fix it. The texts are for the owner of a deployment: the cause states what
 * was observed, the fix what to change.
 */

export interface Explanation {
  readonly cause: string;
  readonly fix: string;
}

/** What was observed of the deployment and makes a cause more exact. */
export interface Observation {
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
  /** Reported by the relay, the ingest or the SDK. */
  readonly detail?: string | undefined;
  /** HTTP status. */
  readonly status?: number | undefined;
}

type Explain = (observation: Observation) => Explanation;

const quoted = (detail: string | undefined) => detail ? ` It reports: “${detail}”` : "";
const destination = (route: string) =>
  route.startsWith("/") ? `the server’s ${route}` : "the ingest";
/** A sentence that ends with a detail, if there is one. */
const sentence = (start: string, detail: string | undefined) =>
  detail ? `${start}: ${detail.replace(/\.$/, "")}.` : `${start}.`;

/** Each cause that a proof can name. */
export const CAUSES = {
  telemetry_failed: ({ detail }) => ({
    cause: sentence("Telemetry did not start", detail),
    fix:
      "Allow this page’s own scripts: an extension, a proxy or a changed Content-Security-Policy " +
      "blocks them.",
  }),
  telemetry_late: () => ({
    cause: "Telemetry has not started: it waits until the page has loaded and is idle.",
    fix:
      "Reload the page and run the proof again. If that does not help, a request of the page never ends.",
  }),
  no_envelope: () => ({
    cause: "The SDK created no envelope with this signal.",
    fix: "Reload the page and run the proof again.",
  }),
  recorder_failed: () => ({
    cause: "The recorder did not load, or stopped after a failure.",
    fix: "Allow this page’s own scripts, then reload the page.",
  }),
  recorder_stopped: ({ status, detail }) => ({
    cause: `The recorder has stopped: an earlier segment was refused with ${status}.${
      quoted(detail)
    }`,
    fix: "Fix what refuses the other signals, then reload the page and run the proof again.",
  }),
  worker_refused_by_csp: () => ({
    cause:
      "The Content-Security-Policy refuses the recorder’s worker: recordings are not compressed.",
    fix:
      "Pass Sightglass’s own Content-Security-Policy on unchanged, or add worker-src 'self' where " +
      "a proxy replaces it.",
  }),
  worker_failed: () => ({
    cause: "The recorder’s worker does not start in this browser: recordings are not compressed.",
    fix: "Allow workers for this page: an extension or a setting of the browser refuses them.",
  }),
  not_sampled: () => ({
    cause: "The signal was not sampled, so it is not sent.",
    fix: "Run the proof again, or raise the sample rate in monitoring/settings.ts.",
  }),
  not_granted: () => ({
    cause: "This browser may not send such signals: consent is withdrawn, or not granted yet.",
    fix: "Grant it in Settings, under Consent, and run the proof again.",
  }),
  storage_refused: ({ detail }) => ({
    cause: `This browser refuses IndexedDB${detail ? ` (${detail})` : ""}: ` +
      "envelopes are in memory only and would be lost with the page.",
    fix:
      "Allow the browser to store data of this site: private windows and settings can forbid it.",
  }),
  storage_full: () => ({
    cause: "IndexedDB did not accept the envelope: the disk or the browser’s quota is full.",
    fix: "Free disk space, or delete data of other sites.",
  }),
  offline: () => ({
    cause: "The browser is offline.",
    fix: "Connect to the network. Envelopes wait in this browser and are then sent.",
  }),
  request_blocked: ({ route }) => ({
    cause: `Requests to ${destination(route)} are blocked in the browser: others are answered.`,
    fix: route.startsWith("/")
      ? "Allow them in the content blocker, or set MONITORING_PATH to another path."
      : "Allow them in the content blocker, or set SENTRY_TUNNEL=always: they then go to the page’s " +
        "own origin.",
  }),
  server_unreachable: () => ({
    cause: "The server that served this page does not answer.",
    fix: "Start it, and check the network and the proxies between.",
  }),
  ingest_unreachable: () => ({
    cause: "The browser cannot reach the ingest, to which it sends directly.",
    fix:
      "Check that the ingest runs and its address is right, or set SENTRY_TUNNEL=always: the relay " +
      "then keeps envelopes while it is down.",
  }),
  not_sent: () => ({
    cause: "The envelope was not sent in time: it waits behind others.",
    fix: "Run the proof again once the browser has sent what waits.",
  }),
  no_answer: ({ route }) => ({
    cause: `No answer from ${destination(route)} in time.`,
    fix: "Check the server’s load and its log; RELAY_TIMEOUT_MS bounds its wait for the ingest.",
  }),
  dsn_not_allowed: ({ detail }) => ({
    cause: `The relay does not allow this page’s DSN.${quoted(detail)}`,
    fix:
      "Reload the page: it may be older than the server’s configuration. If several servers answer, " +
      "give all the same SENTRY_DSN, or add this DSN to SENTRY_ALLOWED_DSNS.",
  }),
  origin_not_allowed: ({ detail }) => ({
    cause: `The relay does not accept this page’s origin.${quoted(detail)}`,
    fix: "Set PUBLIC_ORIGIN to the origin in the address bar, or let the proxy pass Host on.",
  }),
  refused_by_relay: ({ status, detail }) => ({
    cause: `The relay refused the envelope with ${status}.${quoted(detail)}`,
    fix: "docs/contract.md lists the relay’s answers. A proxy may have changed the request.",
  }),
  not_sightglass: ({ route, status }) => ({
    cause: `Something other than Sightglass answered ${route} with ${status}.`,
    fix: `Let every proxy pass ${route} and its response headers on to Sightglass.`,
  }),
  ingest_refused: ({ status, detail }) => ({
    cause: `The ingest refused the envelope with ${status}.${quoted(detail)}`,
    fix: "Check that SENTRY_DSN names an existing project and an enabled key.",
  }),
  rate_limited: ({ detail }) => ({
    cause: sentence("The ingest limits the rate of such signals", detail),
    fix:
      "Wait until the limit ends; check quota, spike protection and the key’s rate limit in Sentry.",
  }),
  ingest_down: () => ({
    cause:
      "The ingest does not answer: the relay keeps the envelope in its spool. It has not arrived yet.",
    fix: "Nothing is lost; the relay delivers it once the ingest answers. Check the ingest, the " +
      "relay’s way to it (HTTPS_PROXY, RELAY_UPSTREAM) and the answer of GET /monitoring.",
  }),
  perhaps_spooled: () => ({
    cause:
      "An earlier attempt reached the relay, but its answer was lost: the ingest or the relay’s spool " +
      "has the envelope.",
    fix: "Run the proof again.",
  }),
  relay_cannot_store: ({ status, detail }) => ({
    cause: `The server could neither deliver nor store the envelope (${status}).${quoted(detail)}`,
    fix: "Check the disk of DATA_DIR, SPOOL and SPOOL_MAX_BYTES. The browser keeps the envelope.",
  }),
  direct_ingest_down: ({ status }) => ({
    cause: `The ingest answers ${status}.`,
    fix: "Check the ingest. The browser keeps the envelope and sends it again.",
  }),
  dropped: ({ detail }) => ({
    cause: sentence("The browser discarded the envelope", detail),
    fix: "Let the browser send what waits, then run the proof again.",
  }),
  other_tab: () => ({
    cause: "Another tab of this browser sent the envelope and has its result.",
    fix: "Close other tabs of this page and run the proof again.",
  }),
  inbox_unreadable: ({ detail }) => ({
    cause: sentence("The inbox cannot be read", detail),
    fix:
      "Enter the INBOX_TOKEN in one of the lists, or give it to deno task prove in its environment.",
  }),
  not_in_inbox: () => ({
    cause: "The relay reported the envelope as stored, and the inbox does not have it.",
    fix:
      "If several servers answer at this address, give them one inbox. Else check the disk of DATA_DIR.",
  }),
} as const satisfies Readonly<Record<string, Explain>>;

export type Cause = keyof typeof CAUSES;
