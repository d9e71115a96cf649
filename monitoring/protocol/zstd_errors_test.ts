import assert from "node:assert/strict";
import { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { runDeno } from "../../tests/harness/run_program.ts";
import { emitZstdErrors } from "./zstd_errors.ts";

/** Valid up to its last quarter. */
function corruptZstd(): Uint8Array {
  const noise = Uint8Array.from({ length: 300_000 }, (_, at) => ((at * 2654435761) >>> 13) % 90);
  const corrupt = new Uint8Array(zlib.zstdCompressSync(noise));
  const from = Math.floor(corrupt.length * 0.75);
  for (let at = from; at < from + 12; at++) corrupt[at]! ^= 0xff;
  return corrupt;
}

Deno.test("corrupt zstd data after valid output → error event", async () => {
  const stream = zlib.createZstdDecompress();
  assert.ok(emitZstdErrors(stream));
  let bytes = 0;
  const { promise, resolve } = Promise.withResolvers<Error>();
  stream.on("data", ({ length }) => bytes += length).on("error", resolve).end(corruptZstd());
  assert.match((await promise).message, /corrupt/i);
  assert.ok(bytes > 0);
});

Deno.test("corrupt zstd data without emitZstdErrors → still ends the process", async () => {
  const code = `
    import * as zlib from "node:zlib";
    const stream = zlib.createZstdDecompress();
    stream.on("data", () => {}).on("error", () => Deno.exit(0));
    stream.end(Uint8Array.fromBase64("${corruptZstd().toBase64()}"));
  `;
  const { code: exitCode, stderr } = await runDeno(["eval", code]);
  assert.match(stderr, /Uncaught .*corrupt/i);
  assert.notEqual(exitCode, 0, "Deno has fixed this: remove emitZstdErrors");
});

Deno.test("stream without the handle of this version → refused", () => {
  assert.equal(emitZstdErrors(new Transform()), false);
  const other = Object.assign(new Transform(), { _handle: { write: () => {} } });
  assert.equal(emitZstdErrors(other), false);
});
