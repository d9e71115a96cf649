import { errorAsMarkdown } from "../../models/error/error_as_markdown.ts";
import { errorAsText } from "../../models/error/error_as_text.ts";
import type {
  ErrorContent,
  FetchableScript,
  RelatedContent,
} from "../../models/error/error_content.ts";
import {
  readErrorEvent,
  type ReportedError,
  UnreadableEventError,
} from "../../models/error/error_event.ts";
import { readRelatedItems, type RelatedItems } from "../../models/error/related_items.ts";
import { findSources, type FoundFrame } from "../../models/error/source_finder.ts";
import { TOOL } from "../../protocol/commands.ts";
import { isLoopbackHost } from "../../protocol/loopback.ts";
import type { Inbox } from "../inbox.ts";
import type { readDetailParameters } from "../query_parameters.ts";
import { keyOfScript, type SourceMapOrigins } from "../source_map_fetch.ts";
import { mapReader, MAX_ENVELOPE_BYTES, readBody } from "./read_envelope.ts";
import { MAX_TAGGED, readTagValues } from "./tag_values.ts";

/** Envelopes read for attachments and profiles: of {@linkcode MAX_ENVELOPE_BYTES} in all. */
const MAX_RELATED = 10;
const RELATED_TYPES: ReadonlySet<string> = new Set(["attachment", "profile"]);
const MAX_FEEDBACK = 50;

export type MapOrigins = Pick<SourceMapOrigins, "configured" | "fetchable">;

/** An error, and the frames of its stack traces with source as far as source maps have it. */
export interface StoredError {
  readonly event: ReportedError;
  /** Of each exception; of an event without exceptions, of its one stack trace. */
  readonly stacks: readonly (readonly FoundFrame[])[];
  readonly missing_source: string;
}

/**
 * Reads an error from its envelope, and its source lines from source maps; undefined: it is not stored (any more).
 *
 * @param eventId which event, if the envelope has several
 * @param origins of development servers: their scripts may have a map by their address
 * @throws {UnreadableEventError}
 */
export async function readStoredError(
  inbox: Inbox,
  envelope: number,
  eventId: string | null,
  origins: MapOrigins,
): Promise<StoredError | undefined> {
  const body = await readBody(inbox, envelope, MAX_ENVELOPE_BYTES);
  if (body === undefined) {
    if (inbox.bytes(envelope) === undefined) return undefined;
    throw new UnreadableEventError(
      "This error is too large to display, or its envelope is broken.",
    );
  }
  const event = readErrorEvent(body.bytes, eventId, body.format);
  const sent = event.exceptions.shown.length > 0
    ? event.exceptions.shown.map(({ stack }) => stack.shown)
    : [event.stack.shown];
  const keys = new Map(event.debugIds);
  for (const { file } of sent.flat()) {
    const url = file === null || keys.has(file) ? null : URL.parse(file);
    if (url && origins.configured.includes(url.origin)) keys.set(file!, keyOfScript(url));
  }
  const stacks = await findSources(sent, keys, mapReader(inbox));
  const missing_source = explainMissingSource(stacks.flat(), event.debugIds, origins);
  return { event, stacks, missing_source };
}

/** {@linkcode readStoredError} with everything that belongs to it. @param asked without `envelope`: the group's newest error */
export async function readErrorContent(
  inbox: Inbox,
  asked: ReturnType<ReturnType<typeof readDetailParameters>["error"]>,
  origins: MapOrigins,
): Promise<ErrorContent | undefined> {
  const { rows } = inbox.page("occurrences", { ...asked, envelope: undefined, limit: MAX_TAGGED });
  const [row] = asked.envelope === undefined
    ? rows
    : inbox.page("occurrences", { ...asked, limit: 1 }).rows;
  const { envelope = row?.envelope, event: eventId = row?.event_id ?? null } = asked;
  const stored = envelope && await readStoredError(inbox, envelope, eventId, origins);
  if (!stored) return undefined;
  const { event: { debugIds, ...event }, stacks, missing_source } = stored;
  const trace = event.trace_id ?? undefined;
  const [traceRow] = trace ? inbox.page("traces", { trace, limit: 1 }).rows : [];
  return {
    envelope,
    event,
    stacks,
    missing_source,
    fetchable: fetchableScripts(stacks.flat(), debugIds, origins),
    related: await readRelated(inbox, event, envelope),
    tag_values: await readTagValues(inbox, rows),
    text: errorAsText(stored.event, stacks),
    markdown: errorAsMarkdown(stored.event, stacks, traceRow),
  };
}

