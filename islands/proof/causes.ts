import type { Receipt, TelemetryState } from "../../monitoring/browser/mod.ts";
import type { Signal } from "./signals.ts";

/** The steps that each signal takes, in order. */
export const STEPS = ["made", "sent", "answered", "found"] as const;
export type Step = (typeof STEPS)[number];

/** Evidence about one signal. */
export interface SignalEvidence {
  /** The id by which it is recognised. */
  id?: string | undefined;
  /** Why it is switched off. */
  off?: "no consent" | "no recorder runs" | undefined;
  /** Milliseconds from its creation until an envelope contained it; undefined: none does. */
  createdMs?: number | undefined;
  /** Of the envelope that contains it, or of its item that the browser dropped. */
  receipt?: Receipt | undefined;
  /** Milliseconds from the answer until the inbox returned it, and the envelope's id there. */
  found?: { readonly ms: number; readonly envelope: number } | undefined;
}

/** Evidence about the page and its surroundings. */
export interface Circumstances extends
  Pick<
    TelemetryState,
    "phase" | "reason" | "recording" | "compressionProblem" | "storageProblem"
  > {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
  /** No more evidence will come: what is missing has failed. */
  readonly isOver: boolean;
  /** The receipt of an envelope that fails: others wait until it is sent. */
  readonly ahead?: Receipt | undefined;
  /** Why a request got no answer; undefined: not known. */
  readonly connection?: "offline" | "blocked" | "down" | undefined;
  /** Why the inbox could not be asked. */
  readonly inboxProblem?: string | undefined;
}

/** All evidence about one signal. */
export type Situation = Readonly<SignalEvidence> & Circumstances & { readonly signal: Signal };

/** Why a step can fail. The texts are for the owner of a deployment: what was observed, and what to change. */
export interface Cause {
  readonly step: Step;
  /** Nothing is lost, but nothing has arrived either. */
  readonly isWarning?: boolean;
  /** The next steps are checked nevertheless. */
  readonly goesOn?: boolean;
  readonly applies: (situation: Situation) => boolean;
  readonly cause: (situation: Situation) => string;
  readonly fix: string;
}

const quoted = (detail: string | undefined) => detail ? ` It reports: “${detail}”` : "";
const isDirect = ({ route }: Situation) => !route.startsWith("/");
const target = (situation: Situation) =>
  isDirect(situation) ? "the ingest" : `the server’s ${situation.route}`;
const isMissing = ({ createdMs, receipt }: Situation) =>
  createdMs === undefined && receipt === undefined;

/** Whether it was sent, and the browser got no answer. */
export const isUnanswered = ({ attempts, status, outcome, error }: Receipt): boolean =>
  attempts > 0 && status === undefined && outcome === undefined && error !== undefined;

/** Whether its request, or that of the envelope before it, got no answer. */
function hasNoAnswer({ receipt, ahead, isOver }: Situation): boolean {
  if (receipt === undefined) return false;
  if (receipt.attempts > 0 || receipt.outcome !== undefined) return isUnanswered(receipt);
  // Not before the end: the next attempt of the envelope before it may succeed.
  return isOver && (ahead === undefined || isUnanswered(ahead));
}

