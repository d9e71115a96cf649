import { type Query, QueryClient } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Store } from "./store.ts";
import { sessionData } from "../../monitoring/browser/mod.ts";
import { createInboxApi } from "./inbox_api.ts";
import { type Api, api, type ApiState, setApi } from "./api.ts";

/**
 * Pause after the queries were answered, in multiples of the time that it took: the server reads lists for all consoles
 * one after the other, and takes no envelopes meanwhile. So a console takes at most a tenth of the server's time.
 */
const PAUSE = 9;
/** People cannot read numbers that change more often. */
const MIN_PAUSE_MS = 250;
/** An answer that takes longer than a second is slow because of the network, or was not received at all. */
const MAX_PAUSE_MS = 10_000;
/** A user who points at a row clicks it within this time, mostly. */
const HOLD_MS = 1_000;

/** First part of the key of a query whose answer changes with what arrives. */
export const LIVE = "live";
/** Second part of the key of a list's rows, which are held while the user points at them. */
export const ROWS = "rows";

/**
 * The answers to the page's queries. They are read once, and those whose key begins with {@linkcode LIVE} again when the
 * API changes, see {@linkcode startReading}.
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

/** The API's state when the user paused the lists; undefined: not paused. All views share it. */
const paused = new Store<ApiState | undefined>(undefined);

/** The version of the API that was read last, and whether the API answered. */
const read = { version: 0, isLive: false };
/** Rows were held while the rest was read. */
let areRowsDue = false;
let isReading = false;
/** By `performance.now`. */
let mayReadAt = 0;
let heldUntil = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
/** The answer of the first call of {@linkcode startReading}; a failure is forgotten. */
let started: Promise<void> | undefined;

/**
 * Opens the API of the page, once, and reads the live queries of visible views again when it changes.
 *
 * @param variant `inbox`: reads the inbox; `relay`: what this page has sent, as the page cannot read what the ingest has
 */
export function startReading(variant: string): Promise<void> {
  return started ??= openApi(variant).then(
    (opened) => {
      setApi(opened);
      opened.subscribe(readChanges);
    },
    (error) => {
      started = undefined;
      throw error;
    },
  );
}

async function openApi(variant: string): Promise<Api> {
  if (variant === "inbox") return createInboxApi("/monitoring/inbox");
  // Most pages are of an inbox and do not need this code.
  const { createThisPageApi } = await import("./this_page_api.ts");
  // The views that need more are not opened in relay mode.
  return createThisPageApi(sessionData) as Api;
}

/** At a pace that the server can answer. */
function readChanges(): void {
  const { version, state } = api.snapshot();
  const isLive = state === "live";
  if (isLive && !read.isLive) void retryFailed();
  read.isLive = isLive;
  if (isReading || !isLive || paused.snapshot()) return;
  const isNew = version !== read.version;
  if (!isNew && !areRowsDue) return;
  const now = performance.now();
  const wait = (isNew ? mayReadAt : Math.max(mayReadAt, heldUntil)) - now;
  clearTimeout(timer);
  if (wait > 0) {
    timer = setTimeout(readChanges, wait);
    return;
  }
  read.version = version;
  areRowsDue = now < heldUntil;
  void readAgain(areRowsDue ? isNoList : undefined);
}

async function readAgain(predicate: ((query: Query) => boolean) | undefined): Promise<void> {
  isReading = true;
  const startedAt = performance.now();
  await client.invalidateQueries({ queryKey: [LIVE], ...predicate && { predicate } });
  isReading = false;
  const now = performance.now();
  const pause = Math.min(PAUSE * (now - startedAt), MAX_PAUSE_MS);
  mayReadAt = now + Math.max(pause, MIN_PAUSE_MS);
  readChanges();
}

const isNoList = ({ queryKey }: Query) => queryKey[1] !== ROWS;
const hasFailed = ({ state }: Query) => state.status === "error";

/** Reads again what could not be read. */
export function retryFailed(): Promise<void> {
  return client.refetchQueries({ predicate: hasFailed, type: "active" });
}

/** Keeps all rows in place for a second, so that none moves while the user points at it. */
export function hold(): void {
  heldUntil = performance.now() + HOLD_MS;
  if (!isReading) return;
  areRowsDue = true;
  dropAnswers([LIVE, ROWS]);
}

/** Keeps everything as it is at this state. */
export function pauseLists(state: ApiState): void {
  paused.set(state);
  if (!isReading) return;
  read.version = 0;
  dropAnswers([LIVE]);
}

/** Makes the rows follow the API again. */
export function resumeLists(): void {
  paused.set(undefined);
  readChanges();
}

/** The state at which the lists are paused; undefined: not paused. */
export function usePausedState(): ApiState | undefined {
  return useSyncExternalStore(paused.subscribe, paused.snapshot);
}

/** Cancels running requests, which would replace the current values. Queries without a value continue. */
function dropAnswers(queryKey: readonly string[]): void {
  void client.cancelQueries({ queryKey, predicate: ({ state }) => state.data !== undefined });
}

/** The API's state; renders the component again when it changes. */
export function useApiState(): ApiState {
  return useSyncExternalStore(api.subscribe, api.snapshot);
}
