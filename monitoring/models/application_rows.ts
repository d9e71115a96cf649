import type { Side } from "./side.ts";
import { MINUTE_MS } from "./time_units.ts";

/**
 * The application that sent an envelope. It is identified by name, environment and side, which do not change
 * when a new version is released. All texts are untrusted.
 */
export interface Application {
  /** {@linkcode OWN_APPLICATION}'s, or 14 hex digits, see `application.ts`. */
  readonly key: string;
  /** Of the service, the application or the release; without these the SDK's, such as `sentry.python`. */
  readonly name: string;
  /** Null: not known. */
  readonly environment: string | null;
  readonly side: Side;
}

/** This page and this server. */
export const OWN_APPLICATION: Application = {
  key: "sightglass",
  name: "Sightglass",
  environment: null,
  side: "unknown",
};

/** Name of an application that sends neither a name nor its SDK, such as a script that uses `curl`. */
export const UNKNOWN_NAME = "unknown";

/** The name of an SDK without what all of Sentry's have in common. */
export function nameOf({ key, name }: Application): string {
  if (key === OWN_APPLICATION.key) return name;
  if (name === UNKNOWN_NAME) return "sender not named";
  return name.replace(/^sentry\.(javascript\.)?(?=.)/, "");
}

/** The name of an application, and what distinguishes it from others with that name; empty: nothing. */
export type LabelParts = readonly [name: string, details: string];

/**
 * A short label for each application: its name, and of several with the same name what distinguishes it: the side, the
 * environment, or both.
 *
 * @returns labels by key
 */
export function applicationLabels(
  applications: readonly Application[],
): ReadonlyMap<string, LabelParts> {
  const detailsOf = [() => "", sideOf, environmentOf, sideAndEnvironment];
  return new Map(applications.map((application) => {
    const name = nameOf(application);
    const details = detailsOf.find((of) =>
      applications.filter((other) => nameOf(other) === name && of(other) === of(application))
        .length === 1
    );
    return [application.key, [name, (details ?? sideAndEnvironment)(application)]];
  }));
}

/** The label of each application as text, by key: "shop (server)". */
export const labelsByKey = (applications: readonly Application[]): ReadonlyMap<string, string> =>
  new Map([...applicationLabels(applications)].map(([key, label]) => [key, joinLabels([label])]));

/** The labels of what several applications sent together, each name once: "shop (server + browser)". */
export function joinLabels(labels: readonly LabelParts[]): string {
  return [...Map.groupBy(labels, ([name]) => name)].map(([name, same]) => {
    const details = same.flatMap(([, details]) => details || []).join(" + ");
    return details === "" ? name : `${name} (${details})`;
  }).join(" + ");
}

/** "shop (server, production)". */
export const fullLabel = (application: Application): string =>
  joinLabels([[nameOf(application), sideAndEnvironment(application)]]);

const sideOf = ({ side }: Application) => side === "unknown" ? "" : side;
const environmentOf = ({ environment }: Application) => environment ?? "";
const sideAndEnvironment = (application: Application) =>
  [sideOf(application), environmentOf(application)].filter(Boolean).join(", ");

/**
 * The applications that have this name, as sent; if none has, those that are shown so, alone or with what distinguishes
 * them.
 */
export function applicationsNamed<Row extends Application>(rows: readonly Row[], name: string) {
  const labels = labelsByKey(rows);
  const shown: readonly ((row: Row) => string | undefined)[] = [
    (row) => row.name,
    nameOf,
    ({ key }) => labels.get(key),
    fullLabel,
  ];
  return shown.map((textOf) => rows.filter((row) => textOf(row) === name))
    .find(({ length }) => length > 0) ?? [];
}

/** An application and what it has sent: a row of `view=applications`. */
export interface ApplicationRow extends Application {
  /** Newest first, at most {@linkcode MAX_RELEASES}. */
  readonly releases: readonly string[];
  /** When the first envelope of each of them was received that is stored, milliseconds since 1970. */
  readonly releases_since: readonly number[];
  /** When processes of a server started, by their own clocks, newest first, at most {@linkcode MAX_STARTS}. */
  readonly starts: readonly number[];
  readonly envelopes: number;
  /** When its newest envelope was received, milliseconds since 1970. */
  readonly last_seen: number;
  /** Milliseconds by which its newest envelope was sent, by its own clock, after it was received; null: not known. */
  readonly clock_ms: number | null;
}

/** What the SDKs of an application counted in the time of a query. */
export interface Reports {
  /** What they gave up before sending, by Sentry's data category, most first. */
  readonly discarded: readonly Discarded[];
  readonly sessions: readonly SessionCounts[];
}

export type Discarded = Readonly<Record<"category" | "reason", string> & { quantity: number }>;

/** Of a release, disjoint: `errored` are those with handled errors alone. */
export type SessionCounts =
  & { readonly release: string | null }
  & Readonly<Record<"sessions" | "errored" | "unhandled" | "abnormal" | "crashed", number>>;

/**
 * Rows of each list that match the application, release, environment and time of a query; at most
 * {@linkcode MAX_COUNT}.
 */
export interface ListCounts {
  readonly traces: number;
  /** Open groups. */
  readonly errors: number;
  readonly logs: number;
  readonly recordings: number;
  /** Open ones. */
  readonly feedback: number;
  readonly profiles: number;
  readonly envelopes: number;
}

/** The release first seen last, in which something may be new; undefined: none was sent. */
export const newestRelease = (row: ApplicationRow): string | undefined =>
  releasesInOrder(row).at(-1);

/** The releases in the order in which they were first seen. */
export const releasesInOrder = ({ releases, releases_since: since }: ApplicationRow) =>
  releases.toReversed()
    .sort((a, b) => since[releases.indexOf(a)]! - since[releases.indexOf(b)]!);

/** What is known of one release: starts are of all, the clock is the newest envelope's. @param release undefined: all */
export const ofRelease = <Row extends ApplicationRow>(row: Row, release?: string | null): Row =>
  release === undefined || release === null
    ? row
    : { ...row, starts: [], clock_ms: release === row.releases[0] ? row.clock_ms : null };

/** Of OpenTelemetry only the times of what happened are known, which exporters send up to minutes later. */
export const CLOCK_OFF_MS = 5 * MINUTE_MS;

/** How far the clock of a server is ahead; 0: right, not known, or a browser's, which may be one person's of many. */
export function clockOffMs({ side, clock_ms }: ApplicationRow): number {
  const off = side === "browser" ? 0 : clock_ms ?? 0;
  return Math.abs(off) > CLOCK_OFF_MS ? off : 0;
}

/** The response of `view=applications`. */
export interface ApplicationList {
  /** Last seen first, at most {@linkcode MAX_APPLICATIONS}. */
  readonly rows: readonly (ApplicationRow & Reports)[];
  /** Of senders that belong to none. */
  readonly unassigned: Reports;
  readonly counts: ListCounts;
  /** Operations of the spans of the query's application, sorted; at most {@linkcode MAX_OPS}. */
  readonly ops: readonly string[];
}

/** More operations than a person can choose from. */
export const MAX_OPS = 100;

/** More applications than a person can choose from. */
export const MAX_APPLICATIONS = 100;
export const MAX_RELEASES = 20;
/** More than a chart has marks for. */
export const MAX_STARTS = 50;
/** Counting further takes time that grows with the inbox. */
export const MAX_COUNT = 10_000;
