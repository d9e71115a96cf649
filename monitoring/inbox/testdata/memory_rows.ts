/** Rows of {@linkcode MemoryIndex}: what is counted and chosen over all envelopes. Pure. */
import type { InboxRow } from "../../protocol/inbox_row.ts";
import { CHART_PARTS, chartRange, type GroupTotals } from "../../models/error/error_entry.ts";
import type { RecordingEntry } from "../../models/recording/recording_entry.ts";
import {
  APPLICATIONS,
  type ListQuery,
  MAX_RELEASES,
  MAX_SOURCES,
  OWN_SOURCE,
  type SourceRow,
  type TraceRow,
} from "../../models/rows.ts";
import type { EnvelopeSource } from "../../models/source.ts";
import type { TraceEntry } from "../../models/trace/trace_entry.ts";
import { NO_ROOT_ORDER, rootOrder } from "../../models/trace/trace_root.ts";
import type { IndexEntries } from "../../models/index/index_entries.ts";

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

const orderOf = ({ root }: TraceEntry) => root === null ? NO_ROOT_ORDER : rootOrder(root);

/** Whether a trace is nothing but a preflight: has no error, no log, and is not named for anything else. */
export function isOnlyPreflight(entries: readonly TraceEntry[]): boolean {
  return entries.some((one) =>
    one.preflight &&
    !entries.some((other) => other.failed || other.logs > 0 || orderOf(other) < orderOf(one))
  );
}

/** The row of a trace, from all envelopes that have something of it. */
export function traceRow(id: string, envelopes: readonly IndexedEnvelope[]): TraceRow {
  const full = entriesOfTrace(id, envelopes).filter(hasContent);
  const senders = envelopes.filter(({ entries }) =>
    entries.traces.some((entry) => entry.trace_id === id && hasContent(entry))
  );
  const sum = (name: "spans" | "errors" | "logs") =>
    full.reduce((sum, entry) => sum + entry[name], 0);
  // From the oldest: of two equal candidates the first received wins.
  const first = full.toReversed()
    .reduce((best, next) => orderOf(next) < orderOf(best) ? next : best, full.at(-1)!);
  const { root, seen_at } = first;
  return {
    trace_id: id,
    name: root?.name ?? null,
    op: root?.op ?? null,
    started_at: root?.started_at ?? seen_at,
    ended_at: root?.ended_at ?? null,
    spans: sum("spans"),
    errors: sum("errors"),
    logs: sum("logs"),
    failed: full.some(({ failed }) => failed),
    http_status: greatest([0, ...full.map(({ http_status }) => http_status ?? 0)]) || null,
    replay_id: replayOfTrace(id, envelopes),
    received_at: senders[0]?.receivedAt ?? 0,
    sources: [...new Set(senders.toReversed().map(({ entries }) => entries.source.key))],
  };
}

/** The first recording that a trace names, of those with segments that have arrived. */
function replayOfTrace(id: string | null, envelopes: readonly IndexedEnvelope[]): string | null {
  if (id === null) return null;
  return entriesOfTrace(id, envelopes).map((entry) => arrived(entry.replay_id, envelopes))
    .findLast((replay) => replay !== null) ?? null;
}

/** The recording of an error or a log: the one that it names, else the one that its trace names. */
export function replayOfEntry(
  { replay_id, trace_id }: { readonly replay_id: string | null; readonly trace_id: string | null },
  envelopes: readonly IndexedEnvelope[],
): string | null {
  return replay_id === null ? replayOfTrace(trace_id, envelopes) : arrived(replay_id, envelopes);
}

/** Whether a recording ran during an error or a log, by the same rule. */
export function ranDuring(
  replay: string,
  { replay_id, trace_id }: { readonly replay_id: string | null; readonly trace_id: string | null },
  envelopes: readonly IndexedEnvelope[],
): boolean {
  if (replay_id !== null) return replay_id === replay;
  return trace_id !== null &&
    entriesOfTrace(trace_id, envelopes).some((entry) => entry.replay_id === replay);
}

/** Count and times of a group of errors, of the query's source, release and time. */
export function groupTotals(
  group: string,
  envelopes: readonly IndexedEnvelope[],
  query: ListQuery,
): GroupTotals {
  const isFrom = sentFrom(query, envelopes);
  const times = envelopes
    .filter(({ entries: { source } }) =>
      isFrom(source) && (query.release === undefined || query.release === source.release)
    )
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
function arrived(
  replay: string | null,
  envelopes: readonly IndexedEnvelope[],
): string | null {
  return replay !== null && segmentsOf(replay, envelopes).length > 0 ? replay : null;
}

/** Rows of the sources, last seen first. */
export function sourceRows(envelopes: readonly IndexedEnvelope[]): SourceRow[] {
  const sent = Map.groupBy(envelopes, ({ entries }) => entries.source.key);
  return [...sent.values()].map((envelopes) => {
    const [{ entries }] = envelopes as [IndexedEnvelope];
    const { key, name, environment, side } = entries.source;
    const times = envelopes.map(({ receivedAt }) => receivedAt);
    const releases = envelopes.flatMap(({ entries }) => entries.source.release ?? []);
    return {
      key,
      name,
      environment,
      side,
      releases: [...new Set(releases)].slice(0, MAX_RELEASES),
      envelopes: envelopes.length,
      last_seen: greatest(times),
    };
  }).sort((a, b) => b.last_seen - a.last_seen).slice(0, MAX_SOURCES);
}

// `Math.min(...times)` overflows the stack with thousands of arguments.
const least = (times: readonly number[]) => times.reduce((a, b) => Math.min(a, b), Infinity);
const greatest = (times: readonly number[]) => times.reduce((a, b) => Math.max(a, b), -Infinity);
