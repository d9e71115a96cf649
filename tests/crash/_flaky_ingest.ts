import { categoryOf } from "../../monitoring/protocol/categories.ts";
import { findStablePort } from "../harness/stable_port.ts";
import { type StandInIngest, startStandInIngest } from "../harness/stand_in_ingest.ts";
import {
  answers,
  closes,
  closesHalfWay,
  hangs,
  type IngestBehaviour,
  takes,
  takesSlowly,
} from "../harness/stand_in_behaviour.ts";
import type { IngestRequest } from "../harness/stand_in_request.ts";
import type { Delivery, DeliveryLog, Receipt, ServerRun, SpoolState } from "./_delivery_log.ts";

/** Behaviours that treat all envelopes alike. */
const BEHAVIOURS = {
  "takes": takes(),
  "refused": "refused",
  "hangs": hangs,
  "answers 500": answers(500),
  "answers 503": answers(503),
  // A rate limit of one second.
  "answers 429": answers(429, { headers: { "x-sentry-rate-limits": "1::key" } }),
  "is slow": takesSlowly(60),
  "answers half": closesHalfWay,
  "resets": closes,
  // Longer than a stopping server waits for its drain.
  "is very slow": takesSlowly(1_200),
} satisfies Record<string, IngestBehaviour | "refused">;

/** Accepts all envelopes except those of one category. */
export const LIMITS_CATEGORY = "limits a category";
export type BehaviourName = keyof typeof BEHAVIOURS | typeof LIMITS_CATEGORY;

/** A response that is sent so shortly before a stopping server closes the connection may not have been read. */
const UNREAD_MS = 100;

/** An ingest on one port that outlives the servers and often fails. */
export class FlakyIngest implements AsyncDisposable {
  readonly origin: string;
  /** The current run of the server. */
  serverRun: ServerRun = { number: 0, end: "SIGKILL" };
  spool: SpoolState = "usable";
  /** Whether it answers 500 to poisoned envelopes. */
  hasPoison = true;
  readonly #log: DeliveryLog;
  readonly #port = findStablePort();
  readonly #answered = new WeakMap<IngestRequest, { receipt: Receipt; at: number }>();
  readonly #receipts = new WeakMap<IngestRequest, Receipt>();
  #ingest: StandInIngest | undefined;
  #behaviour: IngestBehaviour = BEHAVIOURS.takes;
  #limited: string | undefined;

  constructor(log: DeliveryLog) {
    this.#log = log;
    this.#ingest = this.#start();
    this.origin = this.#ingest.origin;
  }

  /** @param category the one that {@linkcode LIMITS_CATEGORY} limits */
  async setBehaviour(name: BehaviourName, category?: string): Promise<void> {
    const behaviour = name === LIMITS_CATEGORY ? BEHAVIOURS.takes : BEHAVIOURS[name];
    this.#limited = name === LIMITS_CATEGORY ? category : undefined;
    if (behaviour === "refused") {
      const closing = this.#ingest;
      this.#ingest = undefined;
      return await closing?.close();
    }
    this.#behaviour = behaviour;
    this.#ingest ??= this.#start();
  }

  /** Resolves when all connections of an ended server are closed. */
  async untilClosed(): Promise<void> {
    do await new Promise((resolve) => setTimeout(resolve, 5)); while (this.#ingest?.open);
  }

  #start(): StandInIngest {
    const ingest = startStandInIngest({
      port: this.#port,
      keepRequests: false,
      onAnswered: (request) => {
        const receipt = this.#receipts.get(request);
        if (!receipt) return;
        receipt.isAnswered = receipt.isAccepted;
        this.#answered.set(request, { receipt, at: performance.now() });
      },
      onClientClosed: (request) => {
        const { receipt, at } = this.#answered.get(request) ?? {};
        if (!receipt || at === undefined) return;
        // A running relay closes a connection early when it stops waiting; so may one that was
        // killed since, as a busy machine reports the close late. A stopping relay closes all
        // connections.
        const isStopping = receipt.serverRun.end === "SIGTERM";
        if (!isStopping || performance.now() - at < UNREAD_MS) receipt.isAnswered = false;
      },
    });
    ingest.behave((request) => {
      const { text } = request;
      const delivery = this.#log.find(text);
      if (!delivery) return this.#behaviour;
      const behaviour = this.#behaviourFor(delivery);
      const isAccepted = behaviour.kind === "take" || behaviour.kind === "close half way";
      const { serverRun, spool } = this;
      this.#receipts.set(
        request,
        this.#log.receive(delivery, text, {
          serverRun,
          time: performance.now(),
          isAccepted,
          spool,
        }),
      );
      return behaviour;
    });
    return ingest;
  }

  #behaviourFor({ type, isPoisoned }: Delivery): IngestBehaviour {
    if (this.#behaviour.kind !== "take") return this.#behaviour;
    const category = categoryOf(type);
    if (category !== undefined && category === this.#limited) {
      return answers(429, { headers: { "x-sentry-rate-limits": `1:${category}:key` } });
    }
    return isPoisoned && this.hasPoison ? answers(500) : this.#behaviour;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#ingest?.close();
  }
}
