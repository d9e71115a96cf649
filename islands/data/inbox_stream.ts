import type { GroupAlert } from "../../monitoring/models/error/error_row.ts";
import type { InboxClient } from "./inbox.ts";
import type { InboxState, InboxStateStore } from "./inbox_state.ts";
import type * as notifications from "./notifications.ts";

/** The part of `document` that is used. */
type Visibility = Pick<Document, "hidden" | "addEventListener">;

/** Shows alerts: new groups of errors, and regressions. */
type Notifications = Pick<
  typeof notifications,
  "isOn" | "areErrorsVisible" | "subscribe" | "show"
>;

/** Exponential backoff bounds of reconnections. */
const MIN_RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;

/** Maximum wait for another tab to answer that its user sees the errors. A visible tab answers within milliseconds. */
const SEEN_MS = 300;

/** Between tabs. */
type Message =
  | { readonly kind: "state"; readonly state: InboxState }
  /** A new tab asks for the leader's state. */
  | { readonly kind: "opened" }
  /** Asks the leader to connect again. */
  | { readonly kind: "reconnect" }
  /** The leader received an alert. A tab whose user sees the errors answers. */
  | { readonly kind: "alert" }
  | { readonly kind: "seen" };

class ForbiddenError extends Error {}

/**
 * Watches the inbox for changes. Its events are used as a signal only: what changed is read from the lists.
 *
 * A browser has at most six connections to an HTTP/1.1 host and a stream occupies one, so the tabs share one
 * `EventSource`. The tab that holds the Web Lock is the leader: it has the stream and sends its state to the
 * others by `BroadcastChannel`. When it closes or is hidden, the next tab gets the lock. A hidden tab has neither
 * stream, lock nor channel, so that nothing wakes it, unless it may have to show a notification. Without locks or
 * channels (insecure origins), each tab has a stream.
 *
 * @param notifications shows alerts in the tab with the stream
 * @returns connects again, in every tab: for when the browser is now allowed to read the inbox
 */
