/** One run of the server process, from its start to the signal that ends it. */
export interface ServerRun {
  readonly number: number;
  /** The signal. Set before it is sent, because the server may end at any moment after that. */
  end?: "SIGKILL" | "SIGTERM";
}

/**
 * State of the servers' spool.
 *
 * - `full`: its disk is, so that a server cannot record the ingest's answer
 * - `down`: its database is, so that a server cannot ask it whether it has an envelope
 */
export type SpoolState = "usable" | "full" | "down";

/** An envelope that the ingest received completely. */
export interface Receipt {
  /** Index among all receipts of the run. */
  readonly at: number;
  readonly serverRun: ServerRun;
  /** Milliseconds of any clock. */
  readonly time: number;
  /** Whether the ingest accepted it, or was about to. */
  readonly isAccepted: boolean;
  readonly spool: SpoolState;
  /** Whether its server run, or that of the receipt before it, had been killed. */
  readonly isAfterKill: boolean;
  /** Whether the response was sent completely to a relay that still waited for it. */
  isAnswered: boolean;
}

/** An envelope to send. Its text is generated when needed, to save memory in long runs. */
export interface Posted {
  readonly eventId: string;
  readonly n: number;
  readonly type: string;
  readonly bytes: number;
  /** While there are faults, the ingest answers 500 to this envelope. */
  readonly isPoisoned: boolean;
}

/** An envelope and what happened to it. */
export interface Delivery extends Posted {
  attempts: number;
  acknowledged?: { readonly outcome: string; readonly receiptsBefore: number };
  /** Status of a final refusal. */
  refused?: number;
  isAltered: boolean;
  /** Starts with the first receipt that was accepted. */
  readonly receipts: Receipt[];
}

/**
 * Why the ingest received an envelope again that it had accepted.
 *
 * - `killed`: SIGKILL before the server recorded or acknowledged the ingest's response
 * - `answer lost`: the ingest's response was cut off or came after the relay had stopped waiting
 * - `disk full`: the server was stopped before it could record the response
 * - `not shared yet`: another server sent it less than a second later
 * - `database down`: a server could not know that another had spooled or delivered it
 */
export type DuplicateReason =
  | "killed"
  | "answer lost"
  | "disk full"
  | "not shared yet"
  | "database down"
  | "unexplained";

export interface DeliveryCheck {
  /** Acknowledged, but neither accepted by the ingest nor in the spool. */
  readonly lost: readonly string[];
  /** Everything else that must not happen, one sentence each. */
  readonly wrong: readonly string[];
  readonly duplicates: readonly { readonly id: string; readonly reason: DuplicateReason }[];
}

/** What must not have happened, one line each. */
export function failuresOf({ lost, wrong, duplicates }: DeliveryCheck): string[] {
  return [
    ...lost.map((id) => `lost: ${id}`),
    ...wrong.map((sentence) => `wrong: ${sentence}`),
    ...duplicates.flatMap(({ id, reason }) => reason === "unexplained" ? [`twice: ${id}`] : []),
  ];
}

/** Milliseconds after which a server knows what another has accepted. */
const SHARED_MS = 1_000;

export const DSN = "https://key@o1.ingest.sentry.io/1";
/** Prefix of the run's event ids, because the server also sends envelopes of its own. */
const ID_PREFIX = "c4a54";

/** Records what was posted, acknowledged and received, and finds what must not happen. */
export class DeliveryLog {
  readonly #deliveries = new Map<string, Delivery>();
  #received = 0;

