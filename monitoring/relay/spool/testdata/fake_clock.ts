import type { Clock } from "../../send/clock.ts";
import { NOON } from "./envelopes.ts";

/** A clock that a test moves. */
export class FakeClock implements Clock {
  #uptime = 0;
  #offset = NOON;
  #timers: { readonly at: number; readonly work: () => void }[] = [];
  /** Result of `random`. */
  chance = 0.5;

  readonly now = () => this.#uptime + this.#offset;
  readonly uptime = () => this.#uptime;
  readonly random = () => this.chance;
  readonly after = (ms: number, work: () => void) => {
    const timer = { at: this.#uptime + ms, work };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  /** Milliseconds until each timer ends. */
  get timers(): number[] {
    return this.#timers.map(({ at }) => at - this.#uptime);
  }

  /** Sets the wall clock to another time. */
  jump(ms: number): void {
    this.#offset += ms;
  }

  /** Moves time forward and runs the timers that end by then. */
  pass(ms: number): void {
    this.#uptime += ms;
    const due = this.#timers.filter(({ at }) => at <= this.#uptime).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { work } of due) work();
  }
}
