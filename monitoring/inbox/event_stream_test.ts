import assert from "node:assert/strict";
import { admitted, eventEnvelope } from "./testdata/envelopes.ts";
import { eventStream } from "./event_stream.ts";
import { withFolder } from "./testdata/inbox_suite.ts";

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value);
const idsOf = (text: string) =>
  [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
/** Runs all pending microtasks. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

Deno.test("reader does not read → no rows in memory", async () => {
  const size = eventEnvelope(10).byteLength;
  await withFolder(async (_, open) => {
    const inbox = open({ maxBytes: size * 3 });
    const { signal } = new AbortController();
    const reader = eventStream(inbox, { since: 0, signal }).getReader();
    await read(reader);
    for (let n = 10; n < 30; n++) await inbox.store(admitted(eventEnvelope(n)));
    // The seventeen before were evicted and are not in memory.
    assert.deepEqual(idsOf(await read(reader)), [18, 19, 20]);
    await reader.cancel();
  })();
});

Deno.test("no change → nothing sent, nothing read", async () => {
  await withFolder(async (_, open) => {
    const inbox = open();
    const { signal } = new AbortController();
    const reader = eventStream(inbox, { since: 0, signal }).getReader();
    await read(reader);
    let arrived: string | undefined;
    const next = read(reader).then((text) => arrived = text);
    await settled();
    assert.equal(arrived, undefined);
    await inbox.store(admitted(eventEnvelope(1)));
    assert.deepEqual(idsOf(await next), [1]);
    await reader.cancel();
  })();
});

Deno.test("stream ends for any reason → onEnd called once", async () => {
  const stop = new AbortController();
  const never = new AbortController();
  await withFolder(async (_, open) => {
    const inbox = open();
    let ends = 0;
    const stream = (signal: AbortSignal) =>
      eventStream(inbox, { since: 0, signal, onEnd: () => ends++ }).getReader();

    const left = stream(stop.signal);
    await read(left);
    await left.cancel();
    assert.equal(ends, 1, "the reader left");

    const stopped = stream(stop.signal);
    await read(stopped);
    const end = stopped.read();
    stop.abort();
    assert.equal((await end).done, true);
    assert.equal(ends, 2, "the signal");

    const closed = stream(never.signal);
    inbox.close();
    assert.equal((await closed.read()).done, false, "the first lines");
    assert.equal((await closed.read()).done, true);
    assert.equal(ends, 3, "the inbox");

    const late = stream(stop.signal);
    await late.read();
    assert.equal((await late.read()).done, true);
    assert.equal(ends, 4, "before it began");
  })();
});
