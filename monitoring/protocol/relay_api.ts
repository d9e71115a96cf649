/** What `/monitoring` sends to its clients (docs/contract.md), shared by the relay and the page. */

/** Of requests to the server's own relay, in process: `.invalid` does not resolve (RFC 2606, section 2). */
export const INTERNAL_RELAY_URL = "http://relay.invalid/monitoring";

/** How an envelope can end: values of the header `X-Relay-Outcome`. */
export const OUTCOMES = [
  "delivered",
  "spooled",
  "stored",
  "duplicate",
  "rate_limited",
  "rejected",
  "dropped",
] as const;

export type Outcome = typeof OUTCOMES[number];

export interface HealthReport {
  readonly is_healthy: boolean;
  readonly mode: "relay" | "inbox";
  readonly spool: SpoolReport;
  /** Ingests that have failed since their last decision; absent if there are none. `reason`: "it answered 503". */
  readonly ingest?: { readonly failing: readonly Readonly<Record<"origin" | "reason", string>>[] };
  /** Envelopes since the start of the process. */
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Of the rejected ones, by sender. Not among them: uploads that their sender cut. */
  readonly refused: { readonly applications: number; readonly sightglass: number };
  readonly in_flight_bytes: number;
  /** Of the envelopes in `?spooled=`. */
  readonly spooled?: FollowedEnvelopes | undefined;
}

export const MAX_FOLLOWED = 50;

/** What became of envelopes that were spooled, by their keys; null: it is not known. */
export type FollowedEnvelopes = Readonly<
  Record<string, "spooled" | "delivered" | "rejected" | null>
>;

/** Content of the spool; all 0 without a spool. */
export interface SpoolReport {
  readonly pending: number;
  readonly bytes: number;
  readonly oldest_age_s: number;
}

/** A POST, or its preflight, that the relay refused: a row of `GET /monitoring/inbox?view=refusals`. */
export interface Refusal {
  /** ISO 8601. */
  readonly at: string;
  /** The answer's error code. */
  readonly error: string;
  /** The answer's sentence: what is wrong, and what would be right. */
  readonly detail: string;
  /** The request's `Origin`; null: not a page's. Untrusted, like all texts below. */
  readonly origin: string | null;
  /** The request's path, without the query. */
  readonly address: string;
  /** `User-Agent`, else the SDK's name and version. */
  readonly user_agent: string | null;
  /** How often it was refused while it is listed. All other fields are those of the newest time. */
  readonly count: number;
}

export interface RefusalList {
  /** Newest first. */
  readonly rows: readonly Refusal[];
  readonly next: null;
  /** All refused requests since the start of the process. */
  readonly total: number;
}
