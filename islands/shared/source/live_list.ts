import type { ListQuery, Page } from "../../../monitoring/models/rows.ts";

/** A list as it stands on the screen: what came last stays there while it is asked for again. */
export interface ListState<Row> {
  /** Newest first. */
  readonly rows: readonly Row[];
  /** `loading`: nothing has come yet for this query. */
  readonly state: "loading" | "ready" | "failed";
  /** Why it failed, made to be shown. */
  readonly error?: string;
  /** Fetches older rows; undefined: there are none. Twice at once is once. */
  readonly more?: () => void;
}

export interface LiveListOptions<Row> {
  list(query: ListQuery): Promise<Page<Row>>;
  /** Names a row among the others: a newer state of it takes its place. */
  keyOf(row: Row): string;
}

/**
 * The newest rows of a list, and older ones as they are asked for. One question is on its way at a time: what changes in
 * the meantime is asked for once the answer is there, so that many changes make few questions. The answer to a query
 * that is no longer the one in force is dropped.
 */
export class LiveList<Row> {
  readonly #options: LiveListOptions<Row>;
  readonly #listeners = new Set<() => void>();
  #state: ListState<Row> = { rows: [], state: "loading" };
  #query: ListQuery | undefined;
  /** Where older rows go on; null: there are none. */
  #next: string | null = null;
  #pages = 0;
  /** The question that is on its way. */
  #asking: "newest" | "older" | undefined;
  /** The newest rows are to be asked for when the answer is there. */
  #again = false;

  constructor(options: LiveListOptions<Row>) {
    this.#options = options;
  }

  /** The same object until something changes. */
  readonly snapshot = (): ListState<Row> => this.#state;

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** Whether these are the rows of this query. */
  asks(query: ListQuery): boolean {
    return JSON.stringify(query) === JSON.stringify(this.#query);
  }

  /** Asks for the newest rows: of another query anew, of the same one to bring the list up to date. */
  ask(query: ListQuery): void {
    if (!this.asks(query)) {
      this.#query = query;
      this.#pages = 0;
      this.#next = null;
      // What another query found does not stand under this one's name; its rows go when the answer comes.
      this.#asking = undefined;
      this.#show({ rows: this.#state.rows, state: "loading" });
    }
    if (this.#asking) this.#again = true;
    else void this.#run("newest", query);
  }

  readonly #more = (): void => {
    if (this.#asking || this.#query === undefined || this.#next === null) return;
    void this.#run("older", { ...this.#query, before: this.#next });
  };

  async #run(what: "newest" | "older", query: ListQuery): Promise<void> {
    this.#asking = what;
    this.#again = false;
    const asked = this.#query;
    try {
      const page = await this.#options.list(query);
      if (asked !== this.#query) return;
      this.#take(what, page);
    } catch (error) {
      if (asked !== this.#query) return;
      const told = error instanceof Error ? error.message : String(error);
      this.#show({ ...this.#state, state: "failed", error: told });
    }
    this.#asking = undefined;
    if (this.#again) this.ask(asked!);
  }

  #take(what: "newest" | "older", { rows, next }: Page<Row>): void {
    const known = this.#pages === 0 ? [] : this.#state.rows;
    const keys = new Set(rows.map(this.#options.keyOf));
    const others = known.filter((row) => !keys.has(this.#options.keyOf(row)));
    // Without older rows the answer is the whole list: what it lacks is gone.
    const keepsOlder = what === "newest" && this.#pages > 1 && next !== null;
    const all = what === "older" ? [...others, ...rows] : keepsOlder ? [...rows, ...others] : rows;
    if (what === "older") this.#pages++;
    else if (!keepsOlder) this.#pages = 1;
    if (!keepsOlder) this.#next = next;
    this.#show({
      rows: all,
      state: "ready",
      ...(this.#next !== null && { more: this.#more }),
    });
  }

  #show(state: ListState<Row>): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
