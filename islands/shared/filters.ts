import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import type { ConsoleQuery } from "../data/source.ts";

/** As `source` in the address: the rows of every source, Sightglass included. */
export const ALL_SOURCES = "all";

/** The filters that all lists have, and the counts in the navigation. */
export type SharedFilters = Pick<
  ConsoleQuery,
  "source" | "release" | "environment" | "since" | "until"
>;

/**
 * The filters in an address. Without a source: the applications, and Sightglass itself while there are none. The
 * rows of one trace are those of all sources.
 */
export function sharedFilters(params: URLSearchParams): SharedFilters {
  const param = (name: string) => params.get(name) || undefined;
  const source = param("source") ?? (params.has("trace") ? ALL_SOURCES : APPLICATIONS);
  return {
    source: source === ALL_SOURCES ? undefined : source,
    release: param("release"),
    environment: param("environment"),
    since: param("since"),
    until: param("until"),
  };
}

/** The same filters as they are in the address, for a link to another list. */
export function filterParams(params: URLSearchParams): Record<keyof SharedFilters, string> {
  const param = (name: string) => params.get(name) ?? "";
  return {
    source: param("source"),
    release: param("release"),
    environment: param("environment"),
    since: param("since"),
    until: param("until"),
  };
}

/** The time ranges up to now that are offered, as ages. */
export const AGES = { "15m": "15 min", "1h": "1 h", "6h": "6 h", "1d": "24 h", "7d": "7 d" };

/** Interval of requests for a range such as the last ten minutes: rows leave it although nothing arrives. */
export const MOVING_RANGE_MS = 30_000;
