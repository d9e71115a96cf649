import assert from "node:assert/strict";
import fc from "fast-check";
import { MIN_PROGRESS_BYTES, UploadError, Uploads } from "./uploads.ts";

const KIB = 1024;
type Bytes = Uint8Array<ArrayBuffer>;

// The timer of uploads does not keep the process alive, so the tests need one of their own.
const pause = (ms: number) => new Promise<undefined>((resolve) => setTimeout(resolve, ms));

/** Starts an upload by its stream. `ended` resolves with its length or why it ended, `after` with the milliseconds. */
function startUpload(uploads: Uploads) {
  const start = performance.now();
  const { readable, writable } = new TransformStream<Bytes>();
  const writer = writable.getWriter();
  writer.closed.catch(() => {});
  const ended = uploads.read(readable, 1_000 * KIB).then(({ length }) => length, reasonOf);
  const after = ended.then(() => performance.now() - start);
  return { send: (bytes: number) => writer.write(new Uint8Array(bytes)), writer, ended, after };
}

const reasonOf = (error: unknown) => error instanceof UploadError ? error.reason : error;

Deno.test("chunks of any size, of one buffer → the whole body in its order", async () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 300 * KIB }));
  const sizes = fc.array(size, { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.constantFrom("not", "right", "more"), async (sizes, announces) => {
      const ends = sizes.map((_, at) => sizes.slice(0, at + 1).reduce((sum, one) => sum + one));
      const whole = Uint8Array.from({ length: ends.at(-1) ?? 0 }, (_, at) => at * 7);
      const chunks = ends.map((end, at) => whole.subarray(ends[at - 1] ?? 0, end));
      const announced = { not: undefined, right: whole.length, more: whole.length + 70_000 };
      const passedOn: number[] = [];
      const onChunk = (chunk: Bytes) => {
        for (const byte of chunk) passedOn.push(byte);
      };
      const size = announced[announces];
      const body = ReadableStream.from(chunks);
      assert.deepEqual(await new Uploads().read(body, 2_000 * KIB, size, onChunk), whole);
      assert.deepEqual(Uint8Array.from(passedOn), whole);
    }),
    { numRuns: 40 },
  );
});

Deno.test("a body in chunks of one byte → held in a buffer of its size", async () => {
  const chunks = Array.from({ length: 20_000 }, () => Uint8Array.of(7));
  const bytes = await new Uploads().read(ReadableStream.from(chunks), 20_000);
  assert.equal(bytes.length, 20_000);
  assert.equal(bytes.buffer.byteLength, 20_000);
});

Deno.test("20 MB announced, little sent → little memory", async () => {
  let capacity = 0;
  const onChunk = ({ buffer }: Bytes) => void (capacity = buffer.byteLength);
  const body = ReadableStream.from([new Uint8Array(100)]);
  await new Uploads().read(body, 20e6, 20e6, onChunk);
  assert.equal(capacity, 16 * KIB);
});

Deno.test("a body over its limit, or whose connection breaks → an error that states it", async () => {
  const read = (body: ReadableStream<Bytes>) => new Uploads().read(body, 100).catch(reasonOf);
  assert.equal(await read(ReadableStream.from([new Uint8Array(101)])), "large");
  assert.equal(await read(new ReadableStream({ pull: () => Promise.reject() })), "disconnected");
});

Deno.test("no progress for a period → ended; enough progress → another period, and only one", async () => {
  const uploads = new Uploads(40);
  const [idle, one] = [startUpload(uploads), startUpload(uploads)];
  await one.send(MIN_PROGRESS_BYTES);
  assert.deepEqual(await Promise.all([idle.ended, one.ended, pause(200)]), [
    "slow",
    "slow",
    undefined,
  ]);
  assert.ok(await idle.after >= 40, `${await idle.after} ms`);
  assert.equal(uploads.count, 0);
});

Deno.test("body read by one call → as many periods as its bytes may take", async () => {
  const start = performance.now();
  const never = new Promise<Bytes>(() => {});
  const ended = new Uploads(40).readWhole(never, 3 * MIN_PROGRESS_BYTES).catch(reasonOf);
  assert.equal(await Promise.race([ended, pause(5_000)]), "slow");
  assert.ok(performance.now() - start >= 120);
});

Deno.test("an upload that ended, or whose reader is busy → not ended by time", async () => {
  const uploads = new Uploads(10);
  const complete = startUpload(uploads);
  await complete.send(5);
  await complete.writer.close();
  assert.equal(await complete.ended, 5);
  const chunks = uploads.chunks(ReadableStream.from([new Uint8Array(1), new Uint8Array(1)]));
  for (let chunk = 0; chunk < 2; chunk++) {
    assert.equal((await chunks.next()).done, false);
    await pause(50);
  }
  assert.equal((await chunks.next()).done, true);
});

Deno.test("overload → uploads slower than the rate under overload are ended, others continue", async () => {
  const uploads = new Uploads(60_000);
  const [slow, quick] = [startUpload(uploads), startUpload(uploads)];
  await quick.send(1_000 * KIB);
  assert.equal(uploads.shedLoad(), 0, "they have just started");
  await pause(2_050);
  assert.equal(uploads.shedLoad(), 1);
  assert.equal(await slow.ended, "slow");
  await quick.writer.close();
  assert.equal(await quick.ended, 1_000 * KIB);
});

Deno.test("a place is needed → the slowest upload that is not new is ended", async () => {
  const uploads = new Uploads();
  const [quick, slow] = [startUpload(uploads), startUpload(uploads)];
  const unseen = uploads.readWhole(new Promise<Bytes>(() => {}), 256 * KIB).catch(reasonOf);
  uploads.endSlowest();
  assert.equal(uploads.count, 3, "all are new");
  await quick.send(1);
  await pause(260);
  const another = startUpload(uploads);
  for (const [upload, left] of [[slow.ended, 3], [unseen, 2], [quick.ended, 1]] as const) {
    uploads.endSlowest();
    assert.deepEqual([await upload, uploads.count], ["slow", left]);
  }
  uploads.endSlowest();
  assert.equal(uploads.count, 1);
  await another.writer.close();
});