export function watchInbox(
  inbox: InboxClient,
  store: InboxStateStore,
  page: Visibility,
  notifications: Notifications,
): () => void {
  const { path, timeoutMs } = inbox;
  const name = `sightglass ${path}`;
  let isRunning = false;
  let isLeader = false;
  let isConnecting = false;
  let channel: BroadcastChannel | undefined;
  let stream: EventSource | undefined;
  let failures = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let openTimer: ReturnType<typeof setTimeout> | undefined;
  /** When a tab last answered that its user sees the errors, by `performance.now`. */
  let seenAt = -Infinity;
  let releaseLock = () => {};
  let stopSending = () => {};

  function startOrStop(): void {
    const isNeeded = !page.hidden || notifications.isOn();
    if (isNeeded === isRunning) return;
    isRunning = isNeeded;
    if (isNeeded) start();
    else stop();
  }

  function start(): void {
    const { locks } = navigator;
    if (!locks || typeof BroadcastChannel === "undefined") return lead();
    channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => receive(data);
    send({ kind: "opened" });
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const request = new AbortController();
    const { signal } = request;
    releaseLock = () => {
      request.abort();
      resolve();
    };
    const lock = () => {
      if (signal.aborted) return;
      lead();
      return released;
    };
    // Rejects also where locks are not allowed: then each tab has a stream.
    locks.request(name, { signal }, lock).catch(() => !signal.aborted && lead());
  }

  function stop(): void {
    isLeader = false;
    disconnect();
    stopSending();
    releaseLock();
    channel?.close();
    channel = undefined;
  }

  function lead(): void {
    isLeader = true;
    stopSending = store.subscribe(sendState);
    connect();
  }

  const send = (message: Message) => channel?.postMessage(message);
  const sendState = () => send({ kind: "state", state: store.snapshot() });

  function receive(message: Message): void {
    const { kind } = message;
    if (kind === "state" && !isLeader) store.update(message.state);
    else if (kind === "opened" && isLeader) sendState();
    else if (kind === "reconnect" && isLeader) connect();
    else if (kind === "alert" && notifications.areErrorsVisible()) send({ kind: "seen" });
    else if (kind === "seen") seenAt = performance.now();
  }

  /** Shows the news, unless the user sees the errors in any tab. */
  function notify(alert: GroupAlert): void {
    if (!notifications.isOn() || notifications.areErrorsVisible()) return;
    const askedAt = performance.now();
    send({ kind: "alert" });
    setTimeout(() => seenAt < askedAt && notifications.show(alert), SEEN_MS);
  }

  async function connect(): Promise<void> {
    if (isConnecting) return;
    isConnecting = true;
    disconnect();
    try {
      const { deleted, last } = await readExtent();
      if (isLeader) openStream(deleted, last);
    } catch (error) {
      if (error instanceof ForbiddenError) store.update({ state: "forbidden" });
      else retryLater();
    }
    isConnecting = false;
  }

  /** The ids of the newest envelope and of the last one before the oldest. Ids are consecutive. */
  async function readExtent(): Promise<{ deleted: number; last: number }> {
    const first = await readPage({ limit: 1 });
    if (first.oldest === undefined) return { deleted: first.cursor, last: first.cursor };
    const { cursor } = await readPage({ limit: 1, since: Number.MAX_SAFE_INTEGER });
    return { deleted: first.oldest - 1, last: cursor };
  }

  async function readPage(
    query: { readonly limit: number; readonly since?: number },
  ): Promise<{ cursor: number; oldest: number | undefined }> {
    const response = await inbox.get(query);
    // An `EventSource` does not report the status.
    if (response.status === 403) throw new ForbiddenError();
    if (!response.ok) throw new Error(`The inbox answered ${response.status}.`);
    const { cursor, envelopes } = await response.json();
    return { cursor: Number(cursor), oldest: envelopes[0]?.id };
  }

  function openStream(deleted: number, last: number): void {
    stream = new EventSource(`${path}?since=${last}`);
    openTimer = setTimeout(retryLater, timeoutMs);
    stream.onopen = () => {
      clearTimeout(openTimer);
      failures = 0;
      // The server sends `storage` only if it cannot store.
      store.changed({
        state: "live",
        liveUntil: undefined,
        total: last - deleted,
        canStore: true,
      });
    };
    stream.addEventListener("envelope", ({ lastEventId }) => {
      last = Number(lastEventId);
      store.changed({ total: last - deleted });
    });
    stream.addEventListener("cleared", ({ lastEventId }) => {
      last = deleted = Number(lastEventId);
      store.changed({ total: 0 });
    });
    stream.addEventListener("storage", ({ data }) => {
      store.update({ canStore: JSON.parse(data).writable !== false });
    });
    stream.addEventListener("refused", () => store.changed());
    stream.addEventListener("groups", () => store.changed());
    stream.addEventListener("alert", ({ data }) => notify(JSON.parse(data) as GroupAlert));
    // Not left to the browser: it retries at a fixed interval, and never after a refusal.
    stream.onerror = retryLater;
  }

  function retryLater(): void {
    disconnect();
    if (!isLeader) return;
    const { state, liveUntil = state === "live" ? Date.now() : undefined } = store.snapshot();
    store.update({ state: "offline", liveUntil });
    const wait = Math.min(MIN_RETRY_MS * 2 ** failures++, MAX_RETRY_MS);
    // Jitter, so that browsers do not reconnect to a restarted server all at once.
    retryTimer = setTimeout(connect, wait * (0.5 + Math.random() / 2));
  }

  function disconnect(): void {
    stream?.close();
    clearTimeout(openTimer);
    clearTimeout(retryTimer);
  }

  page.addEventListener("visibilitychange", startOrStop);
  notifications.subscribe(startOrStop);
  startOrStop();
  return () => void (isLeader ? connect() : send({ kind: "reconnect" }));
}
