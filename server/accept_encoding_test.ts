import assert from "node:assert/strict";
import fc from "fast-check";
import { type Encoding, negotiateEncoding } from "./accept_encoding.ts";

const ALL: Encoding[] = ["br", "gzip", "identity"];

Deno.test("encoding → chosen by weight as in RFC 9110", () => {
  const cases: [string | null, Encoding][] = [
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["deflate, zstd", "identity"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["br;q=0.5, gzip;q=0.8", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br ; q=0.001", "br"],
    ["br;Q=0.5, gzip ; q = 0.8", "gzip"],
    ["br;q=0.5, BR;q=0.9, gzip;q=0.7", "br"],
    ["*", "br"],
    ["*;q=0", "identity"],
    ["*;q=0.5, gzip", "gzip"],
    ["gzip;q=0, *", "br"],
    ["identity", "identity"],
    ["identity, br;q=0.5", "identity"],
    ["identity;q=0", "identity"],
    ["identity;q=0, *;q=0.1", "br"],
    ["br;q=1.5, gzip", "gzip"],
    ["br;q=abc, gzip;q=0.2", "gzip"],
    ["br;level=5, gzip;q=0.2", "gzip"],
    [" , br,, ", "br"],
    ["b r", "identity"],
  ];
  for (const [header, expected] of cases) {
    assert.equal(negotiateEncoding(header, ALL), expected, String(header));
  }
});

Deno.test("encoding without a body → never chosen", () => {
  assert.equal(negotiateEncoding("br", ["gzip", "identity"]), "identity");
  assert.equal(negotiateEncoding("br, gzip;q=0.1", ["gzip", "identity"]), "gzip");
});

Deno.test("any header → no error, an available encoding", () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom("br", "gzip", "*", "identity", ";", "q=", "0", "1", ".", ",", " "))
      .map((parts) => parts.join("")),
  );
  fc.assert(fc.property(text, (header) => {
    assert.ok(ALL.includes(negotiateEncoding(header, ALL)));
  }));
});

Deno.test("coding with weight 0, in any spelling → never chosen", () => {
  const space = fc.constantFrom("", " ", "\t", "  ");
  const refusal = fc.tuple(fc.constantFrom("br", "BR", "Br"), space, space, space)
    .map(([name, one, two, three]) => `${name}${one};${two}q=0${three}`);
  fc.assert(fc.property(refusal, (header) => {
    assert.equal(negotiateEncoding(`${header},gzip;q=0.1`, ALL), "gzip");
    assert.equal(negotiateEncoding(`*, ${header}`, ALL), "gzip");
  }));
});
