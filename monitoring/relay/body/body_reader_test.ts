import assert from "node:assert/strict";
import fc from "fast-check";
import { BodyReader } from "./body_reader.ts";
import { until } from "../../../tests/harness/until.ts";

const KIB = 1024;

/** Reads a body, and checks that its chunks were passed on in their order. */
async function read(body: BodyInit | null, announced?: number): Promise<Uint8Array> {
  const headers: HeadersInit = announced === undefined ? {} : { "content-length": `${announced}` };
  const request = new Request("http://relay.invalid/", { method: "POST", body, headers });
  const bodies = new BodyReader({ maxBytes: 20_000 * KIB, maxInFlightBytes: 20_000 * KIB });
  using account = bodies.inFlight.open();
  const passedOn: number[] = [];
  const bytes = await bodies.read(request, null, account, (chunk) => {
    for (const byte of chunk) passedOn.push(byte);
  });
  assert.deepEqual(Uint8Array.from(passedOn), bytes);
  assert.equal(bodies.inFlight.bytes, bytes.length);
  return bytes;
}

Deno.test("chunks of any size, of one buffer → the whole body in its order", async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 300 * KIB }));
  const sizes = fc.array(size, { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom("not", "right", "more"), async (sizes, announces) => {
      const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, one) => sum + one));
      const whole = Uint8Array.from({ length: ends.at(-1) ?? 0 }, (_, at) => at * 7);
      const chunks = ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end));
      const announced = { not: undefined, right: whole.length, more: whole.length + 70_000 };
      assert.deepEqual(await read(ReadableStream.from(chunks), announced[announces]), whole);
    }),
    { numRuns: 80 },
  );
});

Deno.test("a body in chunks of one byte → held in a buffer of its size", async () => {
  const one = () => Uint8Array.of(7);
  const bytes = await read(ReadableStream.from(Array.from({ length: 20_000 }, one)));
  assert.equal(bytes.length, 20_000);
  assert.equal(bytes.buffer.byteLength, 20_000);
});

Deno.test("20 MB announced, little sent → little memory", async () => {
  const bodies = new BodyReader({ maxBytes: 20_000 * KIB, maxInFlightBytes: 20_000 * KIB });
  using account = bodies.inFlight.open();
  const request = new Request("http://relay.invalid/", {
    method: "POST",
    body: ReadableStream.from([new Uint8Array(100)]),
    headers: { "content-length": "20000000" },
  });
  let capacity = 0;
  await bodies.read(request, null, account, ({ buffer }) => capacity = buffer.byteLength);
  assert.equal(capacity, 16 * KIB);
});

Deno.test("no body, or a constructed one → read", async () => {
  assert.equal((await read(null)).length, 0);
  assert.equal(new TextDecoder().decode(await read("text")), "text");
  assert.equal(new TextDecoder().decode(await read("text", 4)), "text");
});

Deno.test("share of bodies read by one call in use → as a stream; free again → by one call", async () => {
  // A quarter of 400 KiB may be announced by bodies that are read by one call.
  const bodies = new BodyReader({ maxBytes: 400 * KIB, maxInFlightBytes: 400 * KIB });
  /** Reads 60 KiB. Returns the number of parts in which they are passed on. */
  const partsOf = async (body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> => {
    const headers = { "content-length": `${60 * KIB}` };
    const request = new Request("http://relay.invalid/", { method: "POST", body, headers });
    using account = bodies.inFlight.open();
    let parts = 0;
    await bodies.read(request, null, account, () => void parts++);
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

Deno.test("as many bodies as may be unfinished → others are refused, then the slowest ends", async () => {
  const bodies = new BodyReader({
    maxBytes: 400 * KIB,
    maxInFlightBytes: 400 * KIB,
    maxUnfinished: 2,
  });
  const post = (body: ReadableStream<Uint8Array<ArrayBuffer>>) =>
    new Request("http://relay.invalid/", { method: "POST", body });
  const unfinished = [1, 2].map(() => {
    const { readable } = new TransformStream<Uint8Array<ArrayBuffer>>();
    const account = bodies.inFlight.open();
    return bodies.read(post(readable), null, account, () => {}).catch(({ code }) => code);
  });
  const another = () =>
    bodies.admit(post(new Blob(["text"]).stream())).then(() => "admitted", ({ code }) => code);
  assert.equal(await another(), "overloaded");
  await until("another is admitted", async () => await another() === "admitted");
  assert.equal(await Promise.race(unfinished), "overloaded");
});
