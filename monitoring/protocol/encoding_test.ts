import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import * as zlib from "node:zlib";
import fc from "fast-check";
import {
  type ContentEncoding,
  decodeBody,
  DecodeError,
  Decoder,
  parseContentEncoding,
} from "./encoding.ts";

const MIB = 1024 * 1024;
const { constants } = zlib;

const encoders: Record<
  string,
  { encoding: ContentEncoding; encode(bytes: Uint8Array): Uint8Array }
> = {
  "gzip": { encoding: "gzip", encode: (bytes) => zlib.gzipSync(bytes) },
  "deflate in zlib's wrapper": { encoding: "deflate", encode: (bytes) => zlib.deflateSync(bytes) },
  "raw deflate": { encoding: "deflate", encode: (bytes) => zlib.deflateRawSync(bytes) },
  "br": {
    encoding: "br",
    encode: (bytes) =>
      zlib.brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  },
  "zstd": { encoding: "zstd", encode: (bytes) => zlib.zstdCompressSync(bytes) },
  "zstd with a checksum": {
    encoding: "zstd",
    encode: (bytes) =>
      zlib.zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
  },
};

const joined = (chunks: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(chunks));

async function decodeInChunks(
  bytes: Uint8Array,
  encoding: ContentEncoding,
  cuts: readonly number[],
  limit = MIB,
): Promise<Uint8Array> {
  const out: Uint8Array[] = [];
  const decoder = new Decoder(encoding, limit, (chunk) => out.push(chunk.slice()));
  try {
    let from = 0;
    for (const cut of [...cuts, bytes.length]) {
      await decoder.write(bytes.subarray(from, cut));
      from = cut;
    }
    await decoder.end();
  } finally {
    decoder.destroy();
  }
  return joined(out);
}

const fails = (promise: Promise<unknown>, code: DecodeError["code"], message?: string) =>
  assert.rejects(promise, (error) => error instanceof DecodeError && error.code === code, message);

const text = new TextEncoder().encode('{"a":1}\n{"type":"event"}\n' + "hello ".repeat(3000));

Deno.test("Content-Encoding → one known encoding in any letter case, null, or refused", () => {
  assert.deepEqual([null, "", "GZip", "zstd"].map(parseContentEncoding), [
    null,
    null,
    "gzip",
    "zstd",
  ]);
  for (const name of ["compress", "identity", "gzip, br", "gzip,gzip", "x-gzip", "__proto__"]) {
    assert.throws(
      () => parseContentEncoding(name),
      (error) => error instanceof DecodeError && error.code === "encoding_not_supported",
    );
  }
});

for (const [name, { encoding, encode }] of Object.entries(encoders)) {
  Deno.test(`${name}: encoded in chunks of any size → decoded to the same bytes`, async () => {
    assert.deepEqual(await decodeBody(encode(text), encoding, MIB), text);
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.array(fc.nat(), { maxLength: 5 }),
        async (bytes, positions) => {
          const encoded = encode(bytes);
          const cuts = positions.map((position) => position % (encoded.length + 1)).sort((a, b) =>
            a - b
          );
          assert.deepEqual(await decodeInChunks(encoded, encoding, cuts), bytes);
        },
      ),
      { numRuns: 60 },
    );
    const encoded = encode(text);
    assert.deepEqual(await decodeInChunks(encoded, encoding, [...encoded.keys()]), text);
  });

  Deno.test(`${name}: truncated at any byte, followed by bytes, or other data → refused`, async () => {
    for (const bytes of [text, new Uint8Array(0), new TextEncoder().encode("x\n")]) {
      const encoded = encode(bytes);
      for (let end = 0; end < encoded.length; end++) {
        const truncated = decodeBody(encoded.subarray(0, end), encoding, MIB);
        await fails(truncated, "envelope_malformed", `${end} of ${encoded.length} bytes`);
      }
    }
    const encoded = encode(text);
    for (const tail of ["x", "\n", "\0\0\0\0", '{"type":"event"}\n{}\n'.repeat(9)]) {
      const bytes = Uint8Array.from([...encoded, ...new TextEncoder().encode(tail)]);
      await fails(decodeBody(bytes, encoding, MIB), "envelope_malformed", tail);
      await fails(decodeInChunks(bytes, encoding, [encoded.length]), "envelope_malformed", tail);
    }
    for (const bytes of [text, new Uint8Array(40), new Uint8Array(40).fill(255)]) {
      await fails(decodeBody(bytes, encoding, MIB), "envelope_malformed");
    }
  });

  Deno.test(`${name}: corrupt after valid output → refused or decoded, no crash`, async () => {
    const noise = Uint8Array.from(
      { length: 300_000 },
      (_, at) => 32 + ((at * 2654435761) >>> 13) % 90,
    );
    const encoded = encode(noise);
    let refusals = 0;
    for (let place = 0.3; place < 1; place += 0.01) {
      const corrupt = new Uint8Array(encoded);
      const from = Math.floor(encoded.length * place);
      for (let at = from; at < from + 12; at++) corrupt[at] = (corrupt[at] ?? 0) ^ 0xff;
      await decodeBody(corrupt, encoding, MIB).catch((error) => {
        assert.ok(error instanceof DecodeError && error.code === "envelope_malformed", error);
        refusals++;
      });
    }
    // Raw deflate has no checksum, so all of it may be valid data of something else.
    assert.ok(refusals > 0 || name === "raw deflate", "nothing was corrupt");
  });

  Deno.test(`${name}: output of the limit → decoded; one byte more → refused`, async () => {
    assert.equal((await decodeBody(encode(text), encoding, text.length)).length, text.length);
    await fails(decodeBody(encode(text), encoding, text.length - 1), "envelope_too_large");
  });

  Deno.test(`${name}: decompression bomb → stopped at the limit, does not block the event loop`, async () => {
    const bomb = encode(new Uint8Array(64 * MIB));
    let bytesOut = 0;
    let largest = 0;
    let turns = 0;
    const others = setInterval(() => turns++, 0);
    const decoder = new Decoder(encoding, 32 * MIB, (chunk) => {
      bytesOut += chunk.length;
      largest = Math.max(largest, chunk.length);
    });
    await fails(decoder.write(bomb).then(() => decoder.end()), "envelope_too_large");
    decoder.destroy();
    clearInterval(others);
    assert.ok(bytesOut <= 32 * MIB);
    assert.ok(largest <= 64 * 1024);
    assert.ok(turns > 0, "no other task ran");
  });
}

