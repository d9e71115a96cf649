import assert from "node:assert/strict";
import * as zlib from "node:zlib";
import fc from "fast-check";
import { ZstdFrames } from "./zstd_frames.ts";

const { constants } = zlib;
const anyFrame = fc.record({
  content: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(new Uint8Array(100_000), new Uint8Array(300_000).fill(1)),
  ),
  checksum: fc.nat(1),
  size: fc.nat(1),
}).map(({ content, checksum, size }) =>
  new Uint8Array(zlib.zstdCompressSync(content, {
    params: { [constants.ZSTD_c_checksumFlag]: checksum, [constants.ZSTD_c_contentSizeFlag]: size },
  }))
);
/** A frame that decoders skip (RFC 8878, section 3.1.2). */
const skippable = fc.tuple(fc.nat(15), fc.uint8Array({ maxLength: 20 })).map(([low, content]) =>
  Uint8Array.of(0x50 + low, 0x2a, 0x4d, 0x18, content.length, 0, 0, 0, ...content)
);

Deno.test("frames in chunks of any size → split exactly at frame boundaries", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(anyFrame, skippable), { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      (frames, places) => {
        const data = Uint8Array.from(frames.flatMap((frame) => [...frame]));
        const ends = new Set<number>();
        frames.reduce((end, frame) => (ends.add(end + frame.length), end + frame.length), 0);
        const cuts = places.map((place) => place % (data.length + 1));
        const zstd = new ZstdFrames();
        const expected = [...new Set([...ends, ...cuts])].filter((at) => at > 0);
        const seen: number[] = [];
        let from = 0;
        for (const cut of [...cuts.sort((a, b) => a - b), data.length]) {
          for (const part of zstd.split(data.subarray(from, cut))) {
            seen.push(part.byteOffset + part.length);
          }
          assert.equal(zstd.complete, ends.has(cut));
          from = cut;
        }
        assert.deepEqual(seen, [...new Set([...expected, data.length])].sort((a, b) => a - b));
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("data that is not Zstandard → one part, never complete", () => {
  const zstd = new ZstdFrames();
  const text = new TextEncoder().encode("not Zstandard at all");
  assert.deepEqual(zstd.split(text), [text]);
  assert.equal(zstd.complete, false);
  assert.equal(new ZstdFrames().complete, false);
});
