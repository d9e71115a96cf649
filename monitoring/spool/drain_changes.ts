import type { DrainState } from "./drain.ts";
import type { SpoolStats } from "./spool.ts";
import type { UpstreamState } from "./upstream_state.ts";

/** An ingest that fails now and then is told to be down no more often than this. */
export const TELL_DOWN_EVERY_MS = 60_000;
/** Shares of the spool's bytes at which it is nearly full, and at which it no longer is. */
export const NEARLY_FULL = 0.8;
export const ROOM_AGAIN = 0.6;

/** What was told last of an ingest, and until when it is not told to be down again. */
interface Told {
  state: "down" | "draining" | "recovered";
  quietUntil: number;
}

/** Tells what changes in a drain's state, and nothing twice. Times are those of a clock that is never set back. */
export class DrainChanges {
  readonly #tell: (state: DrainState) => void;
  readonly #told = new Map<UpstreamState, Told>();
  #nearlyFull = false;
  #unavailable = false;

  constructor(tell: (state: DrainState) => void) {
    this.#tell = tell;
  }

  /** Whether an ingest was told to be draining and not yet to have recovered. */
  get isDraining(): boolean {
    return [...this.#told.values()].some(({ state }) => state === "draining");
  }

  /** A delivery got no answer; `upstream` knows of it already. */
  failed(upstream: UpstreamState, reason: string, now: number): void {
    const told = this.#told.get(upstream) ?? { state: "recovered", quietUntil: 0 };
    this.#told.set(upstream, told);
    if (!upstream.isProbed || told.state === "down" || now < told.quietUntil) return;
    told.state = "down";
    told.quietUntil = now + TELL_DOWN_EVERY_MS;
    this.#tell({ state: "down", origin: upstream.origin, reason });
  }

  /** A delivery got an answer, whatever it was. */
  answered(upstream: UpstreamState): void {
    const told = this.#told.get(upstream);
    if (told?.state !== "down") return;
    told.state = "draining";
    this.#tell({ state: "draining", origin: upstream.origin });
  }

  /** How the spool as a whole looks, and the ingests that something waits for. */
  looked({ bytes, maxBytes }: SpoolStats, waiting: ReadonlySet<UpstreamState>): void {
    if (bytes >= maxBytes * NEARLY_FULL && !this.#nearlyFull) {
      this.#tell({ state: "nearly full", bytes, maxBytes });
      this.#nearlyFull = true;
    } else if (bytes <= maxBytes * ROOM_AGAIN) {
      this.#nearlyFull = false;
    }
    for (const [upstream, told] of this.#told) {
      if (told.state !== "draining" || waiting.has(upstream)) continue;
      told.state = "recovered";
      this.#tell({ state: "recovered", origin: upstream.origin });
    }
  }

  /** The spool itself fails. */
  spoolFailed(error: unknown): void {
    if (this.#unavailable) return;
    this.#unavailable = true;
    this.#tell({ state: "spool unavailable", reason: messageOf(error) });
  }

  /** The spool works. */
  spoolWorked(): void {
    this.#unavailable = false;
  }
}

/** Why something failed, as a part of a sentence. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
