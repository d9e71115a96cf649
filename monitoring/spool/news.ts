import { MAX_REMEMBERED, REMEMBERED_KEY_BYTES } from "../protocol/server_news.ts";
import type { ReportedNews, ServerNews, Spool } from "./spool.ts";

/**
 * Milliseconds between two exchanges. A page resends an envelope no sooner than after 1.5 s: by then one server must
 * have reported it, and the others must have read that, also on a busy machine.
 */
const EXCHANGE_MS = 250;
/** Maximum milliseconds that the start of a server waits for the others' news. */
const FIRST_MS = 1_000;

/** Bytes of the newest keys that are kept. */
export const MAX_NEWS_BYTES = MAX_REMEMBERED * REMEMBERED_KEY_BYTES;

/** News in the tables of both backends. */
export interface NewsRow {
  readonly id: number;
  /** Milliseconds since 1970. */
  readonly reported_at: number;
  readonly keys: Uint8Array;
  /** JSON. */
  readonly limits: string;
}

export function reportedNews({ reported_at, keys, limits }: NewsRow, now: number): ReportedNews {
  // A copy: `pg` returns parts of shared buffers.
  return {
    keys: new Uint8Array(keys),
    limits: JSON.parse(limits),
    ageMs: Math.max(0, now - reported_at),
  };
}

export function hasNews({ keys, limits }: ServerNews): boolean {
  return keys.length > 0 || limits.length > 0;
}

/** What a server shares with the others on its spool. */
export interface Sharing {
  /** Reports what is new, and learns what `report` returns. */
  exchange(report: (news: ServerNews) => Promise<readonly ReportedNews[]>): Promise<void>;
  learn(news: ReportedNews): void;
}

const NO_NEWS: ServerNews = { keys: new Uint8Array(), limits: [] };

/** Exchanges news with the other servers on a spool, in the background. */
export class NewsExchange {
  readonly #spool: Pick<Spool, "exchange" | "onNews">;
  readonly #sharing: Sharing;
  readonly #everyMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<boolean>;
  #isStopping = false;

  /** @param everyMs between two exchanges. Default: {@linkcode EXCHANGE_MS} */
  constructor(spool: Pick<Spool, "exchange" | "onNews">, sharing: Sharing, everyMs = EXCHANGE_MS) {
    this.#spool = spool;
    this.#sharing = sharing;
    this.#everyMs = everyMs;
    this.#running = this.#exchange();
    spool.onNews?.(() => this.#learn());
  }

  /** Resolves after the first exchange, or after {@linkcode FIRST_MS}. */
  async started(): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => timer = setTimeout(resolve, FIRST_MS));
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
  }

  /** Reports the last news, unless the spool fails. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    if (await this.#running) await this.#exchange();
  }

  /** Returns whether it succeeded. The next one follows later. */
  async #exchange(): Promise<boolean> {
    try {
      await this.#sharing.exchange((news) => this.#spool.exchange(news, Date.now()));
      return true;
    } catch {
      // The spool fails, which its drain logs. The relay works with what it knows.
      return false;
    } finally {
      if (!this.#isStopping) {
        this.#timer = setTimeout(() => this.#running = this.#exchange(), this.#everyMs);
        Deno.unrefTimer(this.#timer);
      }
    }
  }

  /** Only reads: if it reported too, servers would answer each hint with another. */
  async #learn(): Promise<void> {
    if (this.#isStopping) return;
    try {
      // The first exchange reads what was reported before.
      await this.#running;
      const reported = await this.#spool.exchange(NO_NEWS, Date.now());
      for (const news of reported) this.#sharing.learn(news);
    } catch {
      // The next exchange reads it.
    }
  }
}
