import assert from "node:assert/strict";
import type { GroupAlert } from "../models/error/error_row.ts";
import type { Refusal } from "../protocol/relay_api.ts";
import { admitted, eventEnvelope } from "./testdata/envelopes.ts";
import { eventStream } from "./event_stream.ts";
import { Recent } from "./recent.ts";
import { withFolder } from "./testdata/inbox_suite.ts";

const read = async (reader: ReadableStreamDefaultReader<Uint8Array>) =>
  new TextDecoder().decode((await reader.read()).value);
const idsOf = (text: string) =>
  [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
const OPTIONS = {
  since: 0,
  refusals: new Recent<Refusal>(),
  alerts: new Recent<GroupAlert>(),
};

Deno.test("reader does not read → no rows in memory", async () => {
  const size = eventEnvelope(10).byteLength;
  await withFolder(async (_, open) => {
    const inbox = open({ maxBytes: size * 3 });
    const { signal } = new AbortController();
    const reader = eventStream(inbox, { ...OPTIONS, signal }).getReader();
    await read(reader);
    for (let n = 10; n < 30; n++) await inbox.store(admitted(eventEnvelope(n)));
    // The seventeen before were evicted and are not in memory.
    assert.deepEqual(idsOf(await read(reader)), [18, 19, 20]);
    await reader.cancel();
  })();
});
