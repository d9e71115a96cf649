import type { Settings } from "../../components/Configuration.tsx";

/** What the server's configuration decides for the page. Texts; the server fills them in when it starts. */
export interface PageFacts {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser posts to: a path, or "direct to the ingest". */
  readonly route: string;
  /** Where envelopes are delivered to. */
  readonly ingest: string;
  /** What this server stores, and how long. */
  readonly storage: string;
  readonly release: string;
  readonly environment: string;
  readonly build: string;
  /** The project in Sentry; empty: none. */
  readonly sentry: string;
  readonly settings: Settings;
  /** The scripts of monitoring in this build, JSON. */
  readonly scripts: string;
}
