/** A session recording, from its segments received so far. Times are milliseconds since 1970, by the sender's clock. */
export interface RecordingRow {
  readonly replay_id: string;
  /** `page`: of a web page, which can be played. `video`: of a mobile SDK. */
  readonly kind: "page" | "video";
  /** Address of its first page, as sent. */
  readonly page: string | null;
  /** As sent last: the user's name, email or id. */
  readonly user: string | null;
  /** "Chrome 148", by its context or its User-Agent. */
  readonly browser: string | null;
  readonly release: string | null;
  readonly started_at: number;
  readonly ended_at: number;
  /** Numbered segments that have arrived, each counted once. Its pages may use the same numbers. */
  readonly segments: number;
  /** Segments before the last one that have not arrived. */
  readonly missing: number;
  /** Segments that arrived again. */
  readonly doubled: number;
  /** Errors that name it, or whose trace names it: those of `occurrences` with its `replay`. */
  readonly errors: number;
  /** Bytes of its segments, as sent. */
  readonly bytes: number;
  /** Key of the application. */
  readonly application: string;
}
