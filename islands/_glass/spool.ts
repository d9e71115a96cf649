import { useEffect, useSyncExternalStore } from "react";
import { readSpool, spoolPauseMs, type SpoolReading } from "../../components/spool_reading.ts";
import { snapshot as flowSnapshot, subscribe as onFlow } from "./flow.ts";

/*
 * Asks the relay what its spool holds: after one of our envelopes went into it or the first one
 * after that did not, and then, in pauses that grow, as long as something waits there. A page of
 * which nothing was ever spooled never asks.
 */
let reading: SpoolReading | undefined;
let path: string | undefined;
let told = { spooled: 0, isSpooling: false };
/** Since something happened. */
let asked = 0;
/** Names the newest question: the answer to an older one comes too late. */
let question: symbol | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function notice(): void {
  const { spooled, spoolingSince } = flowSnapshot().flow;
  const isSpooling = spoolingSince !== undefined;
  if (path === undefined) return;
  if (spooled === told.spooled && isSpooling === told.isSpooling) return;
  told = { spooled, isSpooling };
  if (isSpooling && reading?.pending === 0) tell(undefined);
  look();
}

function tell(next: SpoolReading | undefined): void {
  reading = next;
  for (const listener of listeners) listener();
}

/** Something happened: the pauses begin anew. */
function look(): void {
  asked = 0;
  void ask();
}

async function ask(): Promise<void> {
  clearTimeout(timer);
  // A hidden page has nobody to tell; it asks when it is shown again.
  if (path === undefined || document.hidden) return;
  const mine = question = Symbol();
  asked += 1;
  const next = await fetch(path, { cache: "no-store" })
    .then((response) => response.json())
    .then(readSpool)
    // Offline, or somebody else answered: the pause before the next question is longer.
    .catch(() => undefined);
  if (question !== mine) return;
  if (next) tell(next);
  if (next?.pending !== 0) timer = setTimeout(() => void ask(), spoolPauseMs(asked));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

onFlow(notice);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && told.spooled > 0 && reading?.pending !== 0) look();
});

/**
 * What the relay's spool holds; undefined: there was no reason to ask yet.
 *
 * @param route where envelopes are posted to, which also tells how the relay is
 */
export function useSpool(route: string): SpoolReading | undefined {
  useEffect(() => {
    path = route;
    notice();
  }, [route]);
  return useSyncExternalStore(subscribe, () => reading, () => undefined);
}
