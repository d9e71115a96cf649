import assert from "node:assert/strict";
import { envelopeOf, hexId, span } from "../../monitoring/inbox/testdata/envelopes.ts";
import { VisitedPage } from "../testdata/visited_page.ts";
import { createThisPageSource } from "./source/this_page_source.ts";
import { TraceReader } from "./trace_reader.ts";

const TRACE = 1;
const spanIn = (trace: number, id: string) =>
  envelopeOf({}, span(trace, { span_id: id, start_timestamp: 1, end_timestamp: 2 }));

Deno.test("envelopes of other traces arrive → the content of a trace is the same list", async () => {
  const page = new VisitedPage();
  page.add(spanIn(TRACE, "1"));
  const reader = new TraceReader(createThisPageSource(page), hexId(TRACE));
  const spansOf = (parts: Awaited<ReturnType<TraceReader["read"]>>["parts"]) =>
    parts.flatMap(({ spans }) => spans.map(({ span_id }) => span_id));
  const first = await reader.read();
  assert.deepEqual(spansOf(first.parts), ["1"]);
  page.add(spanIn(2, "2"));
  assert.equal((await reader.read()).parts, first.parts);
  page.add(spanIn(TRACE, "3"));
  assert.deepEqual(spansOf((await reader.read()).parts), ["1", "3"]);
});

Deno.test("one download fails → the others end first, and the next read fetches none again", async () => {
  const page = new VisitedPage();
  for (let n = 1; n <= 8; n++) page.add(spanIn(TRACE, `${n}`));
  const source = createThisPageSource(page);
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
  }, hexId(TRACE));
  await assert.rejects(reader.read(), /interrupted/);
  const [failed, ...others] = fetched;
  const { parts } = await reader.read();
  assert.equal(parts.length, page.envelopes.length);
  const again = fetched.slice(1 + others.length);
  assert.deepEqual(again.filter((id) => others.includes(id)), []);
  assert.ok(again.includes(failed!));
});
