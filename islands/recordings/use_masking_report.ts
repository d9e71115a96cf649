import { MaskingReport } from "../../monitoring/models/recording/masking_report/masking_report.ts";
import type { RecordedEvent } from "../../monitoring/models/recording/recording.ts";
import { useRead } from "../data/use_read.ts";
import { api } from "../data/api.ts";
import { inParallel, inShortTasks, listEnvelopes, MAX_BYTES } from "../shared/read_envelopes.ts";

/** Traces of one visit whose envelopes are read: a page of the list. */
const MAX_TRACES = 200;

/** What a visit has sent beside its recording. */
interface Visit {
  readonly envelopes: readonly { readonly id: number; readonly bytes: Uint8Array }[];
  /** Envelopes that were not read: too many, too large, or evicted. */
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
) {
  const visit = useRead(["visit", replayId, events.length], () => readVisit(replayId));
  const { value } = visit;
  const made = useRead(
    ["masking report", replayId, events.length, visit.version, wanted],
    value && (async (outdated) => {
      const report = new MaskingReport(wanted);
      await inShortTasks(events, (event) => report.addEvent(event), outdated);
      const addEnvelope = ({ id, bytes }: Visit["envelopes"][number]) =>
        report.addEnvelope(id, bytes);
      await inShortTasks(value.envelopes, addEnvelope, outdated);
      return { report, visit: value };
    }),
    0,
  );
  return { made: made.value, error: visit.error ?? made.error, retry: visit.retry };
}

async function readVisit(replayId: string): Promise<Visit> {
  const [segments, traces] = await Promise.all([
    listEnvelopes({ replay: replayId }),
    api.list("traces", { replay: replayId, limit: MAX_TRACES }),
  ]);
  const traceIds = new Set([
    ...traces.rows.map(({ trace_id }) => trace_id),
    ...segments.flatMap(({ trace_ids }) => trace_ids),
  ]);
  const ofTraces = await inParallel(
    [...traceIds].slice(0, MAX_TRACES),
    (trace) => listEnvelopes({ trace }),
  );
  const listed = [...segments, ...ofTraces.flat()];
  const rows = new Map(listed.map((row) => [row.id, row]));
  let bytes = 0;
  const read = [...rows.values()].filter((row) => (bytes += row.bytes) <= MAX_BYTES);
  const found = await inParallel(
    read,
    async ({ id }) => ({ id, bytes: await api.envelope(id) }),
  );
  const envelopes = found.flatMap(({ id, bytes }) => bytes ? [{ id, bytes }] : []);
  const omitted = rows.size - envelopes.length;
  return { envelopes, omitted, hasMore: traces.next !== null || traceIds.size > MAX_TRACES };
}
