import assert from "node:assert/strict";
import { createBodyReader } from "./body_reader.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const post = (body: BodyInit, announced: number): Request => {
  const headers = { "content-length": `${announced}` };
  return new Request("http://relay.invalid/", { method: "POST", body, headers });
};

Deno.test("more than 32 large bodies → each counts 1 MiB more, until disposed; small ones do not", () => {
  const bodies = createBodyReader({ maxBytes: MIB, maxInFlightBytes: 256 * MIB });
  const accounts = Array.from({ length: 96 }, () => bodies.open());
  for (const account of accounts) account.add(MIB);
  assert.equal(bodies.inFlightBytes, 96 * MIB);
  assert.equal(bodies.hasRoomFor(96 * MIB), true);
  assert.equal(bodies.hasRoomFor(96 * MIB + 1), false);
  for (const account of accounts) account[Symbol.dispose]();
  assert.equal(bodies.hasRoomFor(256 * MIB), true);
  for (let count = 0; count < 128; count++) bodies.open().add(32 * KIB);
  assert.equal(bodies.hasRoomFor(252 * MIB), true);
});

Deno.test("share of bodies read by one call in use → as a stream; free again → by one call", async () => {
  // A quarter of 400 KiB may be announced by bodies that are read by one call.
  const bodies = createBodyReader({ maxBytes: 400 * KIB, maxInFlightBytes: 400 * KIB });
  /** Reads 60 KiB. Returns the number of parts in which they are passed on. */
  const partsOf = async (body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> => {
    using account = bodies.open();
    let parts = 0;
    await bodies.read(post(body, 60 * KIB), null, account, () => void parts++);
    return parts;
  };
  const threeChunks = () => ReadableStream.from([1, 2, 3].map(() => new Uint8Array(20 * KIB)));
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>>();
  const first = partsOf(readable);
  assert.equal(await partsOf(threeChunks()), 3);
  const writer = writable.getWriter();
  await writer.write(new Uint8Array(60 * KIB));
  await writer.close();
  assert.equal(await first, 1);
  assert.equal(await partsOf(threeChunks()), 1);
});
