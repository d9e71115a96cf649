import type { TelemetryState } from "../../monitoring/browser/mod.ts";
import { isUnanswered, type SignalEvidence } from "./evidence.ts";
import type { Signal } from "./signals.ts";

/** The steps that each signal takes, in order. */
export const STEPS = ["made", "sent", "answered", "found"] as const;
export type Step = (typeof STEPS)[number];

/** What is known of the page and its connections. */
export interface ProofContext extends
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
  /** Why a request got no answer; undefined: each got one, or it is not known. */
  readonly connection?: "offline" | "blocked" | "down" | undefined;
  /** Why the inbox could not be asked. */
  readonly inboxProblem?: string | undefined;
}

export type SignalState = SignalEvidence & ProofContext & { readonly signal: Signal };

/** Why a step can fail. The texts are for the owner of a deployment: what was observed, and what to change. */
export interface Cause {
  readonly step: Step;
  /** Nothing is lost, but nothing has arrived either. */
  readonly isWarning?: boolean;
  /** The next steps are checked nevertheless. */
  readonly continues?: boolean;
  readonly applies: (state: SignalState) => boolean;
  readonly cause: (state: SignalState) => string;
  readonly fix: string;
}

const quoted = (detail: string | undefined) => detail ? ` It reports: “${detail}”` : "";
const isDirect = ({ route }: SignalState) => !route.startsWith("/");
const target = (state: SignalState) =>
  isDirect(state) ? "the ingest" : `the server’s ${state.route}`;

/** Whether its request got no answer, or it was not sent because that of an envelope before it got none. */
function hasNoAnswer({ receipt, isOver }: SignalState): boolean {
  if (receipt === undefined || receipt.outcome !== undefined) return false;
  // Not before the end: the next attempt of the envelope before it may succeed.
  return isUnanswered(receipt) || isOver && receipt.attempts === 0;
}

/** Outcomes of envelopes that are not lost, and have not arrived as far as this page knows. */
const KEPT: Readonly<Record<string, string>> = {
  handed_over: "Another tab of this browser sent the envelope and has its result.",
  spooled:
    "The ingest has not taken it, or earlier segments of its recording wait: the relay keeps the envelope in its spool.",
  duplicate: "The relay has the envelope of an earlier attempt, perhaps still in its spool.",
};

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
    applies: ({ createdMs, receipt, phase, recording, signal, isOver }) =>
      createdMs === undefined && receipt === undefined &&
      (isOver || phase === "failed" || signal === "recording" && recording === "failed"),
    cause: ({ phase, reason, signal, recording }) => {
      if (phase !== "running") return `Telemetry did not start.${quoted(reason)}`;
      return signal === "recording" && recording === "failed"
        ? "The recorder did not load, or stopped after a segment was refused."
        : "The SDK created no envelope with this signal.";
    },
    fix: "Allow this page’s own scripts, fix what refuses other signals, check the sample rates " +
      "in the configuration, and reload the page.",
  },
  {
    step: "made",
    continues: true,
    applies: ({ signal, compressionProblem }) =>
      signal === "recording" && compressionProblem !== undefined,
    cause: () => "The recorder’s worker does not start: recordings are not compressed.",
    fix: "Pass Sightglass’s own Content-Security-Policy on unchanged, or add worker-src 'self' " +
      "where a proxy replaces it; allow workers in the browser.",
  },
  {
    step: "sent",
    applies: (state) => hasNoAnswer(state) && state.connection === "offline",
    cause: () => "The browser is offline.",
    fix: "Connect to the network. Envelopes wait in this browser and are then sent.",
  },
  {
    step: "sent",
    applies: (state) => hasNoAnswer(state) && state.connection === "blocked",
    cause: (state) =>
      `Requests to ${target(state)} are blocked in the browser: others are answered.`,
    fix: "Allow them in the content blocker, or set MONITORING_PATH to another path. If they go " +
      "directly to the ingest, set SENTRY_TUNNEL=always: they then go to the page’s own origin.",
  },
  {
    step: "sent",
    applies: (state) => hasNoAnswer(state) && state.connection === "down",
    cause: (state) =>
      `The browser cannot reach ${target(state)}, nor anything else at its address.`,
    fix: "Check that it runs, its address, and the network and the proxies between.",
  },
  {
    step: "sent",
    continues: true,
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
    applies: ({ receipt, variant }) =>
      receipt?.outcome !== undefined && receipt.outcome in KEPT &&
      (variant === "relay" || receipt.outcome !== "duplicate"),
    cause: ({ receipt }) => KEPT[receipt!.outcome!]!,
    fix: "Nothing is lost; the relay delivers what it has once the ingest answers. Check the " +
      "ingest, the relay’s way to it (HTTPS_PROXY, RELAY_UPSTREAM) and the answer of GET " +
      "/monitoring; close other tabs of this page.",
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
    cause: ({ receipt }) => `The envelope got no answer in time.${quoted(receipt?.error)}`,
    fix:
      "Let the browser send what waits, and run the proof again. Check what has to answer: the " +
      "ingest, or the server, whose wait for it RELAY_TIMEOUT_MS bounds.",
  },
  {
    step: "answered",
    applies: ({ receipt }) => (receipt?.status ?? 0) >= 500,
    cause: (state) =>
      `The answer is ${state.receipt?.status}: ${
        isDirect(state)
          ? "the ingest fails"
          : "the server could neither deliver nor store the envelope, or a proxy answered for it"
      }.${quoted(state.receipt?.error)}`,
    fix:
      "The browser keeps the envelope and sends it again. Check the ingest; at the server, the " +
      "disk of DATA_DIR, SPOOL and SPOOL_MAX_BYTES.",
  },
  {
    step: "answered",
    applies: (state) =>
      !isDirect(state) && state.receipt?.status !== undefined &&
      state.receipt.outcome === undefined,
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
    step: "found",
    applies: ({ foundMs, isOver, variant }) =>
      foundMs === undefined && isOver && variant === "inbox",
    cause: ({ inboxProblem }) =>
      inboxProblem === undefined
        ? "The relay reported the envelope as stored, and the inbox does not have it."
        : `The inbox cannot be read.${quoted(inboxProblem)}`,
    fix: "Enter the INBOX_TOKEN in one of the lists, or give it to the command prove in its " +
      "environment. If several servers answer at this address, give them one inbox. Check the " +
      "disk of DATA_DIR.",
  },
];
