import type { settings } from "../monitoring/settings.ts";

/** What the server's configuration decides for the page. Texts; the server fills them in when it starts. */
export interface PageFacts {
  /** `inbox` or `relay`. */
  readonly variant: string;
  /** Where the browser posts to: a path, or "direct to the ingest". */
  readonly route: string;
  readonly ingest: string;
  readonly storage: string;
  readonly release: string;
  readonly environment: string;
  readonly build: string;
  /** URL of the issues in Sentry; empty: there are none. */
  readonly sentry: string;
  readonly settings: Readonly<typeof settings>;
  /** The scripts of monitoring in this build, JSON. */
  readonly scripts: string;
}
