import type { Inbox } from "../inbox.ts";
import {
  MAX_TRACE_BYTES,
  MAX_TRACE_ENVELOPES,
  type TraceContent,
} from "../../models/trace/trace_content.ts";
import { readTraceEnvelope } from "../../models/trace/trace_envelope.ts";
import type { TraceParts } from "../../models/trace/trace_span.ts";
import { listEnvelopes, readEnvelope } from "./read_envelope.ts";

/** Item types that contain spans, errors or logs. */
const READ_TYPES: ReadonlySet<string> = new Set(["event", "log", "span", "transaction"]);

/** Maximum bytes of the envelopes whose parts are cached: a trace that grows is read again with each arrival. */
const CACHE_BYTES = 32 * 1024 * 1024;

/** Parts of a trace that were read from envelopes, by envelope and trace. Evicts the least recently used. */
class PartsCache {
  readonly #entries = new Map<string, { readonly parts: TraceParts; readonly bytes: number }>();
  #bytes = 0;

  get(key: string) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  set(key: string, parts: TraceParts, bytes: number): void {
    this.#entries.set(key, { parts, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes }] of this.#entries) {
      if (this.#bytes <= CACHE_BYTES) break;
      this.#entries.delete(oldest);
      this.#bytes -= bytes;
    }
  }
}

const caches = new WeakMap<Inbox, PartsCache>();

/**
 * Reads the envelopes of a trace, newest first, as many as the limits allow.
 *
 * @param traceId 32 lower-case hex digits
 */
export async function readTraceContent(inbox: Inbox, traceId: string): Promise<TraceContent> {
  const cache = caches.get(inbox) ?? new PartsCache();
  caches.set(inbox, cache);
  const found: {
    readonly id: number;
    readonly application: string | null;
    readonly parts: TraceParts;
  }[] = [];
  let [bytes, unreadable] = [0, 0];
  // Read first: what arrives meanwhile is not omitted.
  const [row] = inbox.page("traces", { trace: traceId, limit: 1 }).rows;
  for (const { id, items, application } of listEnvelopes(inbox, { trace: traceId })) {
    if (!items.some(({ type }) => READ_TYPES.has(type))) continue;
    if (found.length + unreadable === MAX_TRACE_ENVELOPES || bytes >= MAX_TRACE_BYTES) break;
    const key = `${id} ${traceId}`;
    const known = cache.get(key);
    if (known !== undefined) {
      bytes += known.bytes;
      found.push({ id, application, parts: known.parts });
      continue;
    }
    const body = await readEnvelope(inbox, id, MAX_TRACE_BYTES - bytes);
    if (body === undefined) {
      unreadable++;
      continue;
    }
    bytes += body.byteLength;
    const { spans, marks } = readTraceEnvelope(body, id, traceId);
    const parts = { spans, marks };
    cache.set(key, parts, body.byteLength);
    found.push({ id, application, parts });
    // Yields to other requests.
    await new Promise((resolve) => setTimeout(resolve));
  }
  found.reverse();
  const read = (kind: "spans" | "error" | "log") =>
    found.reduce(
      (sum, { parts: { spans, marks } }) =>
        sum + (kind === "spans" ? spans : marks.filter((mark) => mark.kind === kind)).length,
      0,
    );
  const omitted = {
    spans: Math.max(0, (row?.spans ?? 0) - read("spans")),
    errors: Math.max(0, (row?.errors ?? 0) - read("error")),
    logs: Math.max(0, (row?.logs ?? 0) - read("log")),
  };
  const isTruncated = omitted.spans + omitted.errors + omitted.logs > 0;
  return {
    envelopes: found.map(({ id }) => id),
    applications: found.map(({ application }) => application),
    parts: found.map(({ parts }) => parts),
    replay_id: row?.replay_id ?? null,
    unreadable,
    truncated: isTruncated,
    omitted,
    whole: isTruncated ? row! : null,
  };
}
