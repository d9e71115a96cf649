import type { ReactNode } from "react";
import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import type { ApplicationList } from "../../monitoring/models/rows.ts";
import type { ConsoleQuery } from "./inbox.ts";
import type { SharedParam } from "./view.ts";

/** A filter of lists: a parameter of the address, and of the server's query by the same name. */
export interface Filter {
  readonly name: Exclude<keyof ConsoleQuery, "envelope" | "limit">;
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
  /** How a value is shown; default: its text. */
  readonly show?: (value: string) => ReactNode;
}

export const ALL = "all";

/** The filters that hold in every view, and are in every link between views. */
export const SHARED: Readonly<Record<SharedParam, Filter>> = {
  q: { name: "q" },
  // Without it, the rows of all applications but Sightglass itself.
  application: { name: "application", usual: APPLICATIONS },
  environment: {
    name: "environment",
    known: ({ rows }) => rows.flatMap(({ environment }) => environment ?? []),
  },
  release: { name: "release", known: ({ rows }) => rows.flatMap(({ releases }) => releases) },
  since: { name: "since" },
  until: { name: "until" },
};

/** The choices of a filter by value, each once. */
export const choicesOf = ({ choices = [] }: Filter): ReadonlyMap<string, string> =>
  new Map(choices.map((choice) => typeof choice === "string" ? [choice, choice] : choice));

/** The text of a filter's value; undefined: not one of its values. */
export function textOf(filter: Filter, value: string): string | undefined {
  const isText = filter.choices === undefined || filter.known !== undefined;
  return choicesOf(filter).get(value) ?? (isText && value !== "" ? value : undefined);
}

/** The query in an address: a view's filters, and those of all views. */
export function queryOf(params: URLSearchParams, filters: readonly Filter[] = []): ConsoleQuery {
  const values = [...Object.values(SHARED), ...filters].map((filter) => {
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

/** The time ranges up to now that are offered, as ages. */
export const AGES = { "15m": "15 min", "1h": "1 h", "6h": "6 h", "1d": "24 h", "7d": "7 d" };

/** The same in each view, with that of a view whose address has none. */
export const RANGES = [[undefined, "Any time"], ...Object.entries(AGES)] as const;

/** Interval of requests for a range such as the last ten minutes: rows leave it although nothing arrives. */
export const MOVING_RANGE_MS = 30_000;
