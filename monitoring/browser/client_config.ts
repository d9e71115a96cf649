/** What the server tells the browser at the start: one build serves every deployment. */
export interface ClientConfig {
  /** The DSN that envelopes are addressed to. */
  readonly dsn: string;
  /** Same-origin path to post envelopes to; not set: straight to the DSN's own ingest. */
  readonly tunnel?: string;
  readonly release: string;
  readonly environment: string;
  readonly mode: "inbox" | "relay";
  /** The console's own path: requests at and under it are never traced. */
  readonly monitoringPath: string;
  readonly buildId: string;
}
