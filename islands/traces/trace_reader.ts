import type { ConsoleSource } from "../shared/source/source.ts";
import { readTraceEnvelope } from "../../monitoring/models/trace/trace_envelope.ts";
import type { TraceParts } from "../../monitoring/models/trace/trace_span.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import { isSame } from "./same.ts";

/** Envelopes read for one trace: a tab that is open for hours sends some hundred. */
const MAX_ENVELOPES = 1_000;
/** Their bytes: spans of a megabyte are some 5,000, and what is read is held in memory. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Envelopes fetched at once; more would only queue behind each other. */
const AT_ONCE = 4;

/** Items that spans, errors and logs are read from. */
const READ: ReadonlySet<string> = new Set(["event", "log", "span", "transaction"]);

/** What the source has of one trace. */
export interface FoundParts {
  /** In the order in which their envelopes came. The same list until one more has come, or one has gone. */
  readonly parts: readonly TraceParts[];
  readonly replayId: string | null;
  /** There is more than is read. */
  readonly cut: boolean;
  readonly state: "loading" | "ready" | "failed";
  /** Made to be shown. */
  readonly error?: string;
}

/** Before anything was read. */
export const nothingFound: FoundParts = { parts: [], replayId: null, cut: false, state: "loading" };

/** Fetches and keeps what envelopes hold of one trace. */
export class TraceReader {
  readonly #parts = new Map<number, TraceParts>();
  #bytes = 0;
  #found = nothingFound;
  #running: Promise<unknown> = Promise.resolve();
  #next: Promise<FoundParts> | undefined;
  closed = false;

  constructor(readonly source: ConsoleSource, readonly traceId: string) {}

  /** One round at a time: all who ask while one is under way get what the next one finds. */
  read(): Promise<FoundParts> {
    if (this.#next) return this.#next;
    const round = this.#running.then(() => {
      this.#next = undefined;
      return this.#round();
    });
    this.#next = round;
    this.#running = round.catch(() => {
      // Who asked is told.
    });
    return round;
  }

  /** Nobody looks at this trace any more. */
  close(): void {
    this.closed = true;
  }

  async #round(): Promise<FoundParts> {
    const { rows, more } = await this.#rows();
    const waiting = rows.filter(({ id, items }) =>
      !this.#parts.has(id) && items.some(({ type }) => READ.has(type))
    );
    await Promise.all(Array.from({ length: AT_ONCE }, () => this.#fetch(waiting)));
    const ids = rows.map(({ id }) => id).filter((id) => this.#parts.has(id)).sort((a, b) => a - b);
    const parts = ids.map((id) => this.#parts.get(id)!);
    return this.#found = {
      parts: isSame(this.#found.parts, parts) ? this.#found.parts : parts,
      replayId: rows.find(({ replay_id }) => replay_id !== null)?.replay_id ?? null,
      cut: more || waiting.length > 0,
      state: "ready",
    };
  }

  async #rows(): Promise<{ rows: InboxRow[]; more: boolean }> {
    const rows: InboxRow[] = [];
    let before: string | undefined;
    do {
      const page = await this.source.envelopes({
        trace: this.traceId,
        ...(before !== undefined && { before }),
      });
      rows.push(...page.rows);
      before = page.next ?? undefined;
    } while (before !== undefined && rows.length < MAX_ENVELOPES);
    return { rows, more: before !== undefined };
  }

  /** Takes one after the other out of the list, until it is empty or enough has been read. */
  async #fetch(waiting: InboxRow[]): Promise<void> {
    while (this.#bytes < MAX_BYTES && !this.closed) {
      const row = waiting.pop();
      if (row === undefined) return;
      const bytes = await this.source.envelope(row.id);
      // Evicted since it was listed.
      if (bytes === undefined) continue;
      this.#bytes += bytes.length;
      this.#parts.set(row.id, readTraceEnvelope(bytes, row.id, this.traceId));
    }
  }
}
