/** A member of a {@linkcode Bag}, which sets its position. */
export interface Bagged {
  slot: number;
}

/**
 * An unordered set of objects that come and go with each request. V8 rebuilds a `Set` from which as much is deleted as
 * added all the time, and what was in its old tables survives until the next major garbage collection.
 */
export class Bag<Member extends Bagged> {
  readonly #members: Member[] = [];

  get size(): number {
    return this.#members.length;
  }

  /** A snapshot: members may be deleted meanwhile. */
  all(): Member[] {
    return [...this.#members];
  }

  add(member: Member): void {
    member.slot = this.#members.push(member) - 1;
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
}
