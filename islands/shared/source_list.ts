import { useMemo, useSyncExternalStore } from "react";
import { APPLICATIONS, OWN_SOURCE, type SourceList } from "../../monitoring/models/rows.ts";
import { isAge } from "../../monitoring/models/time_bound.ts";
import { MOVING_RANGE_MS, type SharedFilters, sharedFilters } from "./filters.ts";
import { parseFragment } from "./fragment.ts";
import { Pace } from "./source/pace.ts";
import type { DataSource } from "./source/source.ts";
import { subscribeToFragment, viewFragment } from "./view.ts";

/** Minimum pause between two requests: people cannot read numbers that change more often. */
const MIN_PAUSE_MS = 1_000;

/** The sources and the counts of all lists, for the address's filters. Read again when the data source changes. */
class SourceListStore {
  readonly #source: DataSource;
  readonly #listeners = new Set<() => void>();
  #value: SourceList | undefined;
  /** Of the last request: the filters; they and the version of the data source. */
  #query = "";
  #asked = "";
  #shown = "";
  readonly #pace = new Pace(() => void this.#read(), MIN_PAUSE_MS);
  #stop = () => {};

  constructor(source: DataSource) {
    this.#source = source;
  }

  /** Undefined until the first answer. */
  readonly snapshot = (): SourceList | undefined => this.#value;

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  };

  #start(): void {
    const now = () => void this.#read();
    const unsubscribe = [this.#source.subscribe(now), subscribeToFragment(now)];
    document.addEventListener("visibilitychange", now);
    const moving = setInterval(() => {
      if (!isAge(addressFilters().since ?? "") || document.hidden) return;
      this.#asked = "";
      now();
    }, MOVING_RANGE_MS);
    this.#stop = () => {
      unsubscribe.forEach((stop) => stop());
      document.removeEventListener("visibilitychange", now);
      clearInterval(moving);
      this.#pace.forget();
    };
    now();
  }

  async #read(): Promise<void> {
    const { state, version } = this.#source.snapshot();
    const filters = addressFilters();
    const query = JSON.stringify(filters);
    const asked = `${version} ${query}`;
    if (state !== "live" || asked === this.#asked || document.hidden) return;
    if (query !== this.#query) this.#pace.reset();
    if (!this.#pace.isFree()) return;
    this.#query = query;
    this.#asked = asked;
    this.#pace.begin();
    try {
      const value = await this.#source.sources(filters);
      if (query !== this.#query) return;
      this.#show(value);
    } catch {
      if (query !== this.#query) return;
      // The lists report that the data source does not answer. The next change asks again.
      this.#asked = "";
    }
    this.#pace.end();
  }

  /** Renders nothing again if only what is not displayed has changed: order, times, numbers of envelopes. */
  #show(value: SourceList): void {
    const rows = value.rows.toSorted((a, b) => a.key < b.key ? -1 : 1);
    const shown = JSON.stringify([
      rows.map(({ envelopes: _, last_seen: __, ...row }) => row),
      value.counts,
    ]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#value = { ...value, rows };
    for (const listener of this.#listeners) listener();
  }
}

/** Whether a list with these filters has the rows of Sightglass itself; false until it is known. */
export function useShowsOwn(source: DataSource | undefined, filters: SharedFilters): boolean {
  const rows = useSourceList(source)?.rows;
  if (filters.source !== APPLICATIONS) return [undefined, OWN_SOURCE.key].includes(filters.source);
  return rows?.every(({ key }) => key === OWN_SOURCE.key) ?? false;
}

const addressFilters = (): SharedFilters => sharedFilters(parseFragment(viewFragment()).params);

const stores = new WeakMap<DataSource, SourceListStore>();

const NOTHING = { subscribe: () => () => {}, snapshot: () => undefined };

/** The sources and counts; undefined until they are known. Renders the component again when they change. */
export function useSourceList(source: DataSource | undefined): SourceList | undefined {
  const { subscribe, snapshot } = useMemo(() => {
    if (source === undefined) return NOTHING;
    const store = stores.get(source) ?? new SourceListStore(source);
    stores.set(source, store);
    return store;
  }, [source]);
  return useSyncExternalStore(subscribe, snapshot, NOTHING.snapshot);
}
