import { useEffect, useSyncExternalStore } from "react";
import { healthPauseMs, readHealth, type RelayHealth } from "./relay_health.ts";
import { snapshot as flowSnapshot, subscribe as onFlow } from "../shared/use_flow.ts";

/** The relay's health, and when it was read, in milliseconds since the epoch. */
export interface HealthReading extends RelayHealth {
  readonly at: number;
}

/** Collects the envelopes of one burst: one request for all of them. */
const BURST_MS = 1_000;
/** The relay answers health from memory, so a longer wait is no answer. */
const TIMEOUT_MS = 10_000;

/*
 * Asks the relay for its health when a person may see something new: after envelopes of this page
 * ended, when the window is shown or focused, and, in pauses that grow, while its spool holds
 * something. An idle page asks nothing.
 */
let reading: HealthReading | undefined;
let path: string | undefined;
let noticed = flowSnapshot().flow;
/** Requests since the last activity. */
let asked = 0;
/** Whether a request is scheduled. */
let isDue = false;
/** Identifies the newest request: answers to older ones are ignored. */
let newestRequest: symbol | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function notice(): void {
  const { flow } = flowSnapshot();
  if (flow === noticed) return;
  noticed = flow;
  // The spool was empty before this envelope went into it.
  if (flow.spoolingSince !== undefined && reading?.spool?.pending === 0) {
    show({ ...reading, spool: undefined });
  }
  look();
}

function show(next: HealthReading): void {
  reading = next;
  for (const listener of listeners) listener();
}

/** Schedules a request after activity, and resets the pauses. */
function look(): void {
  asked = 0;
  if (isDue || path === undefined || document.hidden) return;
  isDue = true;
  clearTimeout(timer);
  timer = setTimeout(() => void ask(), BURST_MS);
}

async function ask(): Promise<void> {
  isDue = false;
  clearTimeout(timer);
  // A hidden page asks when it is shown again.
  if (path === undefined || document.hidden) return;
  const request = newestRequest = Symbol();
  asked += 1;
  const health = await fetch(path, { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT_MS) })
    .then((response) => response.json())
    .then(readHealth)
    // Offline, or a proxy answered: the pause before the next request is longer.
    .catch(() => undefined);
  if (newestRequest !== request) return;
  if (health) show({ ...health, at: Date.now() });
  const isKeeping = health
    ? (health.spool?.pending ?? 0) > 0
    : noticed.spoolingSince !== undefined || (reading?.spool?.pending ?? 0) > 0;
  if (isKeeping && !isDue) timer = setTimeout(() => void ask(), healthPauseMs(asked));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

onFlow(notice);
addEventListener("focus", look);
document.addEventListener("visibilitychange", look);

/**
 * The relay's health as it was last read; undefined: not yet.
 *
 * @param route where envelopes are posted; if it is not a path, there is no relay to ask
 */
export function useHealth(route: string): HealthReading | undefined {
  useEffect(() => {
    if (!route.startsWith("/")) return;
    path = route;
    if (reading === undefined) look();
  }, [route]);
  return useSyncExternalStore(subscribe, () => reading, () => undefined);
}
