/** A member of {@linkcode Deadlines}, which set its position. */
export interface Timed {
  slot: number;
  /** By `performance.now()`. */
  readonly deadline: number;
}

/**
 * An unordered set of objects that come and go with each request, with one timer: a timer for each takes longer than
 * validating a small envelope. V8 rebuilds a `Set` from which as much is deleted as added all the time, and what was in
 * its old tables survives until the next major garbage collection.
 */
export class Deadlines<Member extends Timed> {
  readonly #members: Member[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** @param onLate called at the next check after a member's deadline */
  constructor(readonly checkMs: number, readonly onLate: (member: Member) => void) {}

  get size(): number {
    return this.#members.length;
  }

  /** A snapshot: members may be deleted meanwhile. */
  all(): Member[] {
    return [...this.#members];
  }

  add(member: Member): void {
    member.slot = this.#members.push(member) - 1;
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.check(), this.checkMs);
    Deno.unrefTimer(this.#timer);
  }

  /** Does nothing if it was deleted before. */
  delete(member: Member): void {
    const { slot } = member;
    if (this.#members[slot] !== member) return;
    const last = this.#members.pop()!;
    if (last === member) return;
    this.#members[slot] = last;
    last.slot = slot;
  }

  /** Stops the timer if there are no members. */
  check(): void {
    const now = performance.now();
    for (const member of this.all()) if (member.deadline <= now) this.onLate(member);
    if (this.size === 0) this.stop();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
