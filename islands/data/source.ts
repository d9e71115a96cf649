import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { GroupState, Lists, Page, SourceList } from "../../monitoring/models/rows.ts";
import type { ListQuery } from "../../monitoring/models/list_query.ts";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { RecordingContent } from "../../monitoring/models/recording/timeline.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import type { Refusal } from "../../monitoring/protocol/relay_api.ts";

/** The filters of a list as they are in the address: an age, such as `10m`, is read with each request. */
export interface ConsoleQuery extends Omit<ListQuery, "since" | "until"> {
  readonly since?: string;
  readonly until?: string;
}

/** Of the views. Set before the first of them renders. */
export let source: DataSource;

/** Sets {@linkcode source}, once for the page. */
export function setSource(opened: DataSource): void {
  source = opened;
}

/**
 * Where the views read envelopes and lists: the inbox (`inbox_source.ts`), or in relay mode the envelopes
 * of this page (`this_page_source.ts`). Rejections have a message for display.
 */
export interface DataSource {
  /** `visit`: only what this page has sent since it was opened. */
  readonly scope: "inbox" | "visit";
  /** One page of a list, newest first. */
  list<Name extends keyof Lists>(name: Name, query: ConsoleQuery): Promise<Page<Lists[Name]>>;
  /** {@linkcode list} for envelopes. */
  envelopes(query: ConsoleQuery): Promise<Page<InboxRow>>;
  /** The rows of a list over time; undefined if this source cannot count them. */
  readonly histogram?: (query: ConsoleQuery) => Promise<Histogram>;
  /** What is stored of a trace. */
  trace(id: string): Promise<TraceContent>;
  /** Reads what happened during a recording. */
  recording(id: string): Promise<RecordingContent>;
  /** The sources, and the counts of all lists by a query's source, release and time. */
  sources(query: ConsoleQuery): Promise<SourceList>;
  /** The decompressed bytes of an envelope; undefined if it is not stored (any more). */
  envelope(id: number): Promise<Uint8Array | undefined>;
  /** An envelope for display; undefined if it is not stored (any more). */
  envelopeContent(id: number): Promise<EnvelopeContent | undefined>;
  /**
   * One error.
   *
   * @param eventId which, if the envelope has several
   * @returns undefined: it is not stored (any more)
   */
  error(group: string, envelope: number, eventId: string | null): Promise<ErrorContent | undefined>;
  /**
   * Lets the server fetch the source map of a script.
   *
   * @param debugId that the error has for the script
   */
  readonly fetchMap?: (script: string, debugId: string | null) => Promise<void>;
  /** What the relay refused, newest first; undefined if this source does not know it. */
  readonly refusals?: () => Promise<readonly Refusal[]>;
  /** The state; the same object until it changes. */
  snapshot(): SourceState;
  /** Calls back after the state changed, at most four times a second. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Sends the inbox token; false if it is wrong. */
  authorize(token: string): Promise<boolean>;
  /** Deletes all envelopes. */
  clear(): Promise<void>;
  /** Changes groups of errors; undefined if this source cannot. */
  readonly groups?: {
    setState(group: string, state: GroupState): Promise<void>;
    /** Removes its errors from the lists. */
    delete(group: string): Promise<void>;
  };
  /** The URL of an envelope's bytes; undefined if they are not stored. The caller revokes a `blob:` URL. */
  download(id: number): string | undefined;
  /** {@linkcode download} for an archive of all envelopes, see `inbox_archive.ts`. */
  exported(): string;
  /** Imports an archive; undefined if this source cannot. */
  readonly importArchive?: (archive: Blob) => Promise<ImportResult>;
}

export interface SourceState {
  /** `offline`: no connection, retrying. `forbidden`: needs {@linkcode DataSource.authorize}. */
  readonly state: "connecting" | "live" | "offline" | "forbidden";
  /** When it was `live` last, milliseconds since 1970; undefined: it is, or never was. */
  readonly liveUntil?: number | undefined;
  /** Changes when envelopes were added or deleted: lists must be read again. */
  readonly version: number;
  /** Envelopes received since all were last deleted, including those evicted since the page was opened. */
  readonly total: number;
  /** Changes when the relay refused envelopes: {@linkcode DataSource.refusals} must be read again. */
  readonly refusedVersion: number;
  /** False: the inbox cannot store envelopes, because its disk or database is full or fails. */
  readonly canStore: boolean;
}
