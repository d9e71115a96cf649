import { eventId } from "../protocol/envelope.ts";
import type { AdmittedEnvelope } from "./admission.ts";
import { type Answer, takenAnswer } from "./answer.ts";
import { categoryBits, categoryOf, quantitiesOf } from "../protocol/categories.ts";
import { RelayError } from "./errors.ts";
import type { Sender } from "./sender.ts";

/** An envelope with all that it takes to deliver it later, or to say what was lost with it. */
export interface SpooledEnvelope {
  readonly dsn: string;
  readonly bytes: Uint8Array;
  readonly contentEncoding: string | null;
  readonly userAgent: string | null;
  readonly address?: string;
  readonly clientHints?: Readonly<Record<string, string>>;
  readonly receivedAt: number;
  readonly key: Uint8Array;
  readonly eventId?: string;
  /** Those of one sequence are delivered in order: the segments of a recording. */
  readonly sequence?: string;
  readonly quantities: Readonly<Record<string, number>>;
  /** Categories of its items, for limits: a bit set of `categories.ts`. */
  readonly categories: number;
}

/** What the relay needs of a spool. */
export interface EnvelopeSpool {
  /**
   * `kept`: it is on a disk that lasts. `duplicate`: one with its key is. `full`: there is no room for it. Takes
   * ownership of the bytes.
   *
   * @throws if the spool cannot do its work: nothing was kept
   */
  put(envelope: SpooledEnvelope): Promise<"kept" | "duplicate" | "full">;
  has(key: Uint8Array): Promise<boolean>;
  /** Whether an envelope of this recording of a DSN is in it. */
  hasSequence(dsn: string, sequence: string): Promise<boolean>;
  stats(): Promise<SpoolNumbers>;
}

export interface SpoolNumbers {
  readonly pending: number;
  readonly bytes: number;
  /** When the oldest was received, milliseconds since 1970. */
  readonly oldestAt: number | undefined;
}

/**
 * Milliseconds for which "the spool is empty" is believed: another process may fill it. A page by itself sends
 * again no sooner than after 1.5 seconds, so what that process has kept is known here when it comes
 * here. To look for each envelope would cost each a turn of the spool's thread. Not known here is
 * what another process is still sending: it stands nowhere yet, and may be delivered by both.
 */
export const BELIEVED_MS = 1_000;

/** Where an envelope stands that the spool has to do with. */
export type Place = "duplicate" | "behind";

/** Keeps what the ingest cannot take now, and knows of what it keeps. */
export class Spooling {
  readonly #spool: EnvelopeSpool;
  readonly #uptime: () => number;
  /** Whether there may be something in it, and when that was found out. */
  #isEmpty = false;
  #lookedAt = -Infinity;
  #failing = false;

  /** @param uptime milliseconds of a clock that never goes back */
  constructor(spool: EnvelopeSpool, uptime: () => number) {
    this.#spool = spool;
    this.#uptime = uptime;
  }

  /** Whether the last envelope that should be kept could not be. */
  get isFailing(): boolean {
    return this.#failing;
  }

  /**
   * What is to be done with an envelope before its ingest is asked: `duplicate` if one like it waits
   * here, `behind` if others of its recording do, else nothing. At once while the spool is known to be empty.
   */
  place(envelope: AdmittedEnvelope): Promise<Place | undefined> | undefined {
    if (this.#isEmpty && this.#isKnown()) return undefined;
    return this.#find(envelope);
  }

  async #find(envelope: AdmittedEnvelope): Promise<Place | undefined> {
    try {
      if (!this.#isKnown()) await this.stats();
      if (this.#isEmpty) return undefined;
      if (await this.#spool.has(envelope.key)) return "duplicate";
      const sequence = sequenceOf(envelope);
      if (sequence === undefined) return undefined;
      return await this.#spool.hasSequence(envelope.dsn.text, sequence) ? "behind" : undefined;
    } catch {
      // The spool fails, which the next one that it should keep will say. This one can still go.
      return undefined;
    }
  }

  /**
   * Keeps an envelope: 202, or 200 if one like it is kept already.
   *
   * @param why the ingest does not have it, as a part of a sentence
   * @throws {RelayError} `spool_full`, `spool_unavailable`
   */
  async keep(envelope: AdmittedEnvelope, sender: Sender, why: string): Promise<Answer> {
    const { bytes, contentEncoding, header, items, dsn, key, receivedAt } = envelope;
    this.#isEmpty = false;
    let put: Awaited<ReturnType<EnvelopeSpool["put"]>> | "failed";
    try {
      put = await this.#spool.put({
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
      put = "failed";
    }
    this.#failing = put === "full" || put === "failed";
    if (put === "duplicate") return takenAnswer(header, "duplicate");
    if (put === "kept") return { ...takenAnswer(header, "spooled"), status: 202 };
    const [code, problem] = put === "full"
      ? ["spool_full", "is full"] as const
      : ["spool_unavailable", "cannot keep it"] as const;
    throw new RelayError(
      code,
      `The ingest has not taken the envelope (${why}) and the spool ${problem}; send it again later.`,
    );
  }

  /** @throws what the spool throws */
  async stats(): Promise<SpoolNumbers> {
    const numbers = await this.#spool.stats();
    this.#isEmpty = numbers.pending === 0;
    this.#lookedAt = this.#uptime();
    return numbers;
  }

  /** Whether what was found out last is believed still. */
  #isKnown(): boolean {
    return this.#uptime() - this.#lookedAt < BELIEVED_MS;
  }
}

/** The recording that an envelope holds a segment of: its id is the envelope's own. */
function sequenceOf({ header, items }: AdmittedEnvelope): string | undefined {
  return items.some(({ type }) => type === "replay_recording") ? eventId(header) : undefined;
}
