import type { Receipt } from "../../monitoring/browser/mod.ts";
import type { Signal } from "./find_signals.ts";

/** The steps that each signal takes, in order. */
export const STEPS = ["made", "sent", "answered", "found"] as const;
export type Step = (typeof STEPS)[number];

/** Evidence about one signal. Times are in milliseconds. */
export interface SignalEvidence {
  /** The id by which it is recognised, for display. */
  readonly id?: string | undefined;
  /** Why it is switched off. */
  readonly off?: "no consent" | "no recorder runs" | undefined;
  /** False: the SDK does not send it. */
  readonly isSampled?: boolean | undefined;
  /** From its creation until an envelope contained it; undefined: none does. */
  readonly createdMs?: number | undefined;
  /** Of the envelope that contains it. */
  readonly receipt?: Receipt | undefined;
  /** The browser did not send it because of a rate limit that the ingest has announced. */
  readonly isLimited?: boolean | undefined;
  /** From the answer until the inbox returned it, and the envelope's id there. */
  readonly found?: { readonly ms: number; readonly envelope: number } | undefined;
}

/** Evidence about the page and its surroundings. */
export interface Circumstances {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser sends envelopes: a path, or "direct to the ingest". */
  readonly route: string;
  readonly phase: "waiting" | "loading" | "running" | "failed";
  /** Why telemetry failed. */
  readonly reason?: string | undefined;
  readonly recorder: "waiting" | "buffering" | "recording" | "off" | "failed";
  readonly isOnline: boolean;
  /** The receipt of an envelope that fails: others wait until it is sent. */
  readonly ahead?: Receipt | undefined;
  /** No more evidence will come: what is missing has failed. */
  readonly isOver: boolean;
  /** Whether recordings are not compressed. */
  readonly isUncompressed?: boolean | undefined;
  /** Why the browser does not store envelopes; undefined: it does, or was not asked. */
  readonly storageProblem?: string | undefined;
  /** Whether the other end answers other requests; undefined: not asked. */
  readonly isReachable?: boolean | undefined;
  /** Why the inbox could not be asked. */
  readonly inboxProblem?: string | undefined;
}

/** What is known of one signal. */
export type Situation = SignalEvidence & Circumstances & { readonly signal: Signal };

/** Why a step can fail. The texts are for the owner of a deployment: what was observed, and what to change. */
export interface Cause {
  readonly step: Step;
  /** Nothing is lost, but nothing has arrived either. */
  readonly isWarning?: boolean;
  /** The signal takes further steps nevertheless. */
  readonly goesOn?: boolean;
  readonly applies: (situation: Situation) => boolean;
  readonly cause: (situation: Situation) => string;
  readonly fix: (situation: Situation) => string;
}

const quoted = (detail: string | undefined) => detail ? ` It reports: “${detail}”` : "";
const isDirect = ({ route }: Situation) => !route.startsWith("/");
const target = (situation: Situation) =>
  isDirect(situation) ? "the ingest" : `the server’s ${situation.route}`;
const isMissing = ({ off, createdMs, isLimited }: Situation) =>
  off === undefined && createdMs === undefined && !isLimited;

/** Whether it was sent, and the browser got no answer. */
export const isUnanswered = ({ attempts, status, outcome, error }: Receipt): boolean =>
  attempts > 0 && status === undefined && outcome === undefined && error !== undefined;

const isWaiting = ({ attempts, outcome }: Receipt) => attempts === 0 && outcome === undefined;

/** Whether its request, or that of the envelope before it, got no answer. */
function hasNoAnswer({ receipt, ahead, isOver }: Situation): boolean {
  if (receipt === undefined) return false;
  if (!isWaiting(receipt)) return isUnanswered(receipt);
  // Not before the end: the next attempt of the envelope before it may succeed.
  return isOver && (ahead === undefined || isUnanswered(ahead));
}

const NOT_GRANTED = {
  cause: () => "This browser may not send such signals: consent is withdrawn, or not granted yet.",
  fix: () => "Grant it in Settings, under Consent, and run the proof again.",
};
const LIMITED = {
  cause: ({ receipt }: Situation) =>
    `The ingest limits the rate of such signals.${quoted(receipt?.error)}`,
  fix: () =>
    "Wait until the limit ends; check quota, spike protection and the key’s rate limit in Sentry.",
};