function fetchableScripts(
  frames: readonly FoundFrame[],
  debugIds: ReadonlyMap<string, string>,
  { fetchable }: MapOrigins,
): readonly FetchableScript[] {
  const wanted = frames.filter((frame) => frame.source === null || isByAddress(frame, debugIds));
  return [...Map.groupBy(wanted, builtFile)].flatMap(([script, [frame]]) => {
    const origin = URL.parse(script)?.origin ?? "";
    if (!fetchable.includes(origin)) return [];
    const has_map = frame!.script !== null;
    return [{ origin, script, debug_id: debugIds.get(script) ?? null, has_map }];
  });
}

const builtFile = ({ script, file }: FoundFrame) => script?.replace(/:\d+:\d+$/, "") ?? file ?? "";

/** Whether its map was fetched by the script's address: the script may have been built again. */
const isByAddress = (frame: FoundFrame, debugIds: ReadonlyMap<string, string>) =>
  frame.hasMap && !debugIds.has(builtFile(frame));

/** What other envelopes have of an error: feedback, attachments of some SDKs, and profiles, which name only the trace. */
async function readRelated(
  inbox: Inbox,
  { event_id, trace_id }: ErrorContent["event"],
  envelope: number,
): Promise<RelatedContent> {
  const rows = [
    ...inbox.page("envelopes", { q: event_id }).rows,
    ...trace_id === null ? [] : inbox.page("envelopes", { trace: trace_id, type: "profile" }).rows,
  ];
  const ids = new Set(
    rows.filter(({ items }) => items.some(({ type }) => RELATED_TYPES.has(type)))
      .map(({ id }) => id),
  );
  // The search covers the newest envelopes only.
  if (!rows.some(({ id }) => id === envelope)) ids.add(envelope);
  const parts: RelatedItems[] = [];
  let left = MAX_ENVELOPE_BYTES;
  for (const id of [...ids].slice(0, MAX_RELATED)) {
    const body = await readBody(inbox, id, left);
    if (body === undefined) continue;
    left -= body.bytes.byteLength;
    parts.push(readRelatedItems(body.bytes, id, event_id));
  }
  return {
    attachments: parts.flatMap(({ attachments }) => attachments),
    feedback: inbox.page("feedback", { q: event_id, limit: MAX_FEEDBACK }).rows
      .filter(({ about }) => about === event_id),
    profiles: parts.flatMap(({ profiles }) => profiles),
    omitted: ids.size - parts.length,
  };
}

const MAX_PATH = 100;
const UPLOAD = `${TOOL} sourcemaps --to URL FOLDER`;

/** Explains why frames, of all stack traces of an error, have no source, and names the next step; empty if all have it. */
export function explainMissingSource(
  frames: readonly FoundFrame[],
  debugIds: ReadonlyMap<string, string>,
  origins: MapOrigins,
): string {
  const withoutSource = frames.filter(({ source }) => source === null);
  const byAddress = frames.find((frame) => isByAddress(frame, debugIds));
  if (byAddress) {
    return `${builtFile(byAddress)} has no debug id: its source map was fetched by its` +
      " address. If the script was built again between that and the error, the lines are wrong.";
  }
  const noneHasSource = frames.length > 0 && withoutSource.length === frames.length;
  const minified = withoutSource.find(({ file, hasMap }) => !hasMap && debugIds.has(file ?? ""));
  const missing = minified ?? (noneHasSource ? withoutSource.find(isScript) : undefined);
  if (missing) return explainMissingMap(missing.file ?? "", minified !== undefined, origins);
  // The files of these frames were never minified, or are not in the source map.
  if (!noneHasSource) return "";
  return withoutSource.some(({ script }) => script !== null)
    ? "The source map lacks the sources: build it with sourcesContent."
    : "The event contains no source lines.";
}

const isScript = ({ file, hasMap }: FoundFrame) => !hasMap && /^https?:/i.test(file ?? "");

function explainMissingMap(file: string, hasId: boolean, origins: MapOrigins): string {
  const url = URL.parse(file);
  const origin = url?.origin ?? "";
  const path = (url?.pathname ?? file).slice(0, MAX_PATH).toWellFormed();
  if (origins.fetchable.includes(origin)) {
    return `No source map for ${path}: fetch it. The script must end with its address.`;
  }
  if (origins.configured.includes(origin)) {
    return `No page of ${origin} has posted since this server's start: reload one, then open this` +
      " error again to fetch the source map.";
  }
  if (hasId) return `The source map of ${path} is not in the inbox: upload it with ${UPLOAD}.`;
  const adds = `${path} has no debug id: ${UPLOAD} adds them to a build, for later errors.`;
  return url && isLoopbackHost(url.hostname)
    ? `${adds} If a development server serves it, name ${origin} in SOURCE_MAP_ORIGINS.`
    : adds;
}
