/** Rows of {@linkcode MemoryIndex}: what is counted and chosen over all envelopes. Pure. */
import type { InboxRow } from "../../protocol/inbox_row.ts";
import { CHART_PARTS, chartRange, type GroupTotals } from "../error/error_entry.ts";
import type { RecordingEntry } from "../recording/recording_entry.ts";
import {
  APPLICATIONS,
  type ListQuery,
  MAX_RELEASES,
  MAX_SOURCES,
  OWN_SOURCE,
  type SourceRow,
  type TraceRow,
} from "../rows.ts";
import type { EnvelopeSource } from "../source.ts";
import { isCloserToRoot, type TraceEntry } from "../trace/trace_entry.ts";
import type { IndexEntries } from "./index_entries.ts";

/** An envelope of the index. Functions over several take them newest first. */
export interface IndexedEnvelope {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly row: InboxRow;
  readonly entries: IndexEntries;
}

/** Whether an envelope is from the source and environment of a query. */
export function sentFrom(
  { source, environment }: ListQuery,
  envelopes: readonly IndexedEnvelope[],
): (sender: EnvelopeSource) => boolean {
  const isApplication = ({ key }: EnvelopeSource) => key !== OWN_SOURCE.key;
  const hasApplications = envelopes.some(({ entries }) => isApplication(entries.source));
  return (sender) =>
    (environment === undefined || environment === sender.environment) &&
    (source === APPLICATIONS
      ? isApplication(sender) === hasApplications
      : source === undefined || source === sender.key);
}

/** Whether a time (milliseconds since 1970) is in the range of a query. */
export function isWithin({ since = -Infinity, until = Infinity }: ListQuery, time: number) {
  return time >= since && time < until;
}

/** The entries of a trace, newest first. */
export function entriesOfTrace(id: string, envelopes: readonly IndexedEnvelope[]): TraceEntry[] {
  return envelopes.flatMap(({ entries }) => entries.traces.filter((one) => one.trace_id === id));
}

/** A trace that is only mentioned, by a recording or a session, is not listed. */
export function hasContent({ spans, errors, logs }: TraceEntry): boolean {
  return spans + errors + logs > 0;
}

/** The row of a trace, from all envelopes that have something of it. */
export function traceRow(id: string, envelopes: readonly IndexedEnvelope[]): TraceRow {
  const full = entriesOfTrace(id, envelopes).filter(hasContent);
  const senders = envelopes.filter(({ entries }) =>
    entries.traces.some((entry) => entry.trace_id === id && hasContent(entry))
  );
  const sum = (name: "spans" | "errors" | "logs") =>
    full.reduce((sum, entry) => sum + entry[name], 0);
  const known = (times: readonly (number | null)[]) => times.filter((time) => time !== null);
  const starts = known(full.map((entry) => entry.started_at));
  const ends = known(full.map((entry) => entry.ended_at));
  // From the oldest: of two equal candidates the first received wins.
  const root = full.toReversed().map((entry) => entry.root)
    .reduce((best, next) => !next || (best && !isCloserToRoot(next, best)) ? best : next, null);
  return {
    trace_id: id,
    name: root?.name ?? null,
    op: root?.op ?? null,
    started_at: least(starts.length > 0 ? starts : full.map((entry) => entry.seen_at)),
    ended_at: ends.length > 0 ? greatest(ends) : null,
    spans: sum("spans"),
    errors: sum("errors"),
    logs: sum("logs"),
    failed: full.some(({ failed }) => failed),
    http_status: greatest([0, ...full.map(({ http_status }) => http_status ?? 0)]) || null,
    replay_id: entriesOfTrace(id, envelopes).map((entry) => arrived(entry.replay_id, envelopes))
      .findLast((replay) => replay !== null) ?? null,
    received_at: senders[0]?.receivedAt ?? 0,
    sources: [...new Set(senders.toReversed().map(({ entries }) => entries.source.key))],
  };
}

/** Count and times of a group of errors, of the query's source and time. */
export function groupTotals(
  group: string,
  envelopes: readonly IndexedEnvelope[],
  query: ListQuery,
): GroupTotals {
  const isFrom = sentFrom(query, envelopes);
  const times = envelopes.filter(({ entries }) => isFrom(entries.source))
    .flatMap(({ entries }) => entries.errors)
    .filter((error) => error.group === group).map(({ at }) => at);
  const counted = times.filter((time) => isWithin(query, time));
  const seen = { first_seen: least(times), last_seen: greatest(times) };
  const { chart_from, chart_to } = chartRange(query, seen);
  const chart = Array<number>(CHART_PARTS).fill(0);
  for (const time of counted) {
    const part = Math.trunc((time - chart_from) * CHART_PARTS / (chart_to - chart_from));
    chart[Math.min(CHART_PARTS - 1, part)]! += 1;
  }
  return { count: counted.length, ...seen, chart, chart_from, chart_to };
}

/** The segments of a recording, in the order of arrival. */
export function segmentsOf(
  replay: string,
  envelopes: readonly IndexedEnvelope[],
): RecordingEntry[] {
  return envelopes.flatMap(({ entries }) => entries.recordings)
    .filter(({ replay_id }) => replay_id === replay).reverse();
}

/** The id of a recording if segments of it have arrived, else null. */
export function arrived(
  replay: string | null,
  envelopes: readonly IndexedEnvelope[],
): string | null {
  return replay !== null && segmentsOf(replay, envelopes).length > 0 ? replay : null;
}

/** Rows of the sources, last seen first. */
export function sourceRows(envelopes: readonly IndexedEnvelope[]): SourceRow[] {
  const sent = Map.groupBy(envelopes, ({ entries }) => entries.source.key);
  return [...sent.values()].slice(0, MAX_SOURCES).map((envelopes) => {
    const [{ entries, receivedAt }] = envelopes as [IndexedEnvelope];
    const { release: _, ...source } = entries.source;
    const releases = envelopes.flatMap(({ entries }) => entries.source.release ?? []);
    return {
      ...source,
      releases: [...new Set(releases)].slice(0, MAX_RELEASES),
      envelopes: envelopes.length,
      last_seen: receivedAt,
    };
  });
}

// `Math.min(...times)` overflows the stack with thousands of arguments.
const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), -Infinity);
