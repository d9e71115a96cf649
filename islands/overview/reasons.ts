import { formatDuration, formatNumber } from "../../components/format.ts";
import {
  type ApplicationRow,
  CLOCK_OFF_MS,
  clockOffMs,
  newestRelease,
  UNKNOWN_NAME,
} from "../../monitoring/models/application_rows.ts";
import type { EndpointRow } from "../../monitoring/models/trace/trace_row.ts";
import type { ErrorGroupRow } from "../../monitoring/models/error/error_row.ts";
import type { MonitorRow } from "../../monitoring/models/monitors/monitor_row.ts";
import { MIN_SAMPLES } from "../../monitoring/models/percentile.ts";
import { MINUTE_MS } from "../../monitoring/models/time_units.ts";
import {
  hasNewFailures,
  isSlower,
  SLOWER,
  SLOWER_MS,
} from "../../monitoring/models/trace/endpoints.ts";
import { displayName } from "../../monitoring/models/trace/trace_name.ts";
import { endpointPath } from "../kit/endpoint_columns.tsx";
import { linkTo } from "../data/fragment.ts";
import { clockOff, shortRelease } from "../kit/application_labels.ts";

/** Why an application needs a look. Texts are untrusted. */
export interface Reason {
  readonly kind: "refused" | "waits";
  readonly application: ApplicationRow;
  readonly what: string;
  readonly why: string;
  /** Milliseconds since 1970, by the sender's clock, less what it is ahead, at most its last envelope's; or of a return. */
  readonly since: number;
  readonly href: string;
  /** Null: its clock. */
  readonly of: ErrorGroupRow | EndpointRow | MonitorRow | null;
}

/** The states of applications and the one rule of their colours, worst first. */
export const STATES = [
  {
    kind: "refused",
    word: "Failing",
    short: "unhandled, new failures, failed jobs",
    rule: "open errors that were not handled, an endpoint that failed in the newest release" +
      ` but in none of at least ${MIN_SAMPLES} runs of other releases, or a monitor whose newest run failed`,
  },
  {
    kind: "waits",
    word: "Needs a look",
    short: "other errors, slower, late jobs",
    rule: `other open errors, an endpoint whose median in the newest release is at least` +
      ` ${SLOWER} times, and ${SLOWER_MS} ms above, that of others, a monitor with a run that did not` +
      ` come, does not end, or never ended, or a server whose newest envelope was sent, by its own clock,` +
      ` over ${CLOCK_OFF_MS / MINUTE_MS} min before or after it was received`,
  },
  { kind: "flows", word: "No open errors", short: "neither", rule: "neither" },
] as const;

export const STATES_TIP = STATES.map(({ word, rule }) => `${word}: ${rule}.`).join("\n") +
  "\nNewest release: the one first seen last.\nErrors and runs: by the filter, in the chosen time (any time: the last 30 days with data)." +
  "\nMonitors: now, whatever the time." +
  "\nNew since a release: no stored error was received before the release was.";

/** When that which is wrong began. */
export const SINCE_TIP =
  "The first stored error of the group in the application and chosen release, at any time; of a group" +
  " that came back, when its return was received; in the newest release the first failed run of an" +
  " endpoint, the first one of a slower endpoint; of a monitor the first of the runs that have its state;" +
  " of a clock when the newest envelope was received. By the sender’s clock, less what it is ahead, and" +
  " no later than when its newest envelope arrived; missed runs since they were due";

/** Why a monitor needs a look, by its state. */
const OF_MONITOR: Partial<Record<MonitorRow["state"], Pick<Reason, "kind" | "why">>> = {
  failed: { kind: "refused", why: "the newest run failed" },
  missed: { kind: "waits", why: "a run that was expected did not come" },
  over_time: { kind: "waits", why: "the newest run takes longer than it may" },
  unfinished: { kind: "waits", why: "the newest run never finished" },
};

/** What sends check-ins that name no application, such as curl. */
export const NOT_NAMED: ApplicationRow = {
  ...{ key: "", name: UNKNOWN_NAME, environment: null, side: "unknown" },
  ...{ releases: [], releases_since: [], starts: [], envelopes: 0, last_seen: 0, clock_ms: null },
};

/** Why an application needs a look, worst first. @param groups its open errors; `endpoints`: its own; `monitors`: of all */
export function reasonsOf(
  application: ApplicationRow,
  groups: readonly ErrorGroupRow[],
  endpoints: readonly EndpointRow[],
  monitors: readonly MonitorRow[],
): Reason[] {
  const { key, releases, releases_since, last_seen } = application;
  const newest = newestRelease(application) ?? "";
  const release = shortRelease(newest);
  const off = clockOff(application);
  const ahead = Math.max(0, clockOffMs(application));
  const sinceOf = (at: number) => Math.min(at - ahead, last_seen || at);
  const releasedAt = releases.length > 1 ? releases_since[releases.indexOf(newest)]! : Infinity;
  const ofEndpoints = endpoints.flatMap((of): Reason[] => {
    const { count, failed, failed_since, since, median, before } = of;
    if (before === null) return [];
    const href = linkTo("endpoints", endpointPath(of));
    const what = displayName(of);
    const common = { application, what, since: sinceOf(since), href, of };
    return [
      ...hasNewFailures(of)
        ? [{
          ...{ ...common, kind: "refused" as const, since: sinceOf(failed_since!) },
          why:
            `new failures in ${release}: ${failed} of ${count}, of other releases 0 of ${before.count}`,
        }]
        : [],
      ...isSlower(of)
        ? [{
          ...{ ...common, kind: "waits" as const },
          why:
            `slower in ${release}, median ${formatDuration(before.median!)} → ${
              formatDuration(median!)
            },` +
            ` n ${formatNumber(before.count)} → ${formatNumber(count)}`,
        }]
        : [],
    ];
  });
  const ofErrors = groups.map((of): Reason => {
    const { group, type, value, where, handled, regression, first_seen, count } = of;
    const origin = where?.split(" (", 1)[0];
    const isNew = of.first_received_at >= releasedAt;
    const news = regression ? "came back" : isNew && `new since ${release}`;
    return {
      kind: handled === false ? "refused" : "waits",
      application,
      what: origin ? `${type} in ${origin}` : `${type} ${value}`,
      why: `${news || (handled === false ? "unhandled" : "open")}, ${formatNumber(count)}×` +
        (origin ? `: ${value}` : ""),
      since: regression?.at ?? sinceOf(first_seen),
      href: linkTo("errors", [group], { application: key }),
      of,
    };
  });
  const ofMonitors = monitors.flatMap((of): Reason[] => {
    const { monitor, slug: what, since, runs: [newest] } = of;
    const found = (of.application ?? NOT_NAMED.key) === key && OF_MONITOR[of.state];
    if (!found) return [];
    const path = newest ? [`${newest.envelope}`, `${newest.index}`] : [];
    return [{
      ...found,
      application,
      what,
      since: of.state === "missed" ? since - ahead : sinceOf(since),
      href: linkTo("monitors", path, { monitor }),
      of,
    }];
  });
  const ofClock: Reason[] = off === "" ? [] : [{
    kind: "waits",
    application,
    what: `Its clock is ${off}`,
    why: "a chosen time finds it by its own times",
    since: last_seen,
    href: linkTo("errors", [], { application: key, since: undefined, until: undefined }),
    of: null,
  }];
  return sortReasons([...ofEndpoints, ...ofErrors, ...ofMonitors, ...ofClock]);
}

/** Worst first, then those that began last. */
export const sortReasons = (reasons: readonly Reason[]): Reason[] =>
  reasons.toSorted((a, b) => a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : b.since - a.since);
