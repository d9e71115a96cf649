import type { AllowList } from "../admit/allow_list.ts";
import type { Duplicates } from "../admit/duplicates.ts";
import type { RelayMetrics } from "../metrics.ts";
import type { Clock } from "../send/clock.ts";
import type { IngestClient } from "../send/ingest_client.ts";
import type { RateLimits } from "../send/rate_limits.ts";

/** What live envelopes and those of the spool share. */
export interface RelayParts {
  readonly clock: Clock;
  readonly allowList: AllowList;
  readonly client: Pick<IngestClient, "attempt" | "breakerOf" | "breakers" | "ingests">;
  readonly duplicates: Duplicates;
  readonly limits: RateLimits;
  readonly metrics: RelayMetrics;
}
