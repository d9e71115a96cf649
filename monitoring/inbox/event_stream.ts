import type { Inbox } from "./inbox.ts";
import type { InboxQuery } from "./inbox_types.ts";
import type { GroupAlert } from "../models/error/error_row.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import type { Recent } from "./recent.ts";

/** Rows in one chunk: a slow reader keeps at most one in memory. */
const ROWS_PER_CHUNK = 100;
const RETRY_MS = 2_000;

interface EventStreamOptions extends Omit<InboxQuery, "limit"> {
  readonly refusals: Recent<Refusal>;
  readonly alerts: Recent<GroupAlert>;
  readonly signal: AbortSignal;
  readonly onEnd?: () => void;
}

/**
 * The inbox's rows after `since`, stored and then live, as server-sent events, which docs/contract.md lists
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Sends nothing while nothing changes.
 *
 * Stored and live rows are both read by cursor, when the reader takes them: none is missing or sent twice.
 */
export function eventStream(inbox: Inbox, options: EventStreamOptions): ReadableStream<Uint8Array> {
  const { refusals, alerts, signal, onEnd } = options;
  const encoder = new TextEncoder();
  const nextEvents = eventReader(inbox, options);
  let changed = Promise.withResolvers<void>();
  let [ended, disconnected] = [false, false];

  const end = () => {
    if (ended) return;
    ended = true;
    for (const unsubscribe of subscriptions) unsubscribe();
    signal.removeEventListener("abort", end);
    changed.resolve();
    onEnd?.();
  };
  const subscriptions = [
    inbox.subscribe((change) => change === "closed" ? end() : changed.resolve()),
    refusals.subscribe(() => changed.resolve()),
    alerts.subscribe(() => changed.resolve()),
  ];
  signal.addEventListener("abort", end);
  if (signal.aborted) end();

  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(`: the inbox, live\nretry: ${RETRY_MS}\n\n`));
    },
    async pull(controller) {
      try {
        while (!ended) {
          changed = Promise.withResolvers();
          const events = nextEvents();
          if (events !== "") return controller.enqueue(encoder.encode(events));
          await changed.promise;
        }
      } catch (error) {
        end();
        throw error;
      }
      if (!disconnected) controller.close();
    },
    cancel() {
      disconnected = true;
      end();
    },
  }, { highWaterMark: 0 });
}

function eventReader(inbox: Inbox, options: EventStreamOptions): () => string {
  const { since, type, refusals, alerts } = options;
  let position = since;
  let cleared: number | undefined;
  let groupChanges: number | undefined;
  let writable = true;
  const storage = () => {
    const was = writable;
    writable = inbox.canStore();
    return was === writable ? "" : `event: storage\ndata: {"writable":${writable}}\n\n`;
  };
  const rows = () => {
    const page = inbox.list({ since: position, type, limit: ROWS_PER_CHUNK });
    // A reader that begins at 0 has no rows yet: it needs no `cleared` for earlier deletions.
    const clearedBefore = cleared ?? (position === 0 ? page.cleared : position);
    cleared = page.cleared;
    const hasGroupChange = page.groupChanges !== (groupChanges ?? page.groupChanges);
    groupChanges = page.groupChanges;
    if (page.cursor < position) {
      // The cursor is of another inbox, for example of a file that was deleted. The reader starts again.
      position = 0;
      return event(0, "cleared", "{}");
    }
    position = page.cursor;
    const rows = page.envelopes.map((row) => event(row.id, "envelope", JSON.stringify(row)));
    if (page.cleared > clearedBefore) rows.unshift(event(page.cleared, "cleared", "{}"));
    if (hasGroupChange) rows.push("event: groups\ndata: {}\n\n");
    return rows.join("");
  };
  const newRefusals = newRowsOf(refusals);
  const newAlerts = newRowsOf(alerts);
  return () =>
    rows() + storage() +
    (newRefusals().length > 0 ? "event: refused\ndata: {}\n\n" : "") +
    newAlerts().map((alert) => `event: alert\ndata: ${JSON.stringify(alert)}\n\n`).join("");
}

/** Returns a function that returns the rows since its last call, oldest first. */
function newRowsOf<Row>(recent: Recent<Row>): () => Row[] {
  let seen = recent.total;
  return () => {
    const unseen = recent.rows.slice(0, recent.total - seen).toReversed();
    seen = recent.total;
    return unseen;
  };
}

function event(id: number, name: string, data: string): string {
  return `id: ${id}\nevent: ${name}\ndata: ${data}\n\n`;
}