  get all(): readonly Delivery[] {
    return [...this.#deliveries.values()];
  }

  post(posted: Posted): Delivery {
    const delivery = { ...posted, attempts: 0, isAltered: false, receipts: [] };
    this.#deliveries.set(idOf(posted), delivery);
    return delivery;
  }

  acknowledge(delivery: Delivery, outcome: string): void {
    delivery.acknowledged = { outcome, receiptsBefore: this.#received };
  }

  /** The envelope with this text; undefined for an envelope of the server's own. */
  find(text: string): Delivery | undefined {
    const id = findId(text);
    return id === undefined ? undefined : this.#deliveries.get(id);
  }

  receive(
    delivery: Delivery,
    text: string,
    receipt: Omit<Receipt, "at" | "isAnswered" | "isAfterKill">,
  ): Receipt {
    const runs = [receipt.serverRun, delivery.receipts.at(-1)?.serverRun];
    const isAfterKill = runs.some((run) => run?.end === "SIGKILL");
    const recorded = { ...receipt, at: this.#received++, isAnswered: false, isAfterKill };
    if (text !== bodyText(delivery)) delivery.isAltered = true;
    if (receipt.isAccepted || delivery.receipts.length > 0) delivery.receipts.push(recorded);
    return recorded;
  }

  /**
   * @param spooled texts of the envelopes in the spool at the end
   * @param maxInFlight maximum number of envelopes that a kill can interrupt
   */
  check(spooled: readonly string[], maxInFlight: number): DeliveryCheck {
    const kept = new Set(spooled.map(findId));
    const lost: string[] = [];
    const wrong: string[] = [];
    const duplicates: { id: string; reason: DuplicateReason }[] = [];
    const killed = new Map<ServerRun, number>();
    for (const [id, delivery] of this.#deliveries) {
      const { acknowledged, refused, receipts, isAltered } = delivery;
      if (refused !== undefined) wrong.push(`${id} was refused with ${refused}`);
      else if (!acknowledged) wrong.push(`${id} was never acknowledged`);
      else if (receipts.length === 0 && !kept.has(id)) lost.push(`${id} (${acknowledged.outcome})`);
      if (isAltered) wrong.push(`${id} arrived altered`);
      if (acknowledged?.outcome === "delivered") {
        const { receiptsBefore } = acknowledged;
        if (!receipts.some(({ at, isAccepted }) => isAccepted && at < receiptsBefore)) {
          wrong.push(`${id} was acknowledged as delivered before the ingest accepted it`);
        }
        const wasUnknown = receipts.some(({ at, spool }) =>
          at < receiptsBefore && spool === "down"
        );
        if (!wasUnknown && receipts.some(({ at }) => at >= receiptsBefore)) {
          wrong.push(`${id} was sent upstream again after it was acknowledged as delivered`);
        }
      }
      for (const [index, receipt] of receipts.slice(0, -1).entries()) {
        if (!receipt.isAccepted) continue;
        const reason = duplicateReason(receipt, receipts[index + 1]!);
        duplicates.push({ id, reason });
        if (reason === "killed") {
          killed.set(receipt.serverRun, (killed.get(receipt.serverRun) ?? 0) + 1);
        }
      }
    }
    for (const [{ number }, count] of killed) {
      if (count > maxInFlight) {
        wrong.push(`server run ${number}: its kill cannot explain ${count} duplicates`);
      }
    }
    return { lost, wrong: [...wrong, ...this.#outOfOrder()], duplicates };
  }

  /**
   * Segments of a recording that were accepted before their predecessor, although a server could know that this was in
   * the spool.
   */
  #outOfOrder(): string[] {
    const recordings = Object.groupBy(
      this.all.filter(({ type, receipts }) => type === "replay_recording" && receipts.length > 0),
      ({ eventId }) => eventId,
    );
    return Object.values(recordings).flatMap((segments = []) =>
      segments.filter(({ receipts }, n) =>
        n > 0 && receipts[0]!.spool !== "down" &&
        receipts[0]!.at < segments[n - 1]!.receipts[0]!.at
      ).map((segment) => `${idOf(segment)} was accepted before its predecessor`)
    );
  }
}

function duplicateReason(receipt: Receipt, next: Receipt): DuplicateReason {
  const { serverRun, time, isAnswered, spool } = receipt;
  const isOther = serverRun !== next.serverRun;
  if (isOther && next.isAfterKill) return "killed";
  if (!isAnswered) return "answer lost";
  if (isOther && spool === "full") return "disk full";
  if (isOther && (spool === "down" || next.spool === "down")) return "database down";
  if (isOther && next.time - time < SHARED_MS) return "not shared yet";
  return "unexplained";
}

/** Text of what is posted: spans by OTLP, all else in an envelope. */
export function bodyText({ eventId, n, type, bytes }: Posted): string {
  if (type === "span") {
    const span = { traceId: eventId, n, spanId: eventId.slice(0, 16), name: "x".repeat(bytes) };
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  }
  const header = JSON.stringify({ event_id: eventId, dsn: DSN, n });
  const item = JSON.stringify({ type, length: bytes });
  return `${header}\n${item}\n${"x".repeat(bytes)}\n`;
}

/** An event id of the run. */
export function eventIdOf(number: number): string {
  return ID_PREFIX + number.toString(16).padStart(27, "0");
}

function findId(text: string): string | undefined {
  return new RegExp(`"(?:event_id|traceId)":"(${ID_PREFIX}[0-9a-f]+)".*?"n":(\\d+)`).exec(text)
    ?.slice(1).join(".");
}

function idOf({ eventId, n }: Posted): string {
  return `${eventId}.${n}`;
}
