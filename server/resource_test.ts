import assert from "node:assert/strict";
import fc from "fast-check";
import type { Bodies } from "./content.ts";
import { chooseEncoding, matchesEtag } from "./resource.ts";

const identity = new Uint8Array();
const ALL: Bodies = { identity, br: identity, gzip: identity };

Deno.test("Accept-Encoding → the smallest body that it accepts", () => {
  const cases: [string | null, keyof Bodies][] = [
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["deflate, zstd", "identity"],
    ["GZIP", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "br"],
    ["br;q=0, gzip", "gzip"],
    ["br ; q=0.001", "br"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["*;q=0, gzip", "gzip"],
    ["br;q=0, *", "gzip"],
    ["identity", "identity"],
    ["identity;q=0", "identity"],
    [" , br,, ", "br"],
    ["b r", "identity"],
  ];
  for (const [header, expected] of cases) {
    assert.equal(chooseEncoding(header, ALL), expected, String(header));
  }
  assert.equal(chooseEncoding("br, gzip;q=0.1", { identity, gzip: identity }), "gzip");
  assert.equal(chooseEncoding("br, gzip", { identity }), "identity");
});

Deno.test("any header → an available encoding; weight 0 in any spelling → never chosen", () => {
  const text = fc.array(
    fc.constantFrom("br", "gzip", "*", "identity", ";", "q=", "0", "1", ".", ",", " "),
  ).map((parts) => parts.join(""));
  fc.assert(fc.property(text, (header) => {
    assert.ok(chooseEncoding(header, ALL) in ALL);
  }));
  const space = fc.constantFrom("", " ", "\t", "  ");
  const refusal = fc.tuple(fc.constantFrom("br", "BR", "Br"), space, space, space)
    .map(([name, one, two, three]) => `${name}${one};${two}q=0${three}`);
  fc.assert(fc.property(refusal, (header) => {
    assert.equal(chooseEncoding(`${header},gzip;q=0.1`, ALL), "gzip");
    assert.equal(chooseEncoding(`*, ${header}`, ALL), "gzip");
  }));
});

Deno.test("If-None-Match → a list that is compared weakly, or *", () => {
  const matching = ['"a"', 'W/"a"', "*", " * ", '"x", "a"', 'W/"x" , W/"a"', '"x,y", "a"'];
  for (const header of matching) assert.equal(matchesEtag(header, '"a"'), true, header);
  const other = ["", '"b"', "a", '"a', "w/a", '"x" "a"', '"xa"', '"a-br"', '"b", *', 'w/"a"'];
  for (const header of other) assert.equal(matchesEtag(header, '"a"'), false, header);
});
