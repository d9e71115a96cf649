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

/** Bytes of the header line, which names the segment. SDKs write some 20. */
const MAX_HEADER_BYTES = 1_024;
const LINE_FEED = 10;

/** A `replay_recording`, split at its first line feed. Undefined: there is no header line. */
export function splitRecording(payload: Uint8Array) {
  const end = payload.subarray(0, MAX_HEADER_BYTES).indexOf(LINE_FEED);
  if (end === -1) return undefined;
  return { header: payload.subarray(0, end), events: payload.subarray(end + 1) };
}

/** Types of texts and binary data in MessagePack, by the bytes of the length that follows: 1, 2, 4, again 1, 2, 4. */
const SIZED_TYPES = [0xc4, 0xc5, 0xc6, 0xd9, 0xda, 0xdb];

/**
 * The JSON of the `replay_event` within a `replay_video`, which mobile SDKs send. Undefined: it is something else. Other
 * types of MessagePack than maps, texts and binary data do not occur (https://msgpack.org).
 */
export function eventOfVideo(payload: Uint8Array): Uint8Array | undefined {
  let offset = 0;
  const byte = () => payload[offset++] ?? 0;
  /** The text or binary data that begins here. */
  const bytes = () => {
    const type = byte();
    const isShort = type >> 5 === 0b101;
    const sized = SIZED_TYPES.indexOf(type);
    if (!isShort && sized === -1) return undefined;
    let length = isShort ? type & 0x1f : 0;
    for (let left = isShort ? 0 : 2 ** (sized % 3); left > 0; left--) {
      length = length * 256 + byte();
    }
    offset += length;
    return offset > payload.byteLength ? undefined : payload.subarray(offset - length, offset);
  };
  const type = byte();
  for (let pairs = type >> 4 === 0x8 ? type & 0xf : 0; pairs > 0; pairs--) {
    const [name, value] = [bytes(), bytes()];
    if (name === undefined || value === undefined) return undefined;
    if (new TextDecoder().decode(name) === "replay_event") return value;
  }
  return undefined;
}
