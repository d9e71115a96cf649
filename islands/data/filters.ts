import { APPLICATIONS } from "../../monitoring/models/list_query.ts";
import type { ConsoleQuery } from "./inbox.ts";

/** As `application` in the address: the rows of every application, Sightglass included. */
export const ALL_APPLICATIONS = "all";

/** The filters that all lists have, and the counts in the navigation. */
export type SharedFilters = Pick<
  ConsoleQuery,
  "application" | "release" | "environment" | "since" | "until"
>;

/**
 * The filters in an address. Without an application: all but Sightglass itself. The rows of one trace are those of
 * all applications.
 */
export function sharedFilters(params: URLSearchParams): SharedFilters {
  const param = (name: string) => params.get(name) || undefined;
  const application = param("application") ??
    (params.has("trace") ? ALL_APPLICATIONS : APPLICATIONS);
  return {
    application: application === ALL_APPLICATIONS ? undefined : application,
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
    application: param("application"),
    release: param("release"),
    environment: param("environment"),
    since: param("since"),
    until: param("until"),
  };
}

/** The time ranges up to now that are offered, as ages. */
export const AGES = { "15m": "15 min", "1h": "1 h", "6h": "6 h", "1d": "24 h", "7d": "7 d" };

/** The same in each view, with that of a view whose address has none. */
export const RANGES = [[undefined, "Any time"], ...Object.entries(AGES)] as const;

/** Interval of requests for a range such as the last ten minutes: rows leave it although nothing arrives. */
export const MOVING_RANGE_MS = 30_000;