/** The causes in their order: of each step the first one that applies is named. */
export const CAUSES: readonly Cause[] = [
  {
    step: "made",
    isWarning: true,
    applies: ({ off }) => off === "no consent",
    ...NOT_GRANTED,
  },
  {
    step: "made",
    applies: (s) => isMissing(s) && (s.phase === "failed" || s.isOver && s.phase !== "running"),
    cause: ({ phase, reason }) =>
      phase === "failed"
        ? `Telemetry did not start.${quoted(reason)}`
        : "Telemetry has not started: it waits until the page has loaded and is idle.",
    fix: () => "Allow this page’s own scripts, reload the page and run the proof again.",
  },
  {
    step: "made",
    isWarning: true,
    applies: (s) => isMissing(s) && s.isSampled === false,
    cause: () => "The signal was not sampled, so it is not sent.",
    fix: () => "Run the proof again, or raise the sample rate in monitoring/settings.ts.",
  },
  {
    step: "made",
    applies: (s) =>
      isMissing(s) && s.signal === "recording" &&
      (s.recorder === "failed" || s.isOver && s.recorder === "waiting"),
    cause: () => "The recorder did not load, or stopped after a segment was refused.",
    fix: () =>
      "Allow this page’s own scripts, fix what refuses the other signals, reload the page.",
  },
  {
    step: "made",
    applies: (s) => isMissing(s) && s.isOver,
    cause: () => "The SDK created no envelope with this signal.",
    fix: () => "Reload the page and run the proof again.",
  },
  {
    step: "made",
    goesOn: true,
    applies: ({ signal, isUncompressed }) => signal === "recording" && isUncompressed === true,
    cause: () => "The recorder’s worker does not start: recordings are not compressed.",
    fix: () =>
      "Pass Sightglass’s own Content-Security-Policy on unchanged, or add worker-src 'self' where a " +
      "proxy replaces it; allow workers in the browser.",
  },
  { step: "sent", applies: ({ isLimited }) => isLimited === true, ...LIMITED },
  {
    step: "sent",
    isWarning: true,
    applies: ({ receipt }) => receipt?.outcome === "withdrawn",
    ...NOT_GRANTED,
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && !s.isOnline,
    cause: () => "The browser is offline.",
    fix: () => "Connect to the network. Envelopes wait in this browser and are then sent.",
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && s.isReachable === true,
    cause: (s) => `Requests to ${target(s)} are blocked in the browser: others are answered.`,
    fix: (s) =>
      isDirect(s)
        ? "Allow them in the content blocker, or set SENTRY_TUNNEL=always: they then go to the page’s " +
          "own origin."
        : "Allow them in the content blocker, or set MONITORING_PATH to another path.",
  },
  {
    step: "sent",
    applies: (s) => hasNoAnswer(s) && s.isReachable === false,
    cause: (s) =>
      isDirect(s)
        ? "The browser cannot reach the ingest, to which it sends directly."
        : "The server that served this page does not answer.",
    fix: (s) =>
      isDirect(s)
        ? "Check that the ingest runs and its address is right, or set SENTRY_TUNNEL=always: the relay " +
          "then keeps envelopes while it is down."
        : "Start it, and check the network and the proxies between.",
  },
  {
    step: "sent",
    applies: ({ receipt, isOver }) =>
      receipt?.outcome === "dropped" && receipt.status === undefined ||
      isOver && (receipt === undefined || isWaiting(receipt) || isUnanswered(receipt)),
    cause: ({ receipt, ahead }) =>
      receipt?.outcome === "dropped"
        ? `The browser discarded the envelope.${quoted(receipt.error)}`
        : `The envelope was not sent in time, or waits behind others.${
          ahead?.status === undefined ? "" : ` One of them was answered with ${ahead.status}.`
        }${quoted(ahead?.error)}`,
    fix: () => "Let the browser send what waits, then run the proof again.",
  },
  {
    step: "sent",
    goesOn: true,
    applies: ({ receipt, storageProblem }) =>
      receipt !== undefined && receipt.attempts > 0 && receipt.storedMs === undefined &&
      storageProblem !== undefined,
    cause: ({ storageProblem }) =>
      `This browser ${storageProblem}: envelopes are in memory only and would be lost with the page.`,
    fix: () =>
      "Allow the browser to store data of this site (private windows and settings can forbid it), and " +
      "free disk space.",
  },
  {
    step: "answered",
    isWarning: true,
    applies: ({ receipt }) => receipt?.outcome === "handed_over",
    cause: () => "Another tab of this browser sent the envelope and has its result.",
    fix: () => "Close other tabs of this page and run the proof again.",
  },
  {
    step: "answered",
    applies: ({ receipt, isOver }) => isOver && receipt?.status === undefined,
    cause: (s) => `No answer from ${target(s)} in time.`,
    fix: () =>
      "Check the server’s load and its log; RELAY_TIMEOUT_MS bounds its wait for the ingest.",
  },
  { step: "answered", applies: ({ receipt }) => receipt?.status === 429, ...LIMITED },
  {
    step: "answered",
    applies: ({ receipt }) => (receipt?.status ?? 0) >= 500,
    cause: (s) =>
      isDirect(s)
        ? `The ingest answers ${s.receipt?.status}.`
        : `The server could neither deliver nor store the envelope (${s.receipt?.status}), or a proxy ` +
          `answered in its place.${quoted(s.receipt?.error)}`,
    fix: (s) =>
      isDirect(s)
        ? "Check the ingest. The browser keeps the envelope and sends it again."
        : "Check the disk of DATA_DIR, SPOOL and SPOOL_MAX_BYTES. The browser keeps the envelope.",
  },
  {
    step: "answered",
    applies: (s) =>
      !isDirect(s) && s.receipt?.status !== undefined && s.receipt.outcome === undefined,
    cause: ({ route, receipt }) =>
      `Something other than Sightglass answered ${route} with ${receipt?.status}.`,
    fix: ({ route }) => `Let every proxy pass ${route} and its response headers on to Sightglass.`,
  },
  {
    step: "answered",
    applies: ({ receipt }) => (receipt?.status ?? 0) >= 300,
    cause: ({ receipt }) =>
      `The envelope was refused with ${receipt?.status}.${quoted(receipt?.error)}`,
    fix: (s) =>
      "Reload the page: it may be older than the server’s configuration. " +
      (isDirect(s)
        ? "Check that SENTRY_DSN names an existing project and an enabled key."
        : "Check that SENTRY_DSN names an existing project and an enabled key and is the same at all " +
          "servers, that SENTRY_ALLOWED_DSNS has the page’s DSN, and PUBLIC_ORIGIN its origin."),
  },
  {
    step: "answered",
    isWarning: true,
    applies: ({ receipt }) => receipt?.outcome === "spooled",
    cause: () =>
      "The ingest does not answer: the relay keeps the envelope in its spool. It has not arrived yet.",
    fix: () =>
      "Nothing is lost; the relay delivers it once the ingest answers. Check the ingest, the relay’s " +
      "way to it (HTTPS_PROXY, RELAY_UPSTREAM) and the answer of GET /monitoring.",
  },
  {
    step: "answered",
    isWarning: true,
    applies: ({ receipt, variant }) => receipt?.outcome === "duplicate" && variant === "relay",
    cause: () =>
      "An earlier attempt reached the relay, but its answer was lost: the ingest or the relay’s spool " +
      "has the envelope.",
    fix: () => "Run the proof again.",
  },
  {
    step: "found",
    applies: ({ found, isOver, inboxProblem }) => !found && isOver && inboxProblem !== undefined,
    cause: ({ inboxProblem }) => `The inbox cannot be read.${quoted(inboxProblem)}`,
    fix: () =>
      "Enter the INBOX_TOKEN in one of the lists, or give it to deno task prove in its environment.",
  },
  {
    step: "found",
    applies: ({ found, isOver, variant }) => !found && isOver && variant === "inbox",
    cause: () => "The relay reported the envelope as stored, and the inbox does not have it.",
    fix: () =>
      "If several servers answer at this address, give them one inbox. Else check the disk of DATA_DIR.",
  },
];
