import { gunzipSync } from "node:zlib";
import { until } from "../../../../tests/harness/until.ts";
import type { Receipt } from "../../telemetry_state.ts";
import { Delivery } from "../delivery.ts";
import type { DeliveryOptions } from "../delivery_options.ts";
import type { EnvelopeStore } from "../envelope_store.ts";
import { Journal } from "../journal.ts";
import { createSharedRateLimits } from "../rate_limits.ts";
import { createSender } from "../send_envelope.ts";

const encode = (...lines: readonly string[]) => new TextEncoder().encode(lines.join("\n"));
export const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
export const event = (id: string) =>
  encode(`{"event_id":"${id}"}`, `{"type":"event"}`, `{"message":"${id}"}`);
export const log = (count = 1) =>
  encode("{}", `{"type":"log","item_count":${count}}`, `{"items":[]}`);
export const segment = (number: number) =>
  encode(`{"event_id":"replay"}`, `{"type":"replay_recording","length":1}`, `${number}`);

/** A write that a store with a full disk refuses. */
export const rejectFull = () => Promise.reject(new DOMException("full", "QuotaExceededError"));

/** A stand-in relay. */
export interface Relay {
  respond: () => Response | Promise<Response>;
  /** From now on responds with this status and these headers. */
  answer(status: number, headers?: HeadersInit): void;
  /** Bodies of all requests with a 2xx, decompressed. */
  readonly accepted: string[];
  /** Bodies of all requests, decompressed. */
  readonly posts: string[];
  /** Bodies of all requests that came compressed. */
  readonly compressed: string[];
  readonly url: string;
}

/** A test with a relay, which accepts everything until the test changes it, and an empty `sessionStorage`. */
export function test(title: string, run: (relay: Relay) => Promise<void>): void {
  Deno.test(title, async () => {
    sessionStorage.clear();
    const relay = {
      respond: (): Response | Promise<Response> => new Response("{}"),
      answer(status: number, headers: HeadersInit = {}) {
        relay.respond = () => new Response("{}", { status, headers });
      },
      posts: [] as string[],
      accepted: [] as string[],
      compressed: [] as string[],
      url: "",
    };
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      async (request) => {
        const bytes = await request.bytes();
        const isCompressed = request.headers.has("Content-Encoding");
        const body = text(isCompressed ? gunzipSync(bytes) : bytes);
        relay.posts.push(body);
        if (isCompressed) relay.compressed.push(body);
        const response = await relay.respond();
        if (response.ok) relay.accepted.push(body);
        return response;
      },
    );
    relay.url = `http://127.0.0.1:${server.addr.port}/monitoring`;
    await run(relay);
  });
}

/** A page: a delivery and the state that it has published. */
export interface Page {
  waiting: number;
  /** Whether it has read the store. */
  isLoaded: boolean;
  dropped: number;
  /** Items that were deleted because they were withdrawn. */
  withdrawn: number;
  readonly receipts: readonly Receipt[];
  readonly delivery: Delivery;
  /** Delivers an envelope, and waits for the result of its first attempt. Returns when it was taken over. */
  deliver(bytes: Uint8Array): Promise<number>;
  /** The newest receipt of an envelope. */
  receiptOf(id: string): Receipt | undefined;
}

/** @param relay not used if `more` has a `send` */
export function openPage(
  relay: Pick<Relay, "url">,
  store: EnvelopeStore,
  more: Partial<DeliveryOptions> = {},
): Page {
  const receipts: Receipt[] = [];
  const page: Page = {
    waiting: 0,
    isLoaded: false,
    dropped: 0,
    withdrawn: 0,
    receipts,
    async deliver(bytes) {
      const created = page.delivery.deliver(bytes);
      const isOfIt = ({ at, status, error, outcome }: Receipt) =>
        at === created && (status ?? error ?? outcome) !== undefined;
      await until("it was attempted", () => receipts.some(isOfIt));
      return created;
    },
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
      onWithdrawn(_kind, items) {
        page.withdrawn += items;
      },
      onStored() {},
      random: () => 1,
      ...more,
    }),
  };
  return page;
}

/** The relay accepts again, and everything that waits in the page arrives. */
export async function recover(relay: Relay, page: Page): Promise<void> {
  relay.answer(200);
  page.delivery.retryNow();
  await until("all arrived", () => page.waiting === 0);
}

/** Quantities by reason and category, summed over all client reports that have arrived. Waits for the first. */
export async function reportedDiscarded({ accepted }: Relay): Promise<Record<string, number>> {
  const reports = () => accepted.filter((body) => body.includes('"client_report"'));
  await until("a report arrived", () => reports().length > 0);
  const sums: Record<string, number> = {};
  for (const body of reports()) {
    const { discarded_events } = JSON.parse(body.split("\n")[2] ?? "");
    for (const { reason, category, quantity } of discarded_events) {
      const key = `${reason}:${category}`;
      sums[key] = (sums[key] ?? 0) + quantity;
    }
  }
  return sums;
}