Deno.test("output callback throws → decoding ends with that error", async () => {
  const decoder = new Decoder("zstd", MIB, () => {
    throw new RangeError("enough");
  });
  await assert.rejects(decoder.write(zlib.zstdCompressSync(text)), RangeError);
  decoder.destroy();
});

Deno.test("several gzip members → decoded as one body", async () => {
  const twice = joined([zlib.gzipSync(text), zlib.gzipSync(text)]);
  const expected = joined([text, text]);
  assert.deepEqual(await decodeBody(twice, "gzip", MIB), expected);
  assert.deepEqual(await decodeInChunks(twice, "gzip", [5, twice.length - 5]), expected);
});

const zstdFrame = fc.record({
  content: fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.constantFrom(new Uint8Array(131_072), new Uint8Array(300_000).fill(1)),
  ),
  checksum: fc.nat(1),
  size: fc.nat(1),
}).map(({ content, checksum, size }) => {
  const params = {
    [constants.ZSTD_c_checksumFlag]: checksum,
    [constants.ZSTD_c_contentSizeFlag]: size,
  };
  return { content, bytes: new Uint8Array(zlib.zstdCompressSync(content, { params })) };
});
/** A frame that decoders skip (RFC 8878, section 3.1.2). */
const skippable = fc.tuple(fc.nat(15), fc.uint8Array({ maxLength: 20 })).map(([low, skipped]) => ({
  content: new Uint8Array(0),
  bytes: Uint8Array.of(0x50 + low, 0x2a, 0x4d, 0x18, skipped.length, 0, 0, 0, ...skipped),
}));

Deno.test("zstd frames in chunks of any size → decoded as one body; one is truncated → refused", async () => {
  const anyFrames = fc.array(fc.oneof(zstdFrame, skippable), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(anyFrames, fc.array(fc.nat(), { maxLength: 4 }), async (frames, positions) => {
      const data = joined(frames.map(({ bytes }) => bytes));
      const expected = joined(frames.map(({ content }) => content));
      const cuts = positions.map((position) => position % data.length).sort((a, b) => a - b);
      assert.deepEqual(await decodeInChunks(data, "zstd", cuts, 2 * MIB), expected);
      const ends = frames.map((_, n) =>
        joined(frames.slice(0, n).map(({ bytes }) => bytes)).length
      );
      for (const cut of cuts.filter((cut) => cut === 0 || !ends.includes(cut))) {
        await fails(decodeBody(data.subarray(0, cut), "zstd", 2 * MIB), "envelope_malformed");
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("zstd frame with a window over 8 MiB → refused", async () => {
  const wide = zlib.zstdCompressSync(new Uint8Array(40 * MIB), {
    params: { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 },
  });
  await fails(decodeBody(wide, "zstd", 200 * MIB), "envelope_malformed");
});
