import { Store } from "./store.ts";
import type { ApiState } from "./api.ts";

/** Minimum interval of notifications: each may cause requests for lists. */
const NOTIFY_MS = 250;

/** From the clock, so that a tab that takes over the stream has a higher version than the tab before it. */
const nextVersion = (version: number) => Math.max(version + 1, Date.now());

/** The state of an API. */
export class ApiStateStore extends Store<ApiState> {
  #timer: ReturnType<typeof setTimeout> | undefined;
  #notifiedAt = -Infinity;

  constructor(state: ApiState["state"]) {
    super({ state, version: 0, total: 0, refusedVersion: 0, canStore: true });
  }

  /** Merges a change. Listeners are throttled, except for changes of `state` and `canStore`. */
  update(change: Partial<ApiState>): void {
    const before = this.value;
    const after = { ...before, ...change };
    const isUrgent = after.state !== before.state || after.canStore !== before.canStore;
    const isSame = after.version === before.version && after.total === before.total &&
      after.refusedVersion === before.refusedVersion;
    if (!isUrgent && isSame) return;
    this.value = after;
    const wait = this.#notifiedAt + NOTIFY_MS - performance.now();
    if (wait <= 0 || isUrgent) this.notify();
    else this.#timer ??= setTimeout(() => this.notify(), wait);
  }

  /** {@linkcode update} after envelopes were added or deleted. */
  envelopesChanged(change: Partial<ApiState>): void {
    this.update({ ...change, version: nextVersion(this.value.version) });
  }

  /** {@linkcode update} after the relay refused envelopes. */
  envelopesRefused(): void {
    this.update({ refusedVersion: nextVersion(this.value.refusedVersion) });
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  protected override notify(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#notifiedAt = performance.now();
    super.notify();
  }
}
