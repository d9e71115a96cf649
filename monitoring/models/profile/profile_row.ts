/** A profile of one transaction, or a profiler's session from its chunks received so far. Times are milliseconds since 1970. */
export interface ProfileRow {
  /** Of the profile or of the profiler. */
  readonly profile_id: string;
  /** `transaction`: of one. `session`: of a profiler that runs on, while spans name it. */
  readonly of: "transaction" | "session";
  /** Of the transaction; of a session that of the longest span that names it and no other thread than `samples` are of. */
  readonly name: string | null;
  /** When its first and its last sample was taken. */
  readonly started_at: number;
  readonly ended_at: number;
  /** Of its main thread, each chunk counted once. */
  readonly samples: number;
  /** The function with most samples of its own, and its part of those in which a function ran; of a session, in its newest chunks. */
  readonly top:
    | Readonly<{ function: string; file: string | null; share: number; of: number }>
    | null;
  /** The first spans of pages and processes that name the session's profiler; null: of a transaction, not counted. */
  readonly spans: number | null;
  readonly release: string | null;
  /** Of the transaction. */
  readonly trace_id: string | null;
  /** Key of the application. */
  readonly application: string;
}
