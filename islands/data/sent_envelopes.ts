import {
  type SessionData,
  sessionData,
  type SessionEnvelope,
} from "../../monitoring/browser/mod.ts";
import { readEnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import { indexBody } from "../../monitoring/models/index/index_entries.ts";
import { parseEnvelope } from "../../monitoring/models/parsed_envelope.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { Answers, ViewQuery } from "./inbox.ts";
import { inboxState, type InboxStateStore } from "./inbox_state.ts";

/** Envelopes that this page has sent, in the form of an inbox: in relay mode the server stores none. */
export class SentEnvelopes {
  /** Oldest first. */
  readonly #rows = new Map<SessionEnvelope, InboxRow>();
  #lastId = 0;

  constructor(
    readonly page: Pick<SessionData, "envelopes" | "subscribe">,
    readonly state: InboxStateStore,
  ) {
    page.subscribe(() => this.#update());
    this.#update();
    state.changed({ state: "live" });
  }

  /** What a view has; of those that relay mode has. */
  async read<View extends keyof Answers>(
    view: View,
    query: ViewQuery = {},
  ): Promise<Answers[View]> {
    this.#update();
    return await this.#answer(view, query) as Answers[View];
  }

  #answer(view: keyof Answers, { id, type, trace }: ViewQuery): unknown {
    if (view === "envelopes") {
      const rows = [...this.#rows.values()].filter(({ items, trace_ids }) =>
        (!type || items.some((item) => item.type === type)) &&
        (!trace || trace_ids.includes(trace))
      );
      return { rows: rows.reverse(), next: null };
    }
    if (view === "envelope") {
      const [envelope, row] = this.#find(Number(id)) ?? [];
      return envelope && readEnvelopeContent(row!, envelope.bytes);
    }
    const none = { traces: 0, errors: 0, logs: 0, recordings: 0, profiles: 0, feedback: 0 };
    const counts = { ...none, envelopes: this.#rows.size };
    return { rows: [], counts, ops: [] };
  }

  /** The `blob:` address of an envelope's bytes, which the caller revokes; undefined: not stored (any more). */
  address(id: number): string | undefined {
    const [envelope] = this.#find(id) ?? [];
    return envelope && URL.createObjectURL(new Blob([envelope.bytes as Uint8Array<ArrayBuffer>]));
  }

  /** Lists the envelopes since the last call, and forgets those that the page has evicted. */
  #update(): void {
    const all = new Set(this.page.envelopes);
    for (const envelope of this.#rows.keys()) if (!all.has(envelope)) this.#rows.delete(envelope);
    const lastId = this.#lastId;
    for (const envelope of all) {
      if (!this.#rows.has(envelope)) this.#rows.set(envelope, rowOf(envelope, ++this.#lastId));
    }
    if (this.#lastId > lastId) this.state.changed({ total: this.#rows.size });
  }

  #find(id: number) {
    return [...this.#rows].find(([, row]) => row.id === id);
  }
}

/** Of the page, once it is needed. */
export const sentEnvelopes: SentEnvelopes = new SentEnvelopes(sessionData, inboxState);

function rowOf({ at, bytes }: SessionEnvelope, id: number): InboxRow {
  const { description, resources } = indexBody([parseEnvelope(bytes)], at);
  return {
    id,
    received_at: at,
    bytes: bytes.byteLength,
    content_encoding: null,
    application: resources[0]!.application.key,
    ...description,
  };
}
