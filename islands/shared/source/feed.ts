import { FeedRows } from "./feed_rows.ts";
import { askInbox, SILENCE_MS } from "./ask_inbox.ts";
import { type InboxRow, MAX_PAGE_ROWS, parseRow } from "../../../monitoring/protocol/inbox_row.ts";

export interface InboxFeedState {
  /** `forbidden`: not before {@linkcode InboxFeed.authorize}. `offline`: no answer; it is tried again. */
  readonly state: "connecting" | "live" | "forbidden" | "offline";
  /** Newest first. */
  readonly rows: readonly InboxRow[];
  /** Envelopes that arrived since the inbox was last emptied; also those that are no longer among `rows`. */
  readonly total: number;
  /** False: the server's disk is full or not writable. */
  readonly canStore: boolean;
}

/** The inbox's rows in a page, made for `useSyncExternalStore`. */
export interface InboxFeed {
  /** Calls back after each change; gives the function that ends it. The first subscriber starts the feed. */
  subscribe(listener: () => void): () => void;
  /** The same object until something changes. */
  snapshot(): InboxFeedState;
  /** Empties the inbox. Rejects with the server's sentence if it refuses. */
  clear(): Promise<void>;
  /** Shows the server `INBOX_TOKEN`; true if it is right: the browser then has a cookie, and all tabs go on. */
  authorize(token: string): Promise<boolean>;
  close(): void;
}

/** Waits after the first, second, … failure in a row; they double up to the last. */
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;
/** Rows that come together are shown together: no more than one frame late, no more than one rendering for each. */
const SHOW_MS = 16;

/** Between the tabs of a browser. `after`: the leader's cursor before these rows; who has less missed some. */
type Message =
  | { kind: "rows"; after: number; rows: readonly InboxRow[] }
  | { kind: "cleared"; cursor: number }
  | { kind: "state"; state: InboxFeedState["state"]; cursor: number; canStore: boolean }
  /** A tab was opened: the leader answers with its state. */
  | { kind: "opened" }
  | { kind: "authorized" };

class ForbiddenError extends Error {}

/**
 * A live list of what the inbox holds. A browser has six connections for one HTTP/1.1 host, and a stream takes one for
 * good: so the tabs share a single `EventSource`. The tab that holds the Web Lock leads: it has the stream and passes on
 * what comes by `BroadcastChannel`; the lock falls to the next tab when it closes. Every tab lists by itself what it
 * missed. Cursors tell: nothing is lost or doubled. Where locks or channels are missing, each tab leads itself.
 *
 * @param path of the inbox, `/monitoring/inbox`
 * @param options.keep the newest rows that are kept
 * @param options.silenceMs milliseconds without an answer after which a request fails
 */