/** The causes in their order: the first one that applies is where a signal ends. */
export const CAUSES: readonly Cause[] = [
  {
    step: "made",
    isWarning: true,
    applies: ({ off, receipt }) => off === "no consent" || receipt?.outcome === "withdrawn",
    cause: () =>
      "This browser may not send such signals: consent is withdrawn, or not granted yet.",
    fix: "Grant it in Settings, under Consent, and run the proof again.",
  },
  {
    step: "made",
    applies: (s) =>
      isMissing(s) &&
      (s.phase === "failed" || s.signal === "recording" && s.recording === "failed" ||
        s.isOver && s.phase !== "running"),
    cause: ({ phase, reason }) =>
      phase === "running"
        ? "The recorder did not load, or stopped after a segment was refused."
        : `Telemetry did not start.${quoted(reason)}`,
    fix: "Allow this page’s own scripts, fix what refuses other signals, and reload the page.",
  },
  {
    step: "made",
    applies: (s) => isMissing(s) && s.isOver,
    cause: () => "The SDK created no envelope with this signal.",
    fix: "Reload the page and run the proof again; check the sample rates in the configuration.",
  },
  {
    step: "made",
    goesOn: true,
    applies: ({ signal, compressionProblem }) =>
      signal === "recording" && compressionProblem !== undefined,
    cause: () => "The recorder’s worker does not start: recordings are not compressed.",
    fix: "Pass Sightglass’s own Content-Security-Policy on unchanged, or add worker-src 'self' " +
      "where a proxy replaces it; allow workers in the browser.",
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && s.connection === "offline",
    cause: () => "The browser is offline.",
    fix: "Connect to the network. Envelopes wait in this browser and are then sent.",
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && s.connection === "blocked",
    cause: (s) => `Requests to ${target(s)} are blocked in the browser: others are answered.`,
    fix: "Allow them in the content blocker, or set MONITORING_PATH to another path. If they go " +
      "directly to the ingest, set SENTRY_TUNNEL=always: they then go to the page’s own origin.",
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && s.connection === "down",
    cause: (s) => `The browser cannot reach ${target(s)}, nor anything else at its address.`,
    fix: "Check that it runs, its address, and the network and the proxies between.",
  },
  {
    step: "sent",
    goesOn: true,
    applies: ({ receipt, storageProblem }) =>
      receipt !== undefined && receipt.attempts > 0 && receipt.storedMs === undefined &&
      storageProblem !== undefined,
    cause: () => "This browser does not store envelopes: those that wait are lost with the page.",
    fix: "Allow the browser to store data of this site (private windows and settings can forbid " +
      "it), and free disk space.",
  },
  {
    step: "answered",
    isWarning: true,
    applies: ({ receipt }) => receipt?.outcome === "handed_over",
    cause: () => "Another tab of this browser sent the envelope and has its result.",
    fix: "Close other tabs of this page and run the proof again.",
  },
  {
    step: "answered",
    applies: ({ receipt }) => receipt?.outcome === "rate_limited" || receipt?.status === 429,
    cause: ({ receipt }) => `The ingest limits the rate of such signals.${quoted(receipt?.error)}`,
    fix: "Wait until the limit ends; check quota, spike protection and the key’s rate limit in " +
      "Sentry.",
  },
  {
    step: "answered",
    applies: ({ receipt, isOver }) => isOver && receipt?.status === undefined,
    cause: ({ receipt, ahead }) =>
      `The envelope got no answer in time${
        ahead?.status === undefined ? "" : `: one before it was answered with ${ahead.status}`
      }.${quoted(receipt?.error ?? ahead?.error)}`,
    fix: "Let the browser send what waits, and run the proof again. Check the server’s load and " +
      "its log; RELAY_TIMEOUT_MS bounds its wait for the ingest.",
  },
  {
    step: "answered",
    applies: ({ receipt }) => (receipt?.status ?? 0) >= 500,
    cause: (s) =>
      `The answer is ${s.receipt?.status}: ${
        isDirect(s)
          ? "the ingest fails"
          : "the server could neither deliver nor store the envelope, or a proxy answered for it"
      }.${quoted(s.receipt?.error)}`,
    fix:
      "The browser keeps the envelope and sends it again. Check the ingest; at the server, the " +
      "disk of DATA_DIR, SPOOL and SPOOL_MAX_BYTES.",
  },
  {
    step: "answered",
    applies: (s) =>
      !isDirect(s) && s.receipt?.status !== undefined && s.receipt.outcome === undefined,
    cause: ({ route, receipt }) =>
      `Something other than Sightglass answered ${route} with ${receipt?.status}.`,
    fix: "Let every proxy pass this path and its response headers on to Sightglass.",
  },
  {
    step: "answered",
    applies: ({ receipt }) => (receipt?.status ?? 0) >= 300,
    cause: ({ receipt }) =>
      `The envelope was refused with ${receipt?.status}.${quoted(receipt?.error)}`,
    fix:
      "Reload the page: it may be older than the server’s configuration. Check that SENTRY_DSN " +
      "names an existing project and an enabled key and is the same at all servers, that " +
      "SENTRY_ALLOWED_DSNS has the page’s DSN, and PUBLIC_ORIGIN its origin.",
  },
  {
    step: "answered",
    isWarning: true,
    applies: ({ receipt, variant }) =>
      receipt?.outcome === "spooled" || receipt?.outcome === "duplicate" && variant === "relay",
    cause: ({ receipt }) =>
      receipt?.outcome === "spooled"
        ? "The ingest does not answer: the relay keeps the envelope in its spool."
        : "The relay has the envelope of an earlier attempt, perhaps still in its spool.",
    fix: "Nothing is lost; the relay delivers it once the ingest answers. Check the ingest, the " +
      "relay’s way to it (HTTPS_PROXY, RELAY_UPSTREAM) and the answer of GET /monitoring.",
  },
  {
    step: "found",
    applies: ({ found, isOver, variant }) => !found && isOver && variant === "inbox",
    cause: ({ inboxProblem }) =>
      inboxProblem === undefined
        ? "The relay reported the envelope as stored, and the inbox does not have it."
        : `The inbox cannot be read.${quoted(inboxProblem)}`,
    fix: "Enter the INBOX_TOKEN in one of the lists, or give it to deno task prove in its " +
      "environment. If several servers answer at this address, give them one inbox. Check the " +
      "disk of DATA_DIR.",
  },
];
