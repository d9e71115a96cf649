import { gunzipSync } from "node:zlib";
import type { Receipt } from "../../telemetry_state.ts";
import { Delivery, type DeliveryOptions } from "../delivery.ts";
import type { EnvelopeStore } from "../envelope_store.ts";
import { Journal } from "../journal.ts";
import { createSharedRateLimits } from "../rate_limits.ts";
import { createSender } from "../send_envelope.ts";

export const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
export const event = (id: string) =>
  new TextEncoder().encode(`{"event_id":"${id}"}\n{"type":"event"}\n{"message":"${id}"}`);
export const log = () =>
  new TextEncoder().encode(`{}\n{"type":"log","item_count":1}\n{"items":[]}`);
export const segment = (number: number) =>
  new TextEncoder().encode(
    `{"event_id":"replay"}\n{"type":"replay_recording","length":1}\n${number}`,
  );

/** A write that a store with a full disk refuses. */
export const rejectFull = () => Promise.reject(new DOMException("full", "QuotaExceededError"));

/** A stand-in relay. */
export interface Relay {
  respond: () => Response | Promise<Response>;
  /** Bodies of all requests with a 2xx, decompressed. */
  readonly accepted: string[];
  /** Bodies of all requests, decompressed. */
  readonly posts: string[];
  /** Bodies of all requests that came compressed. */
  readonly compressed: string[];
  readonly url: string;
}

/** A test that gets a relay, which accepts everything until the test changes it. */
export function withRelay(test: (relay: Relay) => Promise<void>): () => Promise<void> {
  return async () => {
    const posts: string[] = [];
    const accepted: string[] = [];
    const compressed: string[] = [];
    const relay = { respond: () => new Response("{}"), posts, accepted, compressed, url: "" };
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const bytes = await request.bytes();
        const isCompressed = request.headers.has("Content-Encoding");
        const body = text(isCompressed ? gunzipSync(bytes) : bytes);
        posts.push(body);
        if (isCompressed) compressed.push(body);
        const response = await relay.respond();
        if (response.ok) accepted.push(body);
        return response;
      },
    );
    relay.url = `http://127.0.0.1:${server.addr.port}/monitoring`;
    await test(relay);
  };
}

/** A page: a delivery and the state that it has published. */
export interface Page {
  waiting: number;
  /** Whether it has read the store. */
  isLoaded: boolean;
  dropped: number;
  isStored: boolean | undefined;
  readonly receipts: readonly Receipt[];
  readonly delivery: Delivery;
  /** The newest receipt of an envelope. */
  receiptOf(id: string): Receipt | undefined;
}

export function openPage(
  relay: Relay,
  store: EnvelopeStore,
  more: Partial<Pick<DeliveryOptions, "quota" | "now" | "journal" | "limits">> = {},
): Page {
  const receipts: Receipt[] = [];
  const page: Page = {
    waiting: 0,
    isLoaded: false,
    dropped: 0,
    isStored: undefined,
    receipts,
    receiptOf: (id) => receipts.findLast((receipt) => receipt.id === id),
    delivery: new Delivery({
      store: Promise.resolve(store),
      journal: new Journal(undefined),
      limits: createSharedRateLimits(undefined),
      dsn: "",
      send: createSender({ fetch, url: relay.url, sameOrigin: true }),
      onReceipt: (receipt) => receipts.push(receipt),
      onWaiting(count) {
        page.waiting = count;
        page.isLoaded = true;
      },
      onDropped() {
        page.dropped += 1;
      },
      allows: () => true,
      onWithdrawn() {},
      onStored(isStored) {
        page.isStored = isStored;
      },
      random: () => 1,
      ...more,
    }),
  };
  return page;
}

/** Quantities by reason and category, summed over all client reports that arrived. */
export function reportedLosses({ accepted }: Relay): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const body of accepted.filter((body) => body.includes('"client_report"'))) {
    const { discarded_events } = JSON.parse(body.split("\n")[2] ?? "");
    for (const { reason, category, quantity } of discarded_events) {
      const key = `${reason}:${category}`;
      sums[key] = (sums[key] ?? 0) + quantity;
    }
  }
  return sums;
}