export function createInboxFeed(
  path: string,
  { keep = 500, silenceMs = SILENCE_MS } = {},
): InboxFeed {
  const known = new FeedRows(keep);
  const listeners = new Set<() => void>();
  const lockWanted = new AbortController();
  const name = `sightglass ${path}`;
  let state: InboxFeedState["state"] = "connecting";
  let canStore = true;
  let shown: InboxFeedState = { state, rows: known.rows, total: 0, canStore };
  let channel: BroadcastChannel | undefined;
  let stream: EventSource | undefined;
  let releaseLock = () => {};
  let started = false;
  let closed = false;
  let leads = false;
  let loading = false;
  /** What the leader sent while this tab was loading. */
  const held: Message[] = [];
  let failures = 0;
  let retryTimer: ReturnType<typeof setTimeout> | undefined;
  let showTimer: ReturnType<typeof setTimeout> | undefined;
  /** Until the stream is open. */
  let silenceTimer: ReturnType<typeof setTimeout> | undefined;

  function show(): void {
    showTimer ??= setTimeout(() => {
      showTimer = undefined;
      shown = { state, rows: known.rows, total: known.total, canStore };
      for (const listener of listeners) listener();
    }, SHOW_MS);
  }

  function enter(next: InboxFeedState["state"]): void {
    state = next;
    if (next === "live") failures = 0;
    show();
    if (leads) channel?.postMessage({ kind: "state", state, cursor: known.cursor, canStore });
  }

  function publish(message: Message): void {
    apply(message);
    channel?.postMessage(message);
  }

  function apply(message: Message): void {
    if (message.kind === "cleared") {
      known.clear(message.cursor);
    } else if (message.kind === "rows") {
      if (message.after > known.cursor) return void load();
      known.add(message.rows);
    } else if (message.kind === "authorized") {
      return void load();
    } else if (message.kind === "opened") {
      if (leads) enter(state);
    } else if (!leads) {
      canStore = message.canStore;
      // A tab that has not listed yet, or less than the leader has, lists; else it believes the leader.
      const behind = state === "forbidden" || message.cursor > known.cursor;
      if (message.state === "live" && behind) return void load();
      state = message.state;
    }
    show();
  }

  function receive(message: Message): void {
    if (!loading || message.kind === "cleared") return apply(message);
    held.push(message);
    // Who lost the oldest is behind, finds out by `after`, and lists again.
    if (held.length > keep) held.shift();
  }

  async function list(since: number, limit = MAX_PAGE_ROWS) {
    const response = await askInbox(`${path}?since=${since}&limit=${limit}`, silenceMs);
    if (response.status === 403) throw new ForbiddenError();
    if (!response.ok) throw new Error(`The inbox answered ${response.status}.`);
    const { cursor, envelopes } = await response.json();
    return {
      cursor: Number(cursor),
      rows: (envelopes as unknown[]).map(parseRow).filter((row) => row !== undefined),
    };
  }

  /** Lists everything after the cursor; of more than one answer holds only the newest that are kept. */
  async function catchUp(): Promise<void> {
    for (;;) {
      const after = known.cursor;
      const { cursor, rows } = await list(after);
      if (cursor < after) {
        // The server's file was deleted, its ids begin again.
        publish({ kind: "cleared", cursor: 0 });
        continue;
      }
      known.add(rows, cursor);
      if (leads && rows.length > 0) channel?.postMessage({ kind: "rows", after, rows });
      if (rows.length < MAX_PAGE_ROWS) return;
      const end = await list(Number.MAX_SAFE_INTEGER, 1);
      known.skipTo(end.cursor - keep);
    }
  }

  async function load(): Promise<void> {
    if (loading || closed) return;
    loading = true;
    clearTimeout(retryTimer);
    try {
      await catchUp();
      if (closed) return;
      // The leader is live once its stream is open.
      if (leads) open();
      else enter("live");
    } catch (error) {
      fail(error instanceof ForbiddenError ? "forbidden" : "offline");
    }
    loading = false;
    for (const message of held.splice(0)) apply(message);
  }

  function open(): void {
    stream?.close();
    const source = stream = new EventSource(`${path}?since=${known.cursor}`);
    const giveUp = () => {
      // EventSource retries at a fixed interval, never after a refusal, and does not distinguish the two.
      source.close();
      clearTimeout(silenceTimer);
      fail("offline");
    };
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(giveUp, silenceMs);
    source.onopen = () => {
      clearTimeout(silenceTimer);
      // The stream reports only what differs from this.
      canStore = true;
      enter("live");
    };
    source.addEventListener("envelope", ({ data }) => {
      const row = parseRow(JSON.parse(data));
      if (row) publish({ kind: "rows", after: known.cursor, rows: [row] });
    });
    source.addEventListener("cleared", ({ lastEventId }) => {
      publish({ kind: "cleared", cursor: Number(lastEventId) });
    });
    source.addEventListener("storage", ({ data }) => {
      canStore = JSON.parse(data).writable !== false;
      enter(state);
    });
    source.onerror = giveUp;
  }

  function fail(next: "forbidden" | "offline"): void {
    if (closed) return;
    enter(next);
    if (next === "forbidden") return;
    const wait = Math.min(FIRST_RETRY_MS * 2 ** failures++, LAST_RETRY_MS);
    // Spread, so that many browsers do not come back to a restarted server at once.
    retryTimer = setTimeout(load, wait * (0.5 + Math.random() / 2));
  }

  function lead(): void {
    leads = true;
    if (state === "live") open();
    else load();
  }

  function start(): void {
    started = true;
    load();
    const { locks } = navigator;
    if (!locks || typeof BroadcastChannel === "undefined") return lead();
    channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }) => receive(data);
    channel.postMessage({ kind: "opened" });
    locks.request(name, { signal: lockWanted.signal }, () => {
      if (closed) return;
      lead();
      return new Promise<void>((resolve) => releaseLock = resolve);
    }).catch(() => {
      // Closed before the lock came; or locks are forbidden here, and the tab leads itself.
      if (!closed) lead();
    });
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      if (!started && !closed) start();
      return () => listeners.delete(listener);
    },
    snapshot: () => shown,
    async clear() {
      const { cursor } = known;
      const response = await fetch(path, { method: "DELETE" });
      if (!response.ok) throw new Error((await response.json()).detail);
      // The stream says so as well, if it is open, and names the exact place.
      if (cursor > 0) publish({ kind: "cleared", cursor });
    },
    async authorize(token) {
      try {
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(`${path}?limit=1`, { headers });
        await response.body?.cancel();
        if (response.ok) publish({ kind: "authorized" });
        return response.ok;
      } catch {
        // No server, or a token that no header can carry.
        return false;
      }
    },
    close() {
      closed = true;
      lockWanted.abort();
      releaseLock();
      stream?.close();
      channel?.close();
      clearTimeout(retryTimer);
      clearTimeout(showTimer);
      clearTimeout(silenceTimer);
    },
  };
}
