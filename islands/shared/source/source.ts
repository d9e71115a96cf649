import type { ImportResult } from "../../../monitoring/protocol/inbox_archive.ts";
import type { InboxRow } from "../../../monitoring/protocol/inbox_row.ts";
import type { ListQuery, Lists, Page } from "../../../monitoring/models/rows.ts";

/**
 * Where the console reads: the embedded inbox, or, in relay mode, what this visit itself has sent.
 * Every call may reject with an error whose message is made to be shown.
 */
export interface ConsoleSource {
  /** `visit`: only what this page made since it was opened. */
  readonly scope: "inbox" | "visit";
  list<Name extends keyof Lists>(name: Name, query: ListQuery): Promise<Page<Lists[Name]>>;
  envelopes(query: ListQuery): Promise<Page<InboxRow>>;
  /** An envelope's bytes, decompressed; undefined: it is not, or no longer, there. */
  envelope(id: number): Promise<Uint8Array | undefined>;
  /** The source map (JSON text) of the script that carries this debug id; undefined: not of this build. */
  sourceMap(debugId: string): Promise<string | undefined>;
  /** The state; the same object until it changes. */
  snapshot(): SourceState;
  /** Calls back after envelopes came or went, a few times a second at most; gives how to stop. */
  subscribe(listener: () => void): () => void;
  /** Shows the inbox's token and begins anew; false: it was not the right one. */
  authorize(token: string): Promise<boolean>;
  /** Forgets everything. */
  clear(): Promise<void>;
  /** The address of an envelope's bytes. One that begins with `blob:` is the caller's to revoke; undefined: it is gone. */
  download(id: number): string | undefined;
  /** The same for everything there is, as one archive (see `archive/format.ts`). */
  exported(): string;
  /** Takes an archive in; not set: this source holds only what it has seen itself. */
  readonly importArchive?: (archive: Blob) => Promise<ImportResult>;
}

export interface SourceState {
  readonly state: "connecting" | "live" | "offline" | "forbidden";
  /** Rises when envelopes came or went: what was listed before may be old. */
  readonly version: number;
  /** How many envelopes there are to read. */
  readonly total: number;
  /** False: the inbox takes no envelopes, because its disk is full or not writable. */
  readonly canStore: boolean;
}
