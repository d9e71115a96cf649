import type { DrainClock } from "./drain_clock.ts";

/** Work that runs on its own and is waited for at the end. */
export class Tasks {
  readonly #clock: DrainClock;
  readonly #underWay = new Set<Promise<void>>();

  constructor(clock: DrainClock) {
    this.#clock = clock;
  }

  /** @param work never rejects */
  track(work: Promise<void>): void {
    const task = work.finally(() => this.#underWay.delete(task));
    this.#underWay.add(task);
  }

  /** Whether all of it, and what it begins meanwhile, ends within so many milliseconds. */
  async endWithin(ms: number): Promise<boolean> {
    const late = Promise.withResolvers<false>();
    const cancel = this.#clock.after(ms, () => late.resolve(false));
    const inTime = await Promise.race([this.#allEnd(), late.promise]);
    cancel();
    return inTime;
  }

  async #allEnd(): Promise<true> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    return true;
  }
}
