import {
  type BaseTransportOptions,
  type Client,
  getEnvelopeEndpointWithUrlEncodedAuth,
  makeDsn,
  type Transport,
} from "@sentry/core/browser";
import type { ClientConfig } from "../client_config.ts";
import type { Receipt } from "../receipt.ts";
import type { TelemetryStore } from "../telemetry_state.ts";
import type { TapeRecorder } from "../visit_tape.ts";
import { Delivery } from "./delivery.ts";
import { openEnvelopeStore } from "./indexed_db_store.ts";
import { Journal } from "./journal.ts";
import { createSender } from "./send_envelope.ts";
import { createDeliveryTransport } from "./transport.ts";

/** Said on the page where what waits would not survive it. */
const FORGETFUL = "in memory: this browser keeps nothing, what waits is lost with the page";

export interface StartDeliveryOptions {
  readonly config: ClientConfig;
  /** The browser's own `fetch`, from before the SDK patches it. */
  readonly fetch: typeof fetch;
  readonly store: TelemetryStore;
  readonly tape: TapeRecorder;
}

export interface StartedDelivery {
  readonly transport: (options: BaseTransportOptions) => Transport;
  /**
   * To take the place of the client's own, which keeps count in memory until the page is hidden: a
   * tab that is killed would take the count along.
   */
  readonly recordDroppedEvent: Client["recordDroppedEvent"];
  /** Sets what is called after each segment of a recording has been sent or kept. */
  onReplaySent(listener: () => void): void;
}

/** Puts delivery together for this page and wakes it when the page or the network comes back. */
export function startDelivery(
  { config, fetch, store, tape }: StartDeliveryOptions,
): StartedDelivery {
  const { tunnel } = config;
  // The server has validated the DSN.
  const url = tunnel ?? getEnvelopeEndpointWithUrlEncodedAuth(makeDsn(config.dsn)!);
  let replaySent = () => {};
  let givenUp = 0;
  let serialisingMs = 0;

  function onReceipt(receipt: Receipt): void {
    store.receive(receipt);
    if (receipt.items.some(({ type }) => type === "replay_recording")) replaySent();
  }

  const delivery = new Delivery({
    store: openEnvelopeStore(),
    journal: new Journal(localStorageIfAllowed()),
    send: createSender({ fetch, url, sameOrigin: tunnel !== undefined }),
    onReceipt,
    onWaiting: (waiting) => store.update({ waiting }),
    onLasting: (lasts) => store.update({ keeping: lasts ? undefined : FORGETFUL }),
    onGivenUp: () => store.update({ givenUp: `${++givenUp}, each counted in a client report` }),
    dsn: tunnel === undefined ? "" : config.dsn,
  });
  addEventListener("online", () => delivery.wake());
  // Back from the back/forward cache, in which nothing runs.
  addEventListener("pageshow", (event) => event.persisted && delivery.wake());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") delivery.hide();
    else delivery.wake();
  });
  return {
    transport: createDeliveryTransport(
      delivery,
      onReceipt,
      (bytes, tookMs) => {
        tape.addEnvelope({ at: Date.now(), bytes });
        store.update({ serialisingMs: serialisingMs += tookMs });
      },
    ),
    recordDroppedEvent: (reason, category, quantity = 1) =>
      delivery.countLosses([{ reason, category, quantity }]),
    onReplaySent(listener) {
      replaySent = listener;
    },
  };
}

function localStorageIfAllowed(): Storage | undefined {
  try {
    return localStorage;
  } catch {
    // Blocked by the reader's settings (SecurityError).
  }
}
