/** The server's configuration of the browser's telemetry, in the page: one build serves every deployment. */
export interface ClientConfig {
  /** The DSN that envelopes are addressed to. */
  readonly dsn: string;
  /** Same-origin path to post envelopes to; not set: envelopes go to the DSN's own ingest. */
  readonly tunnel?: string;
  readonly release: string;
  readonly environment: string;
  /** Not read by the page; part of `GET /` in docs/contract.md. */
  readonly mode: "inbox" | "relay";
  /** The configured `MONITORING_PATH`: requests at and under it are not traced. */
  readonly monitoringPath: string;
  /** `required`: no kind of signal is granted until `grant` is called; not set: all are, until `withdraw` is. */
  readonly consent?: "required";
}
