import { attributeAt, parseJson, textAt } from "../../models/json.ts";
import { readDebugIds } from "../../models/error/stack.ts";
import { findSources } from "../../models/error/source_finder.ts";
import { joinProfiles, MAX_JOINED_SAMPLES } from "../../models/profile/join_profiles.ts";
import type { ProfileContent, ProfiledSpan } from "../../models/profile/profile_content.ts";
import {
  isOwnFile,
  NO_NAME,
  type ProfileFrame,
  readSentProfile,
  type SentProfile,
} from "../../models/profile/sent_profile.ts";
import type { ProfileRow } from "../../models/profile/profile_row.ts";
import type { Extent } from "../../models/trace/span_times.ts";
import { displayName } from "../../models/trace/trace_name.ts";
import type { TraceSpan } from "../../models/trace/trace_span.ts";
import { tryReadEnvelope } from "../../protocol/scanner.ts";
import type { Inbox } from "../inbox.ts";
import { mapReader, MAX_ENVELOPE_BYTES, readBody } from "./read_envelope.ts";

/** Decompressed bytes of all chunks. Parsing blocks the server for some 10 ms per MiB. */
const MAX_BYTES = 2 * MAX_ENVELOPE_BYTES;
/** Spans that are drawn above the frames. */
const MAX_SPANS = 200;

/** A profile, or what a profiler recorded of a span or of its session; undefined: it is not stored (any more). */
export async function readProfileContent(
  inbox: Inbox,
  asked: { readonly id: string } & Partial<Record<"trace" | "span" | "thread", string>>,
): Promise<ProfileContent | undefined> {
  const { id, trace, span: spanId, thread } = asked;
  const [row] = inbox.page("profiles", { profile: id, limit: 1 }).rows;
  if (row === undefined) return undefined;
  const traceId = trace ?? row.trace_id;
  const sent = traceId === null ? [] : inbox.trace(traceId).spans
    .filter(({ application }) => application === row.application);
  const span = sent.find(({ span_id }) => span_id === spanId);
  const limit = span && placed(span, traceId);
  const stored = inbox.profile(id, limit?.start_ms ?? 0, limit?.end_ms ?? Infinity);
  const { chunks, omitted } = await readChunks(inbox, row, stored.envelopes);
  const { left, frames, ...joined } = joinProfiles(
    chunks.map(({ sent }) => sent),
    limit ?? { start_ms: 0, end_ms: Infinity },
    thread ?? limit?.thread ?? null,
  );
  const unread = chunks.reduce((sum, { sent }) => sum + sent.omitted, 0);
  const { start_ms, end_ms } = limit ?? { start_ms: row.started_at, end_ms: row.ended_at };
  const isCovered = (span: Extent) => span.start_ms < end_ms && span.end_ms > start_ms;
  const own = sent.find((span) => span.is_segment && displayName(span) === row.name);
  return {
    row,
    ...joined,
    frames: await mapped(inbox, frames, chunks.map(({ payload }) => payload)),
    span: limit ?? (own && placed(own, traceId)) ?? null,
    spans: (traceId === null ? stored.spans : sent.flatMap((span) => placed(span, traceId) ?? []))
      .filter(isCovered).sort((a, b) => lengthOf(b) - lengthOf(a)).slice(0, MAX_SPANS),
    omitted: { envelopes: omitted, samples: left + unread },
  };
}

const lengthOf = ({ start_ms, end_ms }: Extent) => end_ms - start_ms;

function placed(
  { span_id, name, op, start_ms, end_ms, attributes }: TraceSpan,
  trace_id: string | null,
): ProfiledSpan | undefined {
  if (trace_id === null || start_ms === null || end_ms === null || end_ms < start_ms) return;
  const thread = textAt(attributeAt(attributes, "thread.id"));
  return { trace_id, span_id, name: displayName({ name, op }), op, thread, start_ms, end_ms };
}

/** Reads the newest chunks that fit into the limits. @param envelopes newest first */
async function readChunks(inbox: Inbox, row: ProfileRow, envelopes: readonly number[]) {
  const chunks: { readonly sent: SentProfile; readonly payload: unknown }[] = [];
  let [bytes, samples, read] = [MAX_BYTES, 0, 0];
  for (const envelope of envelopes) {
    const body = samples < MAX_JOINED_SAMPLES && await readBody(inbox, envelope, bytes);
    if (!body) break;
    read++;
    bytes -= body.bytes.byteLength;
    for (const { header: { type }, payload } of tryReadEnvelope(body.bytes)?.items ?? []) {
      if (type !== "profile" && type !== "profile_chunk") continue;
      const json = parseJson(payload);
      const sent = readSentProfile(type, json, row.ended_at);
      if (sent?.profile_id !== row.profile_id) continue;
      samples += sent.samples.length;
      chunks.push({ sent, payload: json });
    }
    // Yields to other requests.
    await new Promise((resolve) => setTimeout(resolve));
  }
  return { chunks, omitted: envelopes.length - read };
}

/** The functions of built scripts by their source maps, as far as these are stored. */
async function mapped(
  inbox: Inbox,
  frames: readonly ProfileFrame[],
  payloads: readonly unknown[],
): Promise<readonly ProfileFrame[]> {
  const keys = new Map(payloads.flatMap((payload) => [...readDebugIds(payload)]));
  const none = { source: null, variables: { shown: [], more: 0 } };
  const sent = frames.map((frame) => ({ ...frame, ...none }));
  const [found = []] = await findSources([sent], keys, mapReader(inbox));
  return frames.map((frame, index) => {
    const { script, function: name, file, line, column } = found[index]!;
    if (script === null) return frame;
    return { function: name ?? NO_NAME, file, line, column, own: isOwnFile(file) };
  });
}
