import assert from "node:assert/strict";
import { spanOf } from "../../monitoring/models/trace/testdata/spans.ts";
import { attributesOf } from "./SpanDetail.tsx";

Deno.test("attribute with the value of a field → listed once; with another value → both", () => {
  const namesOf = (release: string) =>
    attributesOf(spanOf("lcp", null, 0, 1, { release: "web@1", attributes: { release, cls: 0 } }))
      .map(({ name, value }) => `${name} ${value}`).filter((text) => /release|cls/.test(text));
  assert.deepEqual(namesOf("web@1"), ["release web@1", "cls 0"]);
  assert.deepEqual(namesOf("web@2"), ["release web@1", "cls 0", "release web@2"]);
});
