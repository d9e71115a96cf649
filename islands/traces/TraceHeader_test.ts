import assert from "node:assert/strict";
import { readTrace } from "../../monitoring/models/trace/trace.ts";
import { traceWarnings } from "./TraceHeader.tsx";

const plain = readTrace({ spans: [], marks: [] }).summary;
const warnings = (change: Partial<typeof plain>) =>
  traceWarnings({ ...plain, ...change }).map((line) => line.replaceAll("\u00a0", " "));

Deno.test("data of a trace with problems → one warning each; without → none", () => {
  assert.deepEqual(warnings({}), []);
  const texts = [
    ...warnings({ skew_ms: 3000, skewed: 2, browser: 1 }),
    ...warnings({ skew_ms: -2000, skewed: 1 }),
  ];
  assert.match(
    texts[0]!,
    /from the page's, by up to 3\.00 s: those of 2 applications are corrected/,
  );
  assert.match(texts[1]!, /from the first server's, by up to 2\.00 s: those of 1 application/);
  assert.match(warnings({ duplicates: 3 })[0] ?? "", /3 spans received more than once/);
});
