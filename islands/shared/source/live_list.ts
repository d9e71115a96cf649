import type { Page } from "../../../monitoring/models/rows.ts";
import { type Clock, Pace } from "./pace.ts";
import type { ConsoleQuery } from "./source.ts";
import { Store } from "../store.ts";
import { messageOf } from "../text.ts";

/** A user who points at a row clicks it within this time, mostly. Milliseconds. */
const HOLD_MS = 1_000;

/** A list for display. The last rows stay while it is read again. */
export interface ListState<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** `loading`: no page of this query was received yet. */
  readonly state: "loading" | "ready" | "failed";
  /** For display. */
  readonly error?: string;
  /** Reads older rows, once at a time; undefined: there are none. */
  readonly more?: () => void;
}

interface LiveListOptions<Row> {
  list(query: ConsoleQuery): Promise<Page<Row>>;
  /** Identifies a row: a newer state replaces it. */
  keyOf(row: Row): string;
  /** Default: the browser's. */
  readonly clock?: Clock;
}

/**
 * The newest rows of a list, and older ones on request. Sends one request at a time, at a pace that the server can
 * answer: changes meanwhile cause one more request. Answers to an earlier query are dropped.
 */
export class LiveList<Row> extends Store<ListState<Row>> {
  readonly #options: LiveListOptions<Row>;
  readonly #pace: Pace;
  #query: ConsoleQuery | undefined;
  /** Cursor of the next, older page; null: there is none. */
  #next: string | null = null;
  #pages = 0;
  /** The running request. */
  #running: "newest" | "older" | undefined;
  /** Older rows were requested while the newest were read. */
  #wantsOlder = false;
  #isFrozen = false;

  constructor(options: LiveListOptions<Row>) {
    super({ rows: [], state: "loading" });
    this.#options = options;
    this.#pace = new Pace(() => this.read(this.#query!), 0, options.clock);
  }

  /** Whether the rows are those of a query. */
  isFor(query: ConsoleQuery): boolean {
    return JSON.stringify(query) === JSON.stringify(this.#query);
  }

  /** Reads the newest rows again if the last attempt failed. */
  retry(): void {
    if (this.#query === undefined || this.value.state !== "failed") return;
    if (this.#running === undefined) this.#pace.reset();
    this.read(this.#query);
  }

  /** Keeps the rows for a second: none moves away from the user who aims at it. */
  hold(): void {
    this.#pace.hold(HOLD_MS);
  }

  /**
   * Keeps the rows until the returned function is called, also if an answer is on its way. False if there are none of this
   * query to keep.
   */
  freeze(query: ConsoleQuery): (() => void) | false {
    if (!this.isFor(query) || this.value.state !== "ready") return false;
    this.rest();
    this.#isFrozen = true;
    return () => void (this.#isFrozen = false);
  }

  /** The rows are not visible any more: does not read them again until {@linkcode read} is called. */
  rest(): void {
    this.#pace.forget();
  }

  /** Reads the newest rows of a query. For the same query, older rows that were read are kept. */
  read(query: ConsoleQuery): void {
    if (!this.isFor(query)) {
      this.#query = query;
      this.#pages = 0;
      this.#next = null;
      // Keeps the rows of the other query until the answer, to avoid flicker; drops the running request.
      this.#running = undefined;
      this.#wantsOlder = false;
      this.#pace.reset();
      this.set({ rows: this.value.rows, state: "loading" });
    }
    if (this.#pace.isFree()) void this.#run("newest", query);
  }

  readonly #more = (): void => {
    if (this.#query === undefined || this.#next === null) return;
    if (this.#running) {
      this.#wantsOlder ||= this.#running === "newest";
      return;
    }
    void this.#run("older", { ...this.#query, before: this.#next });
  };

  async #run(what: "newest" | "older", query: ConsoleQuery): Promise<void> {
    this.#running = what;
    this.#pace.begin();
    const current = this.#query;
    try {
      const page = await this.#options.list(query);
      if (current !== this.#query) return;
      const isKept = what === "newest" && this.value.state === "ready" &&
        (this.#isFrozen || this.#pace.isHeld());
      if (!isKept) this.#take(what, page);
    } catch (error) {
      if (current !== this.#query) return;
      this.set({ ...this.value, state: "failed", error: messageOf(error) });
    }
    this.#running = undefined;
    this.#pace.end();
    if (!this.#wantsOlder || this.#running) return;
    this.#wantsOlder = false;
    this.#more();
  }

  #take(what: "newest" | "older", { rows: read, next }: Page<Row>): void {
    const { keyOf } = this.#options;
    const known = new Map(this.value.rows.map((row) => [keyOf(row), row]));
    const rows = read.map((row) => unchanged(known.get(keyOf(row)), row));
    const previous = this.#pages === 0 ? [] : this.value.rows;
    const keys = new Set(rows.map(keyOf));
    const others = previous.filter((row) => !keys.has(keyOf(row)));
    // Without a next page the answer is the whole list: other rows were deleted.
    const keepsOlder = what === "newest" && this.#pages > 1 && next !== null;
    const all = what === "older" ? [...others, ...rows] : keepsOlder ? [...rows, ...others] : rows;
    if (what === "older") this.#pages++;
    else if (!keepsOlder) this.#pages = 1;
    if (!keepsOlder) this.#next = next;
    this.set({
      rows: all,
      state: "ready",
      ...(this.#next !== null && { more: this.#more }),
    });
  }
}

/** The known object of a row that has not changed: memoized components do not render it again. */
const unchanged = <Row>(known: Row | undefined, row: Row): Row =>
  known !== undefined && JSON.stringify(known) === JSON.stringify(row) ? known : row;
