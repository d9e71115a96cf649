import assert from "node:assert/strict";
import { matchesEtag } from "./resource.ts";

Deno.test("If-None-Match → a list that is compared weakly, or *", () => {
  const matching = [
    '"a"',
    'W/"a"',
    "*",
    " * ",
    '"x", "a"',
    '"x","a"',
    'W/"x" , W/"a"',
    '"x,y", "a"',
    ', "a"',
  ];
  for (const header of matching) assert.equal(matchesEtag(header, '"a"'), true, header);
  const other = ["", '"b"', "a", '"a', "w/a", '"x" "a"', '"xa"', '"a-br"', '"b", *', 'w/"a"'];
  for (const header of other) assert.equal(matchesEtag(header, '"a"'), false, header);
});
