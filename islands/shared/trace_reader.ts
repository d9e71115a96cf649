import { readTraceEnvelope } from "../../monitoring/models/trace/trace_envelope.ts";
import type { TraceParts } from "../../monitoring/models/trace/trace_span.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { isSameList } from "./stable.ts";
import { inParallel, listEnvelopes } from "./read_envelopes.ts";
import { source } from "../data/source.ts";

/** Maximum envelopes read for one trace. A tab that is open for hours sends a few hundred. */
const MAX_ENVELOPES = 1_000;
/** Maximum bytes of these envelopes. 1 MiB holds about 5,000 spans, and all are kept in memory. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Item types that contain spans, errors or logs. */
const READ_TYPES: ReadonlySet<string> = new Set(["event", "log", "span", "transaction"]);

/** Content of one trace, from the envelopes read so far. */
export interface TraceContent {
  /** One for each envelope, oldest first. The same list as before if no envelope was added or evicted. */
  readonly parts: readonly TraceParts[];
  readonly replayId: string | null;
  /** Whether the trace has more envelopes than were read. */
  readonly isTruncated: boolean;
  readonly state: "loading" | "ready" | "failed";
  /** Set if `state` is `failed`: text for the page. */
  readonly error?: string;
}

export const LOADING: TraceContent = {
  parts: [],
  replayId: null,
  isTruncated: false,
  state: "loading",
};

/** Fetches the envelopes of one trace and keeps their content. */
export class TraceReader {
  readonly #parts = new Map<number, TraceParts>();
  #bytes = 0;
  #content = LOADING;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<TraceContent> | undefined;
  isClosed = false;

  constructor(readonly traceId: string) {}

  /** Reads new envelopes. Calls during a read share one further read after it. */
  read(): Promise<TraceContent> {
    if (this.#next) return this.#next;
    const next = this.#running.then(() => {
      this.#next = undefined;
      return this.#readNew();
    });
    this.#next = next;
    this.#running = next.catch(() => {
      // Reported to the caller.
    });
    return next;
  }

  /** Starts no more downloads; running ones end. */
  close(): void {
    this.isClosed = true;
  }

  async #readNew(): Promise<TraceContent> {
    const query = { trace: this.traceId };
    const [{ rows, hasMore }, { rows: [row] }] = await Promise.all([
      listEnvelopes(query, MAX_ENVELOPES),
      source.list("traces", { ...query, limit: 1 }),
    ]);
    const unread = rows.filter(({ id, items }) =>
      !this.#parts.has(id) && items.some(({ type }) => READ_TYPES.has(type))
    );
    await inParallel(unread, (row) => this.#fetch(row));
    const ids = rows.map(({ id }) => id).filter((id) => this.#parts.has(id)).sort((a, b) => a - b);
    const parts = ids.map((id) => this.#parts.get(id)!);
    return this.#content = {
      parts: isSameList(this.#content.parts, parts) ? this.#content.parts : parts,
      replayId: row?.replay_id ?? null,
      isTruncated: hasMore ||
        this.#bytes >= MAX_BYTES && unread.some(({ id }) => !this.#parts.has(id)),
      state: "ready",
    };
  }

  /** Reads an envelope, unless the size limit is reached. */
  async #fetch({ id }: InboxRow): Promise<void> {
    if (this.#bytes >= MAX_BYTES || this.isClosed) return;
    const bytes = await source.envelope(id);
    // Evicted since it was listed.
    if (bytes === undefined) return;
    this.#bytes += bytes.length;
    this.#parts.set(id, readTraceEnvelope(bytes, id, this.traceId));
  }
}
