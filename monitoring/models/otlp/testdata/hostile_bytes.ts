/** OTLP requests that were damaged at random places. */
import fc from "fast-check";
import type { OtlpFormat } from "../../../protocol/format.ts";
import { encodeProtobuf, REQUESTS } from "./otlp_requests.ts";

export interface HostileBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly format: OtlpFormat;
}

/** Whole requests, of which each is damaged many times. */
const WHOLE = 500;
/** Bytes that mean something: lengths, tags, ends of numbers, JSON's signs. */
const TELLING = [
  0,
  1,
  2,
  3,
  4,
  7,
  8,
  10,
  12,
  18,
  0x7f,
  0x80,
  0xff,
  ...new TextEncoder().encode('{}[],:"\\-.e0'),
];

/** `count` damaged requests, the same ones for each seed. */
export function* hostileBytes(seed: number, count: number): Generator<HostileBytes> {
  const random = randomNumbers(seed);
  const below = (limit: number) => Math.floor(random() * limit);
  const whole = REQUESTS.flatMap(({ signal, fields, request }) =>
    fc.sample(request, { seed, numRuns: Math.min(WHOLE, count) }).flatMap((
      sent,
    ): HostileBytes[] => [
      { format: `otlp-${signal}-json`, bytes: new TextEncoder().encode(JSON.stringify(sent)) },
      { format: `otlp-${signal}-protobuf`, bytes: encodeProtobuf(sent, fields) },
    ])
  );
  for (let made = 0; made < count; made++) {
    const { bytes, format } = whole[below(whole.length)]!;
    let damaged = bytes.slice();
    for (let change = below(4); change >= 0 && damaged.length > 0; change--) {
      const at = below(damaged.length);
      const kind = below(4);
      if (kind === 0) damaged[at] = TELLING[below(TELLING.length)]!;
      else if (kind === 1) damaged[at]! ^= 1 << below(8);
      else if (kind === 2) damaged = damaged.slice(0, at);
      else damaged.copyWithin(at, below(damaged.length), at + below(64));
    }
    yield { bytes: damaged, format };
  }
}

/** Mulberry32: numbers from 0 to 1. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
