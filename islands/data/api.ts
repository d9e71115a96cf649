import type { ImportResult } from "../../monitoring/protocol/inbox_archive.ts";
import type { InboxRow } from "../../monitoring/protocol/inbox_row.ts";
import type { ApplicationList, GroupState, Lists, Page } from "../../monitoring/models/rows.ts";
import type { ListQuery } from "../../monitoring/models/list_query.ts";
import type { Histogram } from "../../monitoring/models/histogram.ts";
import type { EnvelopeContent } from "../../monitoring/models/envelope_content.ts";
import type { ErrorContent } from "../../monitoring/models/error/error_content.ts";
import type { RecordingContent } from "../../monitoring/models/recording/timeline.ts";
import type { TraceContent } from "../../monitoring/models/trace/trace_content.ts";
import type { RefusalList } from "../../monitoring/protocol/relay_api.ts";

/** The filters of a list as they are in the address: an age, such as `10m`, is read with each request. */
export interface ConsoleQuery extends Omit<ListQuery, "since" | "until"> {
  readonly since?: string;
  readonly until?: string;
}

/** Of the views. Set before the first of them renders. */
export let api: Api;

/** Sets {@linkcode api}, once for the page. */
export function setApi(opened: Api): void {
  api = opened;
}

/**
 * Where the views read envelopes: the inbox (`inbox_api.ts`), or in relay mode those of this page
 * (`this_page_api.ts`). Rejections have a message for display.
 */
export interface EnvelopeReader {
  /** `session`: only what this page has sent since it was opened. */
  readonly scope: "inbox" | "session";
  /** One page of envelopes, newest first. */
  envelopes(query: ConsoleQuery): Promise<Page<InboxRow>>;
  /** The applications, and the counts of all lists by a query's application, release and time. */
  applications(query: ConsoleQuery): Promise<ApplicationList>;
  /** The decompressed bytes of an envelope; undefined if it is not stored (any more). */
  envelope(id: number): Promise<Uint8Array | undefined>;
  /** An envelope for display; undefined if it is not stored (any more). */
  envelopeContent(id: number): Promise<EnvelopeContent | undefined>;
  /** The state; the same object until it changes. */
  snapshot(): ApiState;
  /** Calls back after the state changed, at most four times a second. Returns the function that unsubscribes. */
  subscribe(listener: () => void): () => void;
  /** Sends the inbox token; false if it is wrong. */
  authorize(token: string): Promise<boolean>;
  /** Deletes all envelopes. */
  clear(): Promise<void>;
  /** The URL of an envelope's bytes; undefined if they are not stored. The caller revokes a `blob:` URL. */
  download(id: number): string | undefined;
  /** {@linkcode download} for an archive of all envelopes, see `inbox_archive.ts`. */
  exported(): string;
  /** Imports an archive; undefined if this API cannot. */
  readonly importArchive?: (archive: Blob) => Promise<ImportResult>;
}

/** The inbox, which also has everything that the envelopes contain. In relay mode that is in Sentry. */
export interface Api extends EnvelopeReader {
  /** One page of a list, newest first. */
  list<Name extends keyof Lists>(name: Name, query: ConsoleQuery): Promise<Page<Lists[Name]>>;
  /** The rows of a list over time. */
  histogram(query: ConsoleQuery): Promise<Histogram>;
  /** What is stored of a trace. */
  trace(id: string): Promise<TraceContent>;
  /** Reads what happened during a recording. */
  recording(id: string): Promise<RecordingContent>;
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
  fetchMap(script: string, debugId: string | null): Promise<void>;
  /** What the relay refused. */
  refusals(): Promise<RefusalList>;
  /** Changes groups of errors. */
  readonly groups: {
    setState(group: string, state: GroupState): Promise<void>;
    /** Removes its errors from the lists. */
    delete(group: string): Promise<void>;
  };
}

export interface ApiState {
  /** `offline`: no connection, retrying. `forbidden`: needs {@linkcode Api.authorize}. */
  readonly state: "connecting" | "live" | "offline" | "forbidden";
  /** When it was `live` last, milliseconds since 1970; undefined: it is, or never was. */
  readonly liveUntil?: number | undefined;
  /** Changes when envelopes were added or deleted: lists must be read again. */
  readonly version: number;
  /** Envelopes received since all were last deleted, including those evicted since the page was opened. */
  readonly total: number;
  /** Changes when the relay refused envelopes: {@linkcode Api.refusals} must be read again. */
  readonly refusedVersion: number;
  /** False: the inbox cannot store envelopes, because its disk or database is full or fails. */
  readonly canStore: boolean;
}
