/** Something that happens after a time, unless it is called off. */
export interface Alarm {
  /** Harmless when it has rung, or was called off before. */
  cancel(): void;
}

/**
 * Times that hardly ever run out: of bodies that come in, of answers. A timer of the runtime for each takes
 * longer to set and clear than an envelope to judge; so all that are equally long stand in a line behind one
 * timer, which is set again only once it has run out.
 */
export class Alarms {
  readonly #lines = new Map<number, Line>();

  /**
   * @param ms from now on; there is a line for each value, so there should be few
   * @param ring called once, when the time is over
   * @param now of `performance.now()`, for who has just asked it
   */
  after(ms: number, ring: () => void, now: number = performance.now()): Alarm {
    let line = this.#lines.get(ms);
    if (line === undefined) this.#lines.set(ms, line = new Line(ms, () => this.#lines.delete(ms)));
    return line.add(now + ms, ring);
  }
}

/** Alarms of one length: the one that was set first rings first. */
class Line {
  readonly #alarms = new Set<LineAlarm>();

  constructor(ms: number, readonly onEmpty: () => void) {
    this.#wait(ms);
  }

  add(at: number, ring: () => void): Alarm {
    const alarm = new LineAlarm(at, ring, this.#alarms);
    this.#alarms.add(alarm);
    return alarm;
  }

  #wait(ms: number): void {
    setTimeout(() => this.#ringDue(), ms);
  }

  #ringDue(): void {
    for (const alarm of this.#alarms) {
      const left = alarm.at - performance.now();
      if (left > 0) return this.#wait(left);
      alarm.cancel();
      alarm.ring();
    }
    this.onEmpty();
  }
}

class LineAlarm implements Alarm {
  constructor(
    /** When it rings, on the clock of the process. */
    readonly at: number,
    readonly ring: () => void,
    readonly line: Set<LineAlarm>,
  ) {}

  cancel(): void {
    this.line.delete(this);
  }
}
