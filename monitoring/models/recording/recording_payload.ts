/**
 * Reads the payloads of recordings' items. Untrusted: nothing here throws.
 *
 * ```
 * replay_recording = header LF events
 * header           = {"segment_id":N}
 * events           = JSON array of rrweb events, plain or compressed with zlib
 * replay_video     = MessagePack map of replay_event (JSON), replay_recording (as above), replay_video (MP4)
 * ```
 *
 * https://develop.sentry.dev/sdk/telemetry/replays/
 */

/** A `replay_recording`, split at its first line feed. */
interface RecordingPayload {
  /** JSON. */
  readonly header: Uint8Array;
  readonly events: Uint8Array;
}

/** Bytes of the header line, which names the segment. SDKs write some 20. */
const MAX_HEADER_BYTES = 1_024;
const LINE_FEED = 10;

/** Undefined: there is no header line. */
export function splitRecording(payload: Uint8Array): RecordingPayload | undefined {
  const end = payload.subarray(0, MAX_HEADER_BYTES).indexOf(LINE_FEED);
  if (end === -1) return undefined;
  return { header: payload.subarray(0, end), events: payload.subarray(end + 1) };
}

/**
 * The JSON of the `replay_event` within a `replay_video`, which mobile SDKs send. Undefined: it is something else.
 */
export function eventOfVideo(payload: Uint8Array): Uint8Array | undefined {
  const reader = new MessagePackReader(payload);
  const pairs = reader.mapSize() ?? 0;
  for (let pair = 0; pair < pairs; pair++) {
    const name = reader.bytes();
    const value = reader.bytes();
    if (name === undefined || value === undefined) return undefined;
    if (new TextDecoder().decode(name) === "replay_event") return value;
  }
  return undefined;
}

/** Bytes of the length that follows each type of text or binary data (https://msgpack.org). */
const LENGTH_BYTES: Readonly<Record<number, number>> = {
  0xc4: 1,
  0xc5: 2,
  0xc6: 4,
  0xd9: 1,
  0xda: 2,
  0xdb: 4,
};

/** Reads maps, texts and binary data; other types of MessagePack do not occur. */
class MessagePackReader {
  readonly #payload: Uint8Array;
  #offset = 0;

  constructor(payload: Uint8Array) {
    this.#payload = payload;
  }

  /** Pairs of the map that begins here. */
  mapSize(): number | undefined {
    const type = this.#byte();
    return type !== undefined && type >> 4 === 0x8 ? type & 0xf : undefined;
  }

  /** The text or binary data that begins here. */
  bytes(): Uint8Array | undefined {
    const type = this.#byte() ?? 0;
    const length = type >> 5 === 0b101 ? type & 0x1f : this.#length(LENGTH_BYTES[type] ?? 0);
    const start = this.#offset;
    this.#offset = start + (length ?? 0);
    if (length === undefined || this.#offset > this.#payload.byteLength) return undefined;
    return this.#payload.subarray(start, this.#offset);
  }

  #length(bytes: number): number | undefined {
    if (bytes === 0) return undefined;
    let length = 0;
    for (let i = 0; i < bytes; i++) length = length * 256 + (this.#byte() ?? 0);
    return length;
  }

  #byte(): number | undefined {
    return this.#payload[this.#offset++];
  }
}
