import assert from "node:assert/strict";
import { envelopeOf, error, log } from "../../inbox/testdata/envelopes.ts";
import { indexTests } from "../../inbox/testdata/index_suite.ts";
import { memoryIndexUnderTest } from "../../inbox/testdata/tested_index.ts";

indexTests("in memory", memoryIndexUnderTest).forEach((test) => Deno.test(test));

Deno.test("in memory: many logs and errors per envelope → correct counts", async () => {
  const index = memoryIndexUnderTest(50);
  const items = Array.from({ length: 250 }, (_, n) => error(`order ${n}`));
  for (let n = 0; n < 60; n++) {
    await index.add(envelopeOf({}, ...items, log("x")), 1_795_262_400_000);
  }
  assert.equal(index.list("errors", {}).rows[0]?.count, 50 * 250);
});
