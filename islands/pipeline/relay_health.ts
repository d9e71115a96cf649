import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  type HealthReport,
  MAX_FOLLOWED,
  type SpoolReport,
} from "../../monitoring/protocol/relay_api.ts";
import { client } from "../data/queries.ts";
import type { SentCounts } from "../data/sent_counts.ts";
import { followSpooled } from "../data/use_sent_counts.ts";

/** The relay's health report: all senders' envelopes since the server started. */
export interface RelayHealth {
  readonly spool: SpoolReport;
  /** Delivered to the ingest, or stored in the inbox. */
  readonly accepted: number;
  /** By the relay or its ingest, without uploads that their sender cut. */
  readonly refused: number;
  /** Those of others than Sightglass. */
  readonly refusedOfOthers: number;
  /** Answered 429, under a limit that the ingest announced: their senders may send them again. */
  readonly limited: number;
  /** Given up in the spool, for their age. */
  readonly lost: number;
  /** Of these, before this page was opened. */
  readonly refusedBefore: number;
  /** Lost before this page was opened. */
  readonly lostBefore: number;
}

/**
 * Reads the relay's health (`GET /monitoring`).
 *
 * @param report its JSON; a proxy may have answered in its place
 * @param before the report before it; undefined: this is the first one
 * @returns undefined: the relay did not report
 */
export function readHealth(
  report: unknown,
  before?: RelayHealth | null,
): RelayHealth | null {
  const { spool, outcomes, refused } = Object(report) as Partial<HealthReport>;
  if (spool === undefined || outcomes === undefined || refused === undefined) return null;
  const { applications: others, sightglass } = refused;
  const { dropped } = outcomes;
  return {
    spool,
    accepted: outcomes.delivered + outcomes.stored,
    refused: others + sightglass,
    refusedOfOthers: others,
    limited: outcomes.rate_limited,
    lost: dropped,
    // A server that was restarted counts from 0 again.
    refusedBefore: Math.min(before?.refusedBefore ?? others, others),
    lostBefore: Math.min(before?.lostBefore ?? dropped, dropped),
  };
}

/** Collects the envelopes of one burst: one request for all of them. */
const BURST_MS = 1_000;
/** Pause between two requests while the relay has spooled envelopes. */
const PAUSE_MS = 5_000;
/** The relay answers health from memory, so a longer wait means that there is no answer. */
const TIMEOUT_MS = 10_000;

/** Of the server of this page, at any `MONITORING_PATH`. */
const OWN_RELAY = "/monitoring";

const KEY = ["relay health"];

/** Requests take turns if more envelopes of this page wait than one may name. */
let turn = 0;

/** @param keys of this page's envelopes in the spool */
async function requestHealth(route: string, keys: readonly string[]): Promise<unknown> {
  const some = keys.slice(turn, turn + MAX_FOLLOWED);
  turn = turn + MAX_FOLLOWED < keys.length ? turn + MAX_FOLLOWED : 0;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const query = some.length > 0 ? `?spooled=${some}` : "";
  const response = await fetch(`${route}${query}`, { cache: "no-store", signal });
  const report: Partial<HealthReport> = Object(await response.json());
  if (report.spooled) followSpooled(report.spooled);
  return report;
}

/**
 * The relay's health as it was last read; undefined: not reported. Read when there may be something new to see: after
 * envelopes of this page ended, when the window is shown or focused, and while the relay has spooled envelopes. An idle
 * page requests nothing.
 *
 * @param route where this page posts; if that is not a path, other applications may still post to this server
 * @returns with `at`: when it was read
 */
export function useRelayHealth(route: string, counts: SentCounts) {
  const { accepted, spooled, refused, lost } = counts;
  useEffect(requestSoon, [accepted, spooled.length, refused, lost]);
  useEffect(() => {
    addEventListener("focus", requestSoon);
    document.addEventListener("visibilitychange", requestSoon);
    return () => {
      removeEventListener("focus", requestSoon);
      document.removeEventListener("visibilitychange", requestSoon);
    };
  }, []);
  const { data } = useQuery({
    queryKey: KEY,
    async queryFn() {
      const report = await requestHealth(route.startsWith("/") ? route : OWN_RELAY, spooled);
      const health = readHealth(report, client.getQueryData<RelayHealth>(KEY));
      return health && { ...health, at: Date.now() };
    },
    refetchInterval: ({ state }) =>
      (state.data?.spool.pending ?? 0) + spooled.length > 0 && PAUSE_MS,
  }, client);
  // A report of an empty spool may be older than a spooled envelope of this page.
  return data && (data.spool.pending > 0 || spooled.length === 0) ? data : undefined;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Requests it after {@linkcode BURST_MS}. A hidden page requests it when it is shown again. */
export function requestSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    if (!document.hidden) void client.refetchQueries({ queryKey: KEY });
  }, BURST_MS);
}
