import { type StandInIngest, startStandInIngest } from "../stand_in_ingest.ts";
import {
  answers,
  closesHalfWay,
  hangs,
  type IngestBehaviour,
  takes,
  takesSlowly,
} from "../stand_in_behaviour.ts";
import type { IngestRequest } from "../stand_in_request.ts";

/** One life of the server: from one start to the kill that ends it. */
export interface Life {
  readonly number: number;
  isOver: boolean;
}

/** An envelope that came whole to the ingest. */
export interface Receipt {
  readonly id: string;
  readonly text: string;
  readonly life: Life;
  /** Whether the ingest said 2xx, or was about to: then the envelope is its own. */
  readonly taken: boolean;
  /** Whether the answer left whole, to a relay that still waited for it. */
  answeredWell: boolean;
}

/** What the ingest does; the time for which it does it is drawn by whoever changes it. */
export const MOODS: Readonly<Record<string, IngestBehaviour | "refused">> = {
  takes: takes(),
  refused: "refused",
  hangs,
  "answers 500": answers(500),
  "answers 503": answers(503),
  // A limit of a second: nothing is asked of it while that lasts.
  "answers 429": answers(429, { headers: { "x-sentry-rate-limits": "1::key" } }),
  "is slow": takesSlowly(60),
  "answers half": closesHalfWay,
};

/** An ingest on one port that outlives the servers and is seldom well. */
export class FlakyIngest implements AsyncDisposable {
  readonly receipts: Receipt[] = [];
  readonly origin: string;
  /** Whose requests come now. */
  life: Life = { number: 0, isOver: true };
  readonly #byRequest = new Map<IngestRequest, Receipt>();
  readonly #idOf: (text: string) => string | undefined;
  #ingest: StandInIngest | undefined;
  #behaviour: IngestBehaviour = takes();

  /** @param idOf the id of a test's own envelope; undefined for what else a server sends */
  constructor(idOf: (text: string) => string | undefined) {
    this.#idOf = idOf;
    this.#ingest = this.#start();
    this.origin = this.#ingest.origin;
  }

  async turn(mood: string): Promise<void> {
    const behaviour = MOODS[mood] ?? takes();
    if (behaviour === "refused") {
      const closing = this.#ingest;
      this.#ingest = undefined;
      return await closing?.close();
    }
    this.#behaviour = behaviour;
    this.#ingest ??= this.#start(Number(new URL(this.origin).port));
  }

  /** Resolves when nothing of a server that is gone can come any more. */
  async quiet(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 5)); while (this.#ingest?.open);
  }

  #start(port?: number): StandInIngest {
    const ingest = startStandInIngest({
      port,
      keepRequests: false,
      onAnswered: (request) => this.#settle(request, true),
      // A relay that lives and leaves had stopped waiting before the answer came.
      onLeft: (request) => {
        if (this.#byRequest.get(request)?.life.isOver === false) this.#settle(request, false);
      },
    });
    ingest.behave((request) => {
      const behaviour = this.#behaviour;
      const { text } = request;
      const id = this.#idOf(text);
      if (id !== undefined) {
        const taken = behaviour.kind === "take" || behaviour.kind === "close half way";
        const receipt = { id, text, life: this.life, taken, answeredWell: false };
        this.receipts.push(receipt);
        this.#byRequest.set(request, receipt);
      }
      return behaviour;
    });
    return ingest;
  }

  #settle(request: IngestRequest, well: boolean): void {
    const receipt = this.#byRequest.get(request);
    if (receipt) receipt.answeredWell = well && receipt.taken;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ingest?.close();
  }
}
