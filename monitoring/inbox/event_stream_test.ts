import assert from "node:assert/strict";
import { join } from "node:path";
import { admitted, eventEnvelope } from "./testdata/envelopes.ts";
import { eventStream } from "./event_stream.ts";
import type { Inbox } from "./inbox.ts";
import { openInbox } from "./sqlite_inbox.ts";

/** Runs a test with an inbox in a temporary folder. */
async function withInbox(maxBytes: number, work: (inbox: Inbox) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const inbox = openInbox({ path: join(folder, "inbox.sqlite"), maxBytes });
  try {
    await work(inbox);
  } finally {
    inbox.close();
    Deno.removeSync(folder, { recursive: true });
  }
}

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value);
const idsOf = (text: string) =>
  [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
/** Runs all pending microtasks. */
const settled = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

Deno.test("reader does not read → no rows in memory", async () => {
  const size = eventEnvelope(10).byteLength;
  await withInbox(size * 3, async (inbox) => {
    const { signal } = new AbortController();
    const reader = eventStream(inbox, { since: 0, signal }).getReader();
    await read(reader);
    for (let n = 10; n < 30; n++) await inbox.store(admitted(eventEnvelope(n)));
    // The seventeen before were evicted and are not in memory.
    assert.deepEqual(idsOf(await read(reader)), [18, 19, 20]);
    await reader.cancel();
  });
});

Deno.test("no change → nothing sent, nothing read", async () => {
  await withInbox(100_000, async (inbox) => {
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
  });
});

Deno.test("stream ends for any reason → onEnd called once", async () => {
  const stop = new AbortController();
  const never = new AbortController();
  await withInbox(100_000, async (inbox) => {
    let ends = 0;
    const open = (signal: AbortSignal) =>
      eventStream(inbox, { since: 0, signal, onEnd: () => ends++ }).getReader();

    const left = open(stop.signal);
    await read(left);
    await left.cancel();
    assert.equal(ends, 1, "the reader left");

    const stopped = open(stop.signal);
    await read(stopped);
    const end = stopped.read();
    stop.abort();
    assert.equal((await end).done, true);
    assert.equal(ends, 2, "the signal");

    const closed = open(never.signal);
    inbox.close();
    assert.equal((await closed.read()).done, false, "the first lines");
    assert.equal((await closed.read()).done, true);
    assert.equal(ends, 3, "the inbox");

    const late = open(stop.signal);
    await late.read();
    assert.equal((await late.read()).done, true);
    assert.equal(ends, 4, "before it began");
  });
});
