import { categoryBits, categoryOf, quantitiesOf } from "../../protocol/categories.ts";
import { eventId } from "../../protocol/envelope.ts";
import type { SpoolReport } from "../../protocol/relay_api.ts";
import type { PutResult, SpooledEnvelope, SpoolStats } from "../../protocol/spooled_envelope.ts";
import type { AdmittedEnvelope } from "../admit/incoming_envelope.ts";
import { type Answer, takenAnswer } from "../answer.ts";
import { RelayError } from "../errors.ts";
import type { Sender } from "./sender.ts";

/** What the relay needs of a spool. */
export interface EnvelopeSpool {
  /**
   * Stores an envelope and takes ownership of its bytes.
   *
   * @throws if the spool cannot be used; then nothing was stored
   */
  put(envelope: SpooledEnvelope): Promise<PutResult>;
  has(key: Uint8Array): Promise<boolean>;
  /** Whether an envelope of this sequence of a DSN is stored. */
  hasSequence(dsn: string, sequence: string): Promise<boolean>;
  stats(): Promise<Stats>;
}

type Stats = Pick<SpoolStats, "pending" | "bytes" | "oldestAt">;

/**
 * Milliseconds for which the spool counts as empty once that was read. Another process may fill it, but a page resends
 * an envelope no sooner than after 1.5 s, so the duplicate is found. Reading it for each envelope would be slow.
 */
export const EMPTY_CACHE_MS = 1_000;

/** Why an envelope must not be sent now: it is in the spool itself, or an earlier segment of its recording is. */
export type SpoolMatch = "duplicate" | "earlier segment";

/** The relay's access to the spool. */
export class RelaySpool {
  readonly #spool: EnvelopeSpool;
  readonly #uptime: () => number;
  #isEmpty = false;
  /** Begins and ends of puts. */
  #puts = 0;
  /** When `#isEmpty` was asked for. */
  #readAt = -Infinity;
  #isFailing = false;

  /** @param uptime milliseconds of a monotonic clock */
  constructor(spool: EnvelopeSpool, uptime: () => number) {
    this.#spool = spool;
    this.#uptime = uptime;
  }

  /** Whether the last envelope could not be stored. */
  get isFailing(): boolean {
    return this.#isFailing;
  }

  /** Finds an envelope in the spool that must be delivered before, or instead of, this one. */
  async find(envelope: AdmittedEnvelope): Promise<SpoolMatch | undefined> {
    const isCached = this.#uptime() - this.#readAt < EMPTY_CACHE_MS;
    if (isCached && this.#isEmpty) return undefined;
    try {
      if (!isCached) await this.stats();
      if (this.#isEmpty) return undefined;
      if (await this.#spool.has(envelope.key)) return "duplicate";
      const sequence = sequenceOf(envelope);
      if (sequence === undefined) return undefined;
      const isWaiting = await this.#spool.hasSequence(envelope.dsn.text, sequence);
      return isWaiting ? "earlier segment" : undefined;
    } catch {
      // The spool fails; `put` reports that. This envelope can still be sent.
      return undefined;
    }
  }

  /**
   * Stores an envelope: 202, or 200 if it is a duplicate.
   *
   * @param reason why it was not sent, as part of a sentence
   * @throws {RelayError} `spool_full`, `spool_unavailable`
   */
  async put(envelope: AdmittedEnvelope, sender: Sender, reason: string): Promise<Answer> {
    const { bytes, contentEncoding, header, items, dsn, key, receivedAt } = envelope;
    this.#isEmpty = false;
    this.#puts++;
    let result: PutResult | "failed";
    try {
      result = await this.#spool.put({
        dsn: dsn.text,
        bytes,
        contentEncoding,
        userAgent: sender.userAgent,
        address: sender.address,
        clientHints: sender.clientHints,
        receivedAt,
        key,
        eventId: eventId(header),
        sequence: sequenceOf(envelope),
        quantities: quantitiesOf(items),
        categories: categoryBits(items.map(({ type }) => categoryOf(type))),
      });
    } catch {
      result = "failed";
    }
    this.#puts++;
    this.#isFailing = result === "full" || result === "failed";
    if (result === "duplicate") return takenAnswer(header, "duplicate");
    if (result === "kept") return { ...takenAnswer(header, "spooled"), status: 202 };
    const problem = result === "full" ? "is full" : "cannot store it";
    throw new RelayError(
      result === "full" ? "spool_full" : "spool_unavailable",
      `The ingest has not taken the envelope (${reason}) and the spool ${problem}; send it again later.`,
    );
  }

  /**
   * The spool's part of the health report.
   *
   * @param now milliseconds since 1970
   * @returns undefined if the spool cannot be read
   */
  async report(now: number): Promise<SpoolReport | undefined> {
    try {
      const { pending, bytes, oldestAt = now } = await this.stats();
      return { pending, bytes, oldest_age_s: Math.max(0, Math.floor((now - oldestAt) / 1000)) };
    } catch {
      return undefined;
    }
  }

  /** @throws what the spool throws */
  async stats(): Promise<Stats> {
    const askedAt = this.#uptime();
    const putsBefore = this.#puts;
    const stats = await this.#spool.stats();
    // Else it may have been read before an envelope was put.
    this.#isEmpty = stats.pending === 0 && this.#puts === putsBefore;
    this.#readAt = askedAt;
    return stats;
  }
}

/** The id of the recording of which the envelope is a segment, which is its event id. */
function sequenceOf({ header, items }: AdmittedEnvelope): string | undefined {
  return items.some(({ type }) => type === "replay_recording") ? eventId(header) : undefined;
}
