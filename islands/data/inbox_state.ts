import { useSyncExternalStore } from "react";
import { Store } from "./store.ts";

export interface InboxState {
  /** `offline`: no connection, retrying. `forbidden`: needs the inbox token. */
  readonly state: "connecting" | "live" | "offline" | "forbidden";
  /** When it was `live` last, milliseconds since 1970; undefined: it is, or never was. */
  readonly liveUntil?: number | undefined;
  /** Changes with what is stored or refused: it must be read again. */
  readonly version: number;
  /** Envelopes received since all were last deleted, including those evicted since the page was opened. */
  readonly total: number;
  /** False: the inbox cannot store envelopes, because its disk or database is full or fails. */
  readonly canStore: boolean;
}

/** Minimum interval of notifications: each may cause requests for lists. */
const NOTIFY_MS = 250;

/** The state of an inbox; the same object until it changes. */
export class InboxStateStore extends Store<InboxState> {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = -Infinity;

  constructor() {
    super({ state: "connecting", version: 0, total: 0, canStore: true });
  }

  /** Merges a change. Listeners are throttled, except for changes of `state` and `canStore`. */
  update(change: Partial<InboxState>): void {
    const before = this.value;
    const after = { ...before, ...change };
    const isUrgent = after.state !== before.state || after.canStore !== before.canStore;
    if (!isUrgent && after.version === before.version && after.total === before.total) return;
    this.value = after;
    const wait = this.#notifiedAt + NOTIFY_MS - performance.now();
    if (wait <= 0 || isUrgent) this.notify();
    else this.#timer ??= setTimeout(() => this.notify(), wait);
  }

  /** {@linkcode update} after something was stored, deleted or refused. */
  changed(change: Partial<InboxState> = {}): void {
    // From the clock, so that a tab that takes over the stream has a higher version than the tab before it.
    this.update({ ...change, version: Math.max(this.value.version + 1, Date.now()) });
  }

  protected override notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    super.notify();
  }
}

export const inboxState: InboxStateStore = new InboxStateStore();

/** The inbox's state; renders the component again when it changes. */
export const useInboxState = (): InboxState =>
  useSyncExternalStore(inboxState.subscribe, inboxState.snapshot);
