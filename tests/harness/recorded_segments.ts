/** Segments of recordings, as Sentry's browser SDK sends them, made by tests and benchmarks. */
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";

type Fields = Record<string, unknown>;

export interface TestSegment {
  readonly replayId: string;
  readonly number: number;
  readonly events: readonly Fields[];
  /** Further properties of its `replay_event`. */
  readonly event?: Fields;
  /** Default: uncompressed. */
  readonly isCompressed?: boolean;
}

/** The envelope of a segment. Its times are those of its events. */
export function segmentEnvelope(
  { replayId, number, events, event = {}, isCompressed = false }: TestSegment,
): Uint8Array<ArrayBuffer> {
  const times = events.map(({ timestamp }) => Number(timestamp));
  const text = JSON.stringify(events);
  const content = isCompressed ? deflateSync(text) : Buffer.from(text);
  const header = Buffer.from(`${JSON.stringify({ segment_id: number })}\n`);
  const payload = new Uint8Array(Buffer.concat([header, content]));
  return envelopeOf(
    { event_id: replayId, sdk: { name: "sentry.javascript.browser", version: "10.0.0" } },
    ["replay_event", {
      type: "replay_event",
      replay_id: replayId,
      segment_id: number,
      replay_start_timestamp: Math.min(...times.slice(0, 1)) / 1000,
      timestamp: Math.max(...times.slice(-1)) / 1000,
      urls: ["https://shop.example/cart"],
      error_ids: [],
      trace_ids: [],
      platform: "javascript",
      ...event,
    }],
    ["replay_recording", payload],
  );
}

/** An element of a recorded page. */
export function element(
  id: number,
  tagName: string,
  attributes: Fields = {},
  childNodes: readonly Fields[] = [],
): Fields {
  return { type: 2, id, tagName, attributes, childNodes };
}

export const text = (id: number, textContent: string): Fields => ({ type: 3, id, textContent });

/** The first events of a recording: the size of the window, and a page with this head and body. */
export function pageEvents(
  timestamp: number,
  body: readonly Fields[],
  head: readonly Fields[] = [],
): Fields[] {
  const html = element(3, "html", {}, [element(4, "head", {}, head), element(5, "body", {}, body)]);
  const doctype = { type: 1, id: 2, name: "html", publicId: "", systemId: "" };
  return [
    { type: 4, timestamp, data: { href: "https://shop.example/", width: 800, height: 600 } },
    {
      type: 2,
      timestamp: timestamp + 1,
      data: {
        node: { type: 0, id: 1, childNodes: [doctype, html] },
        initialOffset: { left: 0, top: 0 },
      },
    },
  ];
}

/** A change of the page: adds a node at the end of the body, or of another parent. */
export const addition = (timestamp: number, node: Fields, parentId = 5): Fields => ({
  type: 3,
  timestamp,
  data: {
    source: 0,
    texts: [],
    attributes: [],
    removes: [],
    adds: [{ parentId, nextId: null, node }],
  },
});

/** An entry of the SDK: a breadcrumb or a span. */
export const entry = (timestamp: number, tag: string, payload: Fields): Fields => ({
  type: 5,
  timestamp,
  data: { tag, payload },
});

/** A MessagePack map of texts and binary data, as mobile SDKs write it. */
export function messagePack(entries: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> {
  const encode = (text: string) => new TextEncoder().encode(text);
  const bytes = [0x80 | Object.keys(entries).length];
  for (const [name, value] of Object.entries(entries)) {
    const [key, content] = [encode(name), encode(value)];
    bytes.push(0xa0 | key.length, ...key);
    bytes.push(0xc5, content.length >> 8, content.length & 0xff, ...content);
  }
  return new Uint8Array(bytes);
}
