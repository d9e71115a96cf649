import assert from "node:assert/strict";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { createThisPageSource, type PageEnvelope } from "./source/this_page_source.ts";
import { TraceReader } from "./trace_reader.ts";

const TRACE = "a".repeat(32);

const spanIn = (trace_id: string, span_id: string): PageEnvelope => ({
  at: 0,
  bytes: envelopeOf({}, ["span", {
    items: [{ trace_id, span_id, name: "work", start_timestamp: 1, end_timestamp: 2 }],
  }]),
});

Deno.test("envelopes of other traces arrive → the content of a trace is the same list", async () => {
  const envelopes = [spanIn(TRACE, "1".repeat(16))];
  const listeners = new Set<() => void>();
  const source = createThisPageSource({
    envelopes,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  const add = (envelope: PageEnvelope) => {
    envelopes.push(envelope);
    for (const listener of listeners) listener();
  };
  const reader = new TraceReader(source, TRACE);
  const spansOf = (parts: Awaited<ReturnType<TraceReader["read"]>>["parts"]) =>
    parts.flatMap(({ spans }) => spans.map(({ span_id }) => span_id[0]));
  const first = await reader.read();
  assert.deepEqual(spansOf(first.parts), ["1"]);
  add(spanIn("b".repeat(32), "2".repeat(16)));
  assert.equal((await reader.read()).parts, first.parts);
  add(spanIn(TRACE, "3".repeat(16)));
  assert.deepEqual(spansOf((await reader.read()).parts), ["1", "3"]);
});

Deno.test("one download fails → the others end first, and the next read fetches none again", async () => {
  const envelopes = Array.from({ length: 8 }, (_, n) => spanIn(TRACE, `${n + 1}`.repeat(16)));
  const source = createThisPageSource({ envelopes, subscribe: () => () => {} });
  const fetched: number[] = [];
  const reader = new TraceReader({
    ...source,
    async envelope(id) {
      fetched.push(id);
      if (fetched.length === 1) throw new Error("interrupted");
      // The others are still running when the first one has failed.
      await new Promise((resolve) => setTimeout(resolve));
      return source.envelope(id);
    },
  }, TRACE);
  await assert.rejects(reader.read(), /interrupted/);
  const [failed, ...others] = fetched;
  const { parts } = await reader.read();
  assert.equal(parts.length, envelopes.length);
  const again = fetched.slice(1 + others.length);
  assert.deepEqual(again.filter((id) => others.includes(id)), []);
  assert.ok(again.includes(failed!));
});
