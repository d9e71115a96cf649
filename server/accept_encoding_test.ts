import assert from "node:assert/strict";
import fc from "fast-check";
import { type Encoding, negotiateEncoding, parseAcceptEncoding } from "./accept_encoding.ts";

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

Deno.test("parsing → independent of spaces and case", () => {
  const coding = fc.constantFrom("br", "gzip", "identity", "zstd", "*", "deflate");
  const weight = fc.integer({ min: 0, max: 1000 }).map((thousandths) => thousandths / 1000);
  const space = fc.constantFrom("", " ", "\t", "  ");
  const member = fc.record({ coding, weight, before: space, after: space, upper: fc.boolean() });
  fc.assert(fc.property(fc.array(member, { maxLength: 8 }), (members) => {
    const header = members.map(({ coding, weight, before, after, upper }) =>
      `${before}${upper ? coding.toUpperCase() : coding}${after};${before}q=${weight}${after}`
    ).join(",");
    assert.deepEqual(
      parseAcceptEncoding(header),
      members.map(({ coding, weight }) => ({ coding, weight })),
    );
  }));
});

Deno.test("any header → no error, an available encoding, none that is refused", () => {
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom("br", "gzip", "*", "identity", ";", "q=", "0", "1", ".", ",", " "))
      .map((parts) => parts.join("")),
  );
  fc.assert(fc.property(text, (header) => {
    const chosen = negotiateEncoding(header, ALL);
    assert.ok(ALL.includes(chosen));
    if (chosen === "identity") return;
    const accepted = parseAcceptEncoding(header).filter(({ weight }) => weight > 0);
    const names = [chosen, "*", ...(chosen === "gzip" ? ["x-gzip"] : [])];
    assert.ok(accepted.some(({ coding }) => names.includes(coding)), header);
  }));
});
