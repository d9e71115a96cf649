import { QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Store } from "./store.ts";
import { inboxState } from "./inbox_state.ts";
import { follow } from "./read.ts";

/**
 * Pause after the queries were answered, in multiples of the time that it took: the server reads lists for all consoles
 * one after the other, and takes no envelopes meanwhile. So a console takes at most a tenth of the server's time.
 */
const PAUSE = 9;
/** People cannot read numbers that change more often. */
const MIN_PAUSE_MS = 250;
/** An answer that takes longer than a second is slow because of the network, or was not received at all. */
const MAX_PAUSE_MS = 10_000;

/** First part of the key of a query whose answer changes with what arrives. */
export const LIVE = "live";

/**
 * The answers to the page's queries. They are read once, and those whose key begins with {@linkcode LIVE} again when the
 * inbox changes, see {@linkcode startReading}.
 */
export const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Infinity,
      retry: false,
      // `navigator.onLine` is meaningless for a server on localhost.
      networkMode: "always",
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
    },
  },
});

/** Whether the user has paused the lists of all views. */
const paused = new Store(false);

/** The version of the inbox that was read last, and whether it answered. */
const read = { version: 0, isLive: false };
let isReading = false;
/** By `performance.now`. */
let mayReadAt = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads the live queries of visible views again when the inbox changes. Further calls do nothing. */
export function startReading(): void {
  inboxState.subscribe(readChanges);
  follow();
}

/** At a pace that the server can answer. */
function readChanges(): void {
  const { version, state } = inboxState.snapshot();
  const isLive = state === "live";
  if (isLive && !read.isLive) void retryFailed();
  read.isLive = isLive;
  if (isReading || !isLive || paused.snapshot()) return;
  if (version === read.version) return;
  const wait = mayReadAt - performance.now();
  clearTimeout(timer);
  if (wait > 0) {
    timer = setTimeout(readChanges, wait);
    return;
  }
  read.version = version;
  void readAgain();
}

async function readAgain(): Promise<void> {
  isReading = true;
  const startedAt = performance.now();
  await client.invalidateQueries({ queryKey: [LIVE] });
  isReading = false;
  const now = performance.now();
  const pause = Math.min(PAUSE * (now - startedAt), MAX_PAUSE_MS);
  mayReadAt = now + Math.max(pause, MIN_PAUSE_MS);
  readChanges();
}

/** Reads again what could not be read. */
export function retryFailed(): Promise<void> {
  return client.refetchQueries({
    predicate: ({ state }) => state.status === "error",
    type: "active",
  });
}

/** Keeps everything as it is now. */
export function pauseLists(): void {
  paused.set(true);
  if (!isReading) return;
  read.version = 0;
  // Running requests would replace the values. Queries without a value continue.
  void client.cancelQueries({
    queryKey: [LIVE],
    predicate: ({ state }) => state.data !== undefined,
  });
}

/** Makes the rows follow the inbox again. */
export function resumeLists(): void {
  paused.set(false);
  readChanges();
}

export const useIsPaused = (): boolean => useSyncExternalStore(paused.subscribe, paused.snapshot);
