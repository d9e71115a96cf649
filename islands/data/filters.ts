import {
  APPLICATIONS,
  type FilterName,
  filtersOf,
  LIST_FILTERS,
  type ListFilter,
  type ListName,
} from "../../monitoring/models/list_query.ts";
import { ITEM_TYPES } from "../../monitoring/protocol/categories.ts";
import { LOG_LEVELS } from "../../monitoring/protocol/log_levels.ts";
import type { ApplicationList } from "../../monitoring/models/application_rows.ts";
import type { ConsoleQuery } from "./inbox.ts";

/** A filter of lists: a parameter of the address, and of the server's query by the same name. */
export interface Filter {
  readonly name: FilterName;
  /** Default: the name. */
  readonly label?: string;
  /** What selects no value; default: "any". */
  readonly any?: string;
  /** Its values, or pairs of a value and its text. Default: every text is a value. */
  readonly choices?: readonly (string | readonly [value: string, text: string])[];
  /** Values that are offered, where every text is one. */
  readonly known?: (list: Pick<ApplicationList, "rows" | "ops">) => readonly string[];
  /** The value without the parameter. Then {@linkcode ALL} is the value that filters nothing. */
  readonly usual?: string;
  /** The view of what the value, an id, names. */
  readonly opens?: string;
}

export const ALL = "all";

/** Offers no values: links set it. */
const known = () => [];

/** How the page offers filters. Those without values in the table of all filters need `choices` or what is `known`. */
const WORDS: Readonly<Partial<Record<FilterName, Omit<Filter, "name">>>> = {
  // Without it, the rows of all applications but Sightglass itself.
  application: { usual: APPLICATIONS },
  environment: { known: ({ rows }) => rows.flatMap(({ environment }) => environment ?? []) },
  release: { known: ({ rows }) => rows.flatMap(({ releases }) => releases) },
  trace: { known, opens: "traces" },
  replay: { known, label: "Recording", opens: "recordings" },
  profile: { known, opens: "profiles" },
  group: { known, opens: "errors" },
  envelope: { known, opens: "envelopes" },
  type: { label: "Item type", known: () => ITEM_TYPES },
  level: {
    choices: LOG_LEVELS.slice(1).map((level) =>
      [level, level === "fatal" ? level : `${level} and above`] as const
    ),
  },
  handled: { choices: [["false", "unhandled only"]] },
  state: { any: "open", usual: "open", choices: ["resolved", "muted", [ALL, "all states"]] },
  op: { label: "Operation", known: ({ ops }) => ops },
  name: { label: "Span", known },
  endpoint: { known },
  preflights: { choices: [["true", "shown"]], any: "hidden" },
  model: { known },
  conversation: { known },
  page: { label: "Loads of", known },
  monitor: { known },
};

/** The filters of a list; default: those that hold in every view, and are in every link between views. */
export const pageFilters = (list?: ListName): readonly Filter[] =>
  filtersOf(list).map((name) => {
    const { values }: ListFilter = LIST_FILTERS[name];
    // AI runs have no HTTP status.
    const isPlain = name === "status" && list?.startsWith("ai_");
    const choices = isPlain ? ["ok", "error"] : values;
    return { name, ...typeof choices !== "string" && { choices }, ...WORDS[name] };
  });

export const choicesOf = ({ choices = [] }: Filter): ReadonlyMap<string, string> =>
  new Map(choices.map((choice) => typeof choice === "string" ? [choice, choice] : choice));

/** The text of a filter's value; undefined: not one of its values. */
export function textOf(filter: Filter, value: string): string | undefined {
  const isText = filter.choices === undefined || filter.known !== undefined;
  return choicesOf(filter).get(value) ?? (isText && value !== "" ? value : undefined);
}

/** The query in an address: the filters of a list; default: those of all. */
export function queryOf(params: URLSearchParams, list?: ListName): ConsoleQuery {
  const values = pageFilters(list).map((filter) => {
    const { name, usual } = filter;
    const value = params.get(name) ?? "";
    if (textOf(filter, value) !== undefined) {
      return [name, usual !== undefined && value === ALL ? undefined : value];
    }
    // The rows of one trace are those of all applications.
    return [name, name === "application" && params.get("trace") ? undefined : usual];
  });
  return Object.fromEntries(values);
}

/**
 * Whether an address has filters that may leave out what a detail shows.
 *
 * @param isMissing it was not found: another application may have it
 */
export function isNarrowed(params: URLSearchParams, list: ListName, isMissing: boolean): boolean {
  const query = queryOf(params, list);
  return pageFilters(list).some(({ name, usual }) =>
    query[name] !== undefined && query[name] !== usual && (isMissing || name !== "application")
  );
}

/** The time ranges up to now that are offered, as ages. */
export const AGES = { "15m": "15 min", "1h": "1 h", "6h": "6 h", "1d": "24 h", "7d": "7 d" };

/** The same in each view, with that of a view whose address has none. */
export const RANGES = [[undefined, "Any time"], ...Object.entries(AGES)] as const;

/** Interval of requests for a range such as the last ten minutes: rows leave it although nothing arrives. */
export const MOVING_RANGE_MS = 30_000;
