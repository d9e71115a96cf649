import { useEffect, useSyncExternalStore } from "react";
import { describeOutcome } from "../../components/outcome.ts";
import {
  type HealthReport as RelayReport,
  OUTCOMES,
  type SpoolReport,
} from "../../monitoring/protocol/relay_api.ts";
import type { Flow } from "../shared/flow.ts";
import { Store } from "../shared/store.ts";
import { snapshot as flowSnapshot, subscribe as onFlow } from "../shared/use_flow.ts";

/** The relay's health report, about all senders. */
interface RelayHealth {
  /** Of all senders. Undefined: it was not reported. */
  readonly spool?: SpoolReport | undefined;
  /** Since the server started. Undefined: not reported. */
  readonly totals?: SenderTotals | undefined;
}

/** A health report, and when it was read, milliseconds since 1970. */
export interface HealthReport extends RelayHealth {
  readonly readAt: number;
}

/** How all senders' envelopes ended. */
export interface SenderTotals {
  /** Delivered to the ingest, or stored in the inbox. */
  readonly accepted: number;
  /** Will not be tried again. */
  readonly refused: number;
  /** The same by outcome; omits outcomes that did not occur. */
  readonly reasons: readonly { readonly word: string; readonly count: number }[];
}

/** The relay's outcomes (`X-Relay-Outcome`) of envelopes that are not tried again. */
const REFUSALS = OUTCOMES.filter((outcome) => describeOutcome({ outcome }).kind === "refused");

/** Pause after the first report of spooled envelopes; doubles with each further one. */
const FIRST_PAUSE_MS = 2_000;
/** Longest pause: a visible page shows soon that the ingest is available again. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Reads the relay's health (`GET /monitoring`).
 *
 * @param health its JSON; a proxy may have answered in its place
 */
export function readHealth(health: unknown): RelayHealth {
  const { is_healthy, spool, outcomes } = Object(health) as Partial<RelayReport>;
  if (is_healthy === undefined || outcomes === undefined) return {};
  const reasons = REFUSALS.map((outcome) => ({
    word: describeOutcome({ outcome }).word,
    count: outcomes[outcome],
  })).filter(({ count }) => count > 0);
  const refused = reasons.reduce((sum, { count }) => sum + count, 0);
  return { spool, totals: { accepted: outcomes.delivered + outcomes.stored, refused, reasons } };
}

/**
 * Pause until the next request for the health of a relay that holds spooled envelopes.
 *
 * @param asked number of requests since the last activity, from 1 on
 * @returns milliseconds
 */
export function healthPauseMs(asked: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(asked - 1, 30));
}

/** Collects the envelopes of one burst: one request for all of them. */
const BURST_MS = 1_000;
/** The relay answers health from memory, so a longer wait means that there is no answer. */
const TIMEOUT_MS = 10_000;

/*
 * Requests the relay's health when there may be something new to see: after envelopes of this page
 * ended, when the window is shown or focused, and, in growing pauses, while the relay has spooled
 * envelopes. An idle page requests nothing. The state outlives the component, which a navigation
 * creates again.
 */
const latest = new Store<HealthReport | undefined>(undefined);
let path: string | undefined;
let lastFlow: Flow | undefined;
/** Requests since the last activity. */
let requests = 0;
let isScheduled = false;
/** Identifies the newest request: answers to older ones are ignored. */
let newestRequest: symbol | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/**
 * The relay's health as it was last read; undefined: not read yet.
 *
 * @param route where envelopes are posted; if it is not a path, there is no relay
 */
export function useRelayHealth(route: string): HealthReport | undefined {
  useEffect(() => {
    if (!route.startsWith("/")) return;
    if (path === undefined) watchActivity();
    path = route;
    if (latest.snapshot() === undefined) requestSoon();
  }, [route]);
  return useSyncExternalStore(latest.subscribe, latest.snapshot, () => undefined);
}

function watchActivity(): void {
  lastFlow = flowSnapshot().flow;
  onFlow(onFlowChange);
  addEventListener("focus", requestSoon);
  document.addEventListener("visibilitychange", requestSoon);
}

function onFlowChange(): void {
  const { flow } = flowSnapshot();
  if (flow === lastFlow) return;
  lastFlow = flow;
  // The report of an empty spool is older than this spooled envelope.
  const report = latest.snapshot();
  if (flow.spoolingSince !== undefined && report?.spool?.pending === 0) {
    latest.set({ ...report, spool: undefined });
  }
  requestSoon();
}

/** Schedules a request after activity, and resets the pauses. */
function requestSoon(): void {
  requests = 0;
  if (isScheduled && !document.hidden) return;
  clearTimeout(timer);
  // A hidden page requests it when it is shown again.
  isScheduled = path !== undefined && !document.hidden;
  if (isScheduled) timer = setTimeout(() => void request(), BURST_MS);
}

async function request(): Promise<void> {
  isScheduled = false;
  clearTimeout(timer);
  // A hidden page requests it when it is shown again.
  if (path === undefined || document.hidden) return;
  const id = newestRequest = Symbol();
  requests += 1;
  const health = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => response.json())
    .then(readHealth)
    // Offline, or a proxy answered: the next pause is longer.
    .catch(() => undefined);
  if (newestRequest !== id) return;
  // While the spool is filled or drained, its number is followed closely.
  const before = latest.snapshot();
  if (health && health.spool?.pending !== before?.spool?.pending) requests = 1;
  if (health) latest.set({ ...health, readAt: Date.now() });
  const hasSpooled = health
    ? (health.spool?.pending ?? 0) > 0
    : lastFlow?.spoolingSince !== undefined || (before?.spool?.pending ?? 0) > 0;
  if (hasSpooled && !isScheduled && !document.hidden) {
    timer = setTimeout(() => void request(), healthPauseMs(requests));
  }
}
