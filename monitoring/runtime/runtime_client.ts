import { DenoClient } from "@sentry/deno";
import type { DataCategory, EventDropReason } from "@sentry/core";
import type { Amount } from "./dropped.ts";

type ClientOptions = ConstructorParameters<typeof DenoClient>[0];

export interface RuntimeClientOptions {
  readonly client: ClientOptions;
  /** Told of everything that is dropped, by the SDK and by us. */
  readonly onDropped: (reason: string, amount: Amount) => void;
}

/** Sentry's client for Deno, which counts what it drops and, on a server, never tells. */
export class RuntimeClient extends DenoClient {
  readonly #onDropped: RuntimeClientOptions["onDropped"];

  constructor({ client, onDropped }: RuntimeClientOptions) {
    super(client);
    this.#onDropped = onDropped;
  }

  override recordDroppedEvent(
    reason: EventDropReason,
    category: DataCategory,
    quantity = 1,
  ): void {
    super.recordDroppedEvent(reason, category, quantity);
    this.#onDropped(reason, { category, quantity });
  }

  /** Sends what was counted since the last time as a client report, if there is anything. */
  reportDropped(): void {
    this._flushOutcomes();
  }
}
