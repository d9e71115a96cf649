import assert from "node:assert/strict";
import { BodyReader } from "./body_reader.ts";
import { RelayError } from "./errors.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const KIB = 1024;
const LIMIT = 1024 * KIB;

/** Starts to read a body. `ended` resolves with its length, or with the code of its error. */
function start(bodies: BodyReader, announced: number | undefined) {
  const { readable, writable } = new TransformStream<Bytes>();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const headers = new Headers();
  if (announced !== undefined) headers.set("content-length", `${announced}`);
  const request = new Request("http://relay.invalid/", { method: "POST", headers, body: readable });
  const read = async () => {
    using account = bodies.open();
    return (await bodies.read(request, null, account, () => {})).length;
  };
  const ended = read().catch((error) => error instanceof RelayError ? error.code : error);
  return { send: (bytes: number) => writer.write(new Uint8Array(bytes)), writer, ended };
}

for (
  const [what, announced, places] of [
    ["no length", undefined, 8],
    ["1 KiB", KIB, 8],
    ["256 KiB", 256 * KIB, 4],
    ["as much as there is", LIMIT, 1],
  ] as const
) {
  Deno.test(`unfinished bodies that announce ${what} → ${places} in 1 MiB, none in flight`, async () => {
    const bodies = new BodyReader({ maxBytes: LIMIT, maxInFlightBytes: LIMIT });
    const uploads = Array.from({ length: places }, () => start(bodies, announced));
    assert.equal(await start(bodies, announced).ended, "overloaded");
    assert.deepEqual([bodies.inFlightBytes, bodies.hasRoom], [0, true]);
    for (const { send, writer } of uploads) {
      await send(KIB);
      await writer.close();
    }
    assert.deepEqual(await Promise.all(uploads.map(({ ended }) => ended)), Array(places).fill(KIB));
    assert.equal(await start(bodies, LIMIT + 1).ended, "envelope_too_large");
    assert.equal(bodies.inFlightBytes, 0);
  });
}

Deno.test("no room for an upload → the slowest that are not new end for it", async () => {
  const bodies = new BodyReader({ maxBytes: LIMIT, maxInFlightBytes: LIMIT });
  const slow = Array.from({ length: 8 }, () => start(bodies, KIB));
  await new Promise((resolve) => setTimeout(resolve, 260));
  const next = start(bodies, 512 * KIB);
  await next.send(512 * KIB);
  await next.writer.close();
  assert.equal(await next.ended, 512 * KIB);
  // Those that were ended cannot be closed.
  for (const { writer } of slow) await writer.close().catch(() => {});
  const ends = await Promise.all(slow.map(({ ended }) => ended));
  assert.equal(ends.filter((end) => end === "overloaded").length, 4);
  assert.equal(ends.filter((end) => end === 0).length, 4);
});

Deno.test("bodies that arrive fill the memory → no room, the next chunk is refused", () => {
  const bodies = new BodyReader({ maxBytes: LIMIT, maxInFlightBytes: LIMIT });
  using account = bodies.open();
  account.add(LIMIT);
  assert.deepEqual([bodies.inFlightBytes, bodies.hasRoom], [LIMIT, false]);
  assert.throws(() => account.add(1), { code: "overloaded" });
  assert.equal(bodies.inFlightBytes, LIMIT);
});
