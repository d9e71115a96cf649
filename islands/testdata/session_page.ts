import type { SessionEnvelope } from "../../monitoring/browser/mod.ts";

/** Envelopes as telemetry keeps them: new ones are appended, the oldest removed. */
export class SessionPage {
  readonly envelopes: SessionEnvelope[] = [];
  readonly #listeners = new Set<() => void>();

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  add(bytes: Uint8Array, at = 1_790_000_000_000 + this.envelopes.length): void {
    this.envelopes.push({ at, bytes });
    this.notify();
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}
