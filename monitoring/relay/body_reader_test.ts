import assert from "node:assert/strict";
import { until } from "../../tests/harness/until.ts";
import { BodyReader } from "./body_reader.ts";

const KIB = 1024;
const MIB = 1024 * KIB;

const post = (body: BodyInit | null, announced?: number): Request => {
  const headers: HeadersInit = announced === undefined ? {} : { "content-length": `${announced}` };
  return new Request("http://relay.invalid/", { method: "POST", body, headers });
};

Deno.test("no body, or a constructed one → read, and counted until its account is disposed", async () => {
  const bodies = new BodyReader({ maxBytes: KIB, maxInFlightBytes: KIB });
  for (const [body, announced] of [[null], ["text"], ["text", 4]] as const) {
    using account = bodies.open();
    const chunks: string[] = [];
    const push = (chunk: Uint8Array) => void chunks.push(new TextDecoder().decode(chunk));
    const bytes = await bodies.read(post(body, announced), null, account, push);
    assert.deepEqual([new TextDecoder().decode(bytes), chunks.join("")], [body ?? "", body ?? ""]);
    assert.equal(bodies.inFlightBytes, bytes.length);
  }
  assert.equal(bodies.inFlightBytes, 0);
});

Deno.test("bytes over the limit → overloaded, not counted", () => {
  const bodies = new BodyReader({ maxBytes: 100, maxInFlightBytes: 100 });
  const [first, second] = [bodies.open(), bodies.open()];
  first.add(30);
  first.add(30);
  assert.throws(() => second.add(41), { code: "overloaded" });
  second.add(40);
  assert.deepEqual([bodies.inFlightBytes, bodies.hasRoomFor(1)], [100, false]);
  for (const left of [40, 40]) {
    first[Symbol.dispose]();
    assert.equal(bodies.inFlightBytes, left);
  }
});

Deno.test("more than 32 large bodies → each counts 1 MiB more, until disposed; small ones do not", () => {
  const bodies = new BodyReader({ maxBytes: MIB, maxInFlightBytes: 256 * MIB });
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
  const bodies = new BodyReader({ maxBytes: 400 * KIB, maxInFlightBytes: 400 * KIB });
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

Deno.test("as many bodies as may be unfinished → others are refused, then the slowest ends", async () => {
  const options = { maxBytes: 400 * KIB, maxInFlightBytes: 400 * KIB, maxUnfinished: 2 };
  const bodies = new BodyReader(options);
  const read = (body: BodyInit) => {
    using account = bodies.open();
    return bodies.read(post(body), null, account, () => {}).then(() => "read", ({ code }) => code);
  };
  const unfinished = [1, 2].map(() => read(new TransformStream().readable));
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(await read("text"), "overloaded");
  await until("another is read", async () => await read("text") === "read");
  assert.equal(await Promise.race(unfinished), "overloaded");
});
