import {
  MaskingReport,
  type MaskingResult,
} from "../../monitoring/models/recording/masking_report/masking_report.ts";
import type { RecordedEvent } from "../../monitoring/models/recording/recording.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { inParallel, inShortTasks, listEnvelopes, MAX_BYTES } from "../shared/read_envelopes.ts";
import { useRead } from "../data/use_read.ts";
import { useLoaded } from "../shared/use_loaded.ts";
import { source } from "../data/source.ts";

/** Traces of one visit whose envelopes are read: a page of the list. */
const MAX_TRACES = 200;

/** A report, and what it was made of. */
export interface MaskingReading extends MaskingResult {
  readonly events: number;
  /** Envelopes that were read. */
  readonly envelopes: number;
  /** Envelopes of the visit that were not: too many, too large, or evicted. */
  readonly omittedEnvelopes: number;
  /** Whether the visit has more traces than were read. */
  readonly hasMore: boolean;
}

/** An envelope of the visit, decompressed. */
interface VisitEnvelope {
  readonly id: number;
  readonly bytes: Uint8Array;
}

interface Visit {
  readonly envelopes: readonly VisitEnvelope[];
  readonly omitted: number;
  /** Whether the visit has more traces than were read. */
  readonly hasMore: boolean;
}

/**
 * Makes the masking report of a recording and of the envelopes of its visit: those with its segments, and those of the
 * traces that name it. Reads the envelopes once, and makes the report again when other texts are searched for.
 *
 * @param events of the recording; another list reads the envelopes again
 * @param wanted texts that must not occur
 * @returns the last report, also while the next one is made
 */
export function useMaskingReport(
  replayId: string,
  events: readonly RecordedEvent[],
  wanted: readonly string[],
): {
  readonly state: "reading" | "ready" | "failed";
  readonly report: MaskingReading | undefined;
  readonly error?: string | undefined;
  retry(): void;
} {
  const visit = useRead(["visit", replayId, events.length], () => readVisit(replayId));
  const { value } = visit;
  const report = useLoaded(
    value && ((outdated) => makeReport(events, value, wanted, outdated)),
    [events, value, wanted],
  );
  const states = [visit.state, report.state];
  return {
    state: states.includes("failed") ? "failed" : states.includes("loading") ? "reading" : "ready",
    report: report.value,
    error: visit.error ?? report.error,
    retry: visit.retry,
  };
}

async function readVisit(replayId: string): Promise<Visit> {
  const [{ rows: segments }, traces] = await Promise.all([
    listEnvelopes({ replay: replayId }),
    source.list("traces", { replay: replayId, limit: MAX_TRACES }),
  ]);
  const named = [...traces.rows.map(({ trace_id }) => trace_id), ...segments.flatMap(traceIdsOf)];
  const traceIds = [...new Set(named)];
  const ofTraces = await inParallel(
    traceIds.slice(0, MAX_TRACES),
    (trace) => listEnvelopes({ trace }),
  );
  const listed = [...segments, ...ofTraces.flatMap(({ rows }) => rows)];
  const rows = new Map(listed.map((row) => [row.id, row]));
  let bytes = 0;
  const read = [...rows.values()].filter((row) => (bytes += row.bytes) <= MAX_BYTES);
  const found = await inParallel(
    read,
    async ({ id }) => ({ id, bytes: await source.envelope(id) }),
  );
  const envelopes = found.filter((one): one is VisitEnvelope => one.bytes !== undefined);
  const omitted = rows.size - envelopes.length;
  return { envelopes, omitted, hasMore: traces.next !== null || traceIds.length > MAX_TRACES };
}

const traceIdsOf = ({ trace_ids }: InboxRow) => trace_ids;

/** Makes the report in short tasks. */
async function makeReport(
  events: readonly RecordedEvent[],
  { envelopes, omitted, hasMore }: Visit,
  wanted: readonly string[],
  outdated: AbortSignal,
): Promise<MaskingReading> {
  const report = new MaskingReport(wanted);
  await inShortTasks(events, (event) => report.addEvent(event), outdated);
  await inShortTasks(envelopes, ({ id, bytes }) => report.addEnvelope(id, bytes), outdated);
  return {
    ...report.result(),
    events: events.length,
    envelopes: envelopes.length,
    omittedEnvelopes: omitted,
    hasMore,
  };
}
