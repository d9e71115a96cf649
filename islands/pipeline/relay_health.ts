import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { describeOutcome } from "../../components/outcome.ts";
import {
  type HealthReport as RelayReport,
  OUTCOMES,
  type SpoolReport,
} from "../../monitoring/protocol/relay_api.ts";
import { client } from "../data/queries.ts";
import type { Flow } from "../shared/flow.ts";

/** The relay's health report, about all senders. */
interface RelayHealth {
  /** Of all senders. Undefined: it was not reported. */
  readonly spool?: SpoolReport | undefined;
  /** Since the server started. Undefined: not reported. */
  readonly totals?: SenderTotals | undefined;
}

/** A health report, and when it was read. */
interface HealthReport extends RelayHealth {
  /** Milliseconds since 1970; 0: not read yet. */
  readonly readAt: number;
  /** How many reports in a row had this number of spooled envelopes. */
  readonly asked: number;
}

/** How all senders' envelopes ended. */
export interface SenderTotals {
  /** Delivered to the ingest, or stored in the inbox. */
  readonly accepted: number;
  /** Will not be tried again. */
  readonly refused: number;
  /** The same by outcome; omits outcomes that did not occur. */
  readonly reasons: readonly { readonly word: string; readonly count: number }[];
}

/** The relay's outcomes (`X-Relay-Outcome`) of envelopes that are not tried again. */
const REFUSALS = OUTCOMES.filter((outcome) => describeOutcome({ outcome }).kind === "refused");

/** Pause after a report with another number of spooled envelopes; doubles with each further report of the same number. */
const FIRST_PAUSE_MS = 2_000;
/** Longest pause: a visible page shows soon that the ingest is available again. */
const LONGEST_PAUSE_MS = 10_000;

/**
 * Reads the relay's health (`GET /monitoring`).
 *
 * @param health its JSON; a proxy may have answered in its place
 */
export function readHealth(health: unknown): RelayHealth {
  const { is_healthy, spool, outcomes } = Object(health) as Partial<RelayReport>;
  if (is_healthy === undefined || outcomes === undefined) return {};
  const reasons = REFUSALS.map((outcome) => ({
    word: describeOutcome({ outcome }).word,
    count: outcomes[outcome],
  })).filter(({ count }) => count > 0);
  const refused = reasons.reduce((sum, { count }) => sum + count, 0);
  return { spool, totals: { accepted: outcomes.delivered + outcomes.stored, refused, reasons } };
}

/**
 * Pause until the next request for the health of a relay that holds spooled envelopes.
 *
 * @param asked number of reports in a row with the same number of envelopes, from 1 on
 * @returns milliseconds
 */
export function healthPauseMs(asked: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(asked - 1, 30));
}

/** Collects the envelopes of one burst: one request for all of them. */
const BURST_MS = 1_000;
/** The relay answers health from memory, so a longer wait means that there is no answer. */
const TIMEOUT_MS = 10_000;

const KEY = ["relay health"];
const NOT_READ: HealthReport = { readAt: 0, asked: 0 };

/**
 * The relay's health as it was last read. Read when there may be something new to see: after envelopes of this page ended,
 * when the window is shown or focused, and, in growing pauses, while the relay has spooled envelopes. An idle page
 * requests nothing.
 *
 * @param route where envelopes are posted; if it is not a path, there is no relay
 * @param flow of this page
 */
export function useRelayHealth(route: string, flow: Flow): HealthReport {
  const { spoolingSince } = flow;
  useEffect(() => {
    // The report of an empty spool is older than this spooled envelope.
    client.setQueryData<HealthReport>(
      KEY,
      (report) =>
        spoolingSince !== undefined && report?.spool?.pending === 0
          ? { ...report, spool: undefined }
          : report,
    );
    requestSoon();
  }, [flow]);
  useEffect(() => {
    addEventListener("focus", requestSoon);
    document.addEventListener("visibilitychange", requestSoon);
    return () => {
      removeEventListener("focus", requestSoon);
      document.removeEventListener("visibilitychange", requestSoon);
    };
  }, []);
  return useQuery({
    queryKey: KEY,
    queryFn: () => requestHealth(route),
    enabled: route.startsWith("/"),
    initialData: NOT_READ,
    refetchInterval({ state: { data, status } }) {
      const hasSpooled = data?.spool ? data.spool.pending > 0 : spoolingSince !== undefined;
      // Offline, or a proxy answers.
      const pause = status === "error" ? LONGEST_PAUSE_MS : healthPauseMs(data?.asked ?? 1);
      return hasSpooled && pause;
    },
  }, client).data;
}

let timer: ReturnType<typeof setTimeout> | undefined;

/** Requests it after {@linkcode BURST_MS}. A hidden page requests it when it is shown again. */
function requestSoon(): void {
  timer ??= setTimeout(() => {
    timer = undefined;
    if (!document.hidden) void client.refetchQueries({ queryKey: KEY });
  }, BURST_MS);
}

async function requestHealth(route: string): Promise<HealthReport> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(route, { cache: "no-store", signal });
  const health = readHealth(await response.json());
  const before = client.getQueryData<HealthReport>(KEY) ?? NOT_READ;
  const isSame = health.spool?.pending === before.spool?.pending;
  return { ...health, readAt: Date.now(), asked: isSame ? before.asked + 1 : 1 };
}
