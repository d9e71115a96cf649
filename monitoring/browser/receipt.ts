/** What the browser knows of one envelope that it made. */
export interface Receipt {
  /**
   * The envelope's `event_id`, or a local id where it has none. All segments of one recording share
   * an id: together with `at` it names one envelope.
   */
  readonly id: string;
  /** When the envelope was made, milliseconds since the epoch. */
  readonly at: number;
  readonly items: readonly ReceiptItem[];
  /** The whole envelope's size. */
  readonly bytes: number;
  /** HTTP status of the last answer that counts; undefined while there is none. */
  readonly status?: number | undefined;
  /**
   * How it ended: the relay's `X-Relay-Outcome`; `dropped` or `rate_limited` where it never left;
   * `handed_over` where another tab saw to it.
   */
  readonly outcome?: string | undefined;
  /** Why it was refused, given up, or has to wait. */
  readonly error?: string | undefined;
  /** How often it was sent. */
  readonly attempts: number;
  /** Milliseconds from when it was made to the last answer. */
  readonly tookMs: number;
}

export interface ReceiptItem {
  /** Sentry's item type, such as `event`. */
  readonly type: string;
  /** The payload's size. */
  readonly bytes: number;
  /** How many are in it, where it is a container of logs or spans. */
  readonly count?: number;
}
