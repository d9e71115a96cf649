import { createHash } from "node:crypto";
import { expect } from "@playwright/test";
import { inboxReader, type Received } from "../inbox_reader.ts";
import type { StandInIngest } from "../stand_in_ingest.ts";
import {
  type ArrivedEnvelope,
  type ArrivedItem,
  type ErrorEvent,
  errorOf,
  type Log,
  logsOf,
  readArrival,
  type Sender,
  type Span,
  spansOf,
  textOf,
} from "./arrived_telemetry.ts";

/** Reads the envelopes that arrived since the last call. */
type Source = () => Promise<readonly Received[]> | readonly Received[];

/**
 * The envelopes of one sender that have arrived: at the stand-in ingest in relay mode, in the inbox in
 * inbox mode.
 */
export class Arrivals {
  readonly #source: Source;
  readonly #sender: Sender;
  readonly #envelopes: ArrivedEnvelope[] = [];
  #reading: Promise<unknown> = Promise.resolve();

  constructor(source: Source, sender: Sender = "page") {
    this.#source = source;
    this.#sender = sender;
  }

  /** All envelopes that arrived until now, oldest first, without empty ones (the SDK's probe). */
  async envelopes(): Promise<readonly ArrivedEnvelope[]> {
    // Sequentially: each reads what the one before has not seen.
    const read = this.#reading.then(async () => {
      for (const { bytes, contentEncoding } of await this.#source()) {
        const envelope = await readArrival(bytes, contentEncoding);
        if (envelope.items.length > 0 && envelope.sender === this.#sender) {
          this.#envelopes.push(envelope);
        }
      }
    });
    this.#reading = read.catch(() => {
      // Thrown below; the next call reads again.
    });
    await read;
    return [...this.#envelopes];
  }

  /** All items that arrived until now, oldest first; with `type` only those. */
  async items(type?: string): Promise<readonly ArrivedItem[]> {
    const items = (await this.envelopes()).flatMap((envelope) => envelope.items);
    return type === undefined ? items : items.filter((item) => item.type === type);
  }

  /**
   * Waits for the first item for which `matches` is true.
   *
   * @param what its name in the error message
   * @throws after the expectation timeout, with the types of what has arrived
   */
  waitForItem(what: string, matches: (item: ArrivedItem) => boolean): Promise<ArrivedItem> {
    return this.waitFor(what, (items) => items.find(matches));
  }

  /**
   * Waits until `find` returns neither undefined nor false for all items, and returns its result.
   *
   * @param what its name in the error message
   * @throws after the expectation timeout, with the types of what has arrived
   */
  async waitFor<T>(
    what: string,
    find: (items: readonly ArrivedItem[]) => T | undefined | false,
  ): Promise<T> {
    let found: T | undefined | false;
    let arrived = "";
    try {
      await expect.poll(async () => {
        const items = await this.items();
        arrived = items.map(({ type }) => type).join(", ");
        found = find(items);
        return found !== undefined && found !== false;
      }).toBe(true);
    } catch (error) {
      throw new Error(`${what} did not arrive. Arrived: ${arrived || "nothing"}.`, {
        cause: error,
      });
    }
    return found as T;
  }

  /** Waits for the error event with this text in an exception's message. */
  waitForError(text: string): Promise<ErrorEvent> {
    return this.waitFor(text, (items) => errorOf(items, text));
  }

  /** Waits for the first span for which `matches` is true. */
  waitForSpan(what: string, matches: (span: Span) => boolean): Promise<Span> {
    return this.waitFor(what, (items) => spansOf(items).find(matches));
  }

  /** Waits for the first log for which `matches` is true. */
  waitForLog(what: string, matches: (log: Log) => boolean = () => true): Promise<Log> {
    return this.waitFor(what, (items) => logsOf(items).find(matches));
  }

  /** Everything that has arrived as one text, recordings decompressed. */
  async text(): Promise<string> {
    return (await this.envelopes()).map(textOf).join("\n");
  }
}

/** Reads what the stand-in ingest has received. */
export function arrivalsAtIngest(
  ingest: Pick<StandInIngest, "requests">,
  sender: Sender = "page",
): Arrivals {
  let seen = 0;
  return new Arrivals(() => {
    const unseen = ingest.requests.slice(seen);
    seen += unseen.length;
    return unseen
      .filter(({ method, path }) => method === "POST" && path.includes("/envelope/"))
      .map(({ body, headers }) => ({
        bytes: body,
        contentEncoding: headers["content-encoding"] ?? null,
      }));
  }, sender);
}

/** Reads the server's inbox over HTTP, with its `INBOX_TOKEN` if set. */
export function arrivalsInInbox(origin: string, sender: Sender, token?: string): Arrivals {
  return new Arrivals(inboxReader(origin, token), sender);
}

/**
 * The rows of a list of the inbox.
 *
 * @param query after `view=`: "errors&application=apps"
 */
// deno-lint-ignore no-explicit-any
export async function listRows(origin: string, query: string): Promise<any[]> {
  return (await (await fetch(`${origin}/monitoring/inbox?view=${query}`)).json()).rows;
}

/**
 * A hash and the size of each body, sorted: to compare two lists byte for byte, in any order.
 */
export function fingerprints(bodies: readonly Uint8Array[]): string[] {
  return bodies.map((bytes) => {
    const hash = createHash("sha256").update(bytes).digest("hex");
    return `${hash.slice(0, 32)} ${bytes.byteLength} bytes`;
  }).sort();
}
