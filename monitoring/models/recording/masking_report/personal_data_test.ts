import assert from "node:assert/strict";
import fc from "fast-check";
import { findPersonalData, MAX_SEARCHED, type PersonalKind } from "./personal_data.ts";

const kindsIn = (text: string) => findPersonalData(text).map(({ what }) => what);

Deno.test("personal data in a text → its kind and the value", () => {
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I";
  const cases: readonly (readonly [string, PersonalKind, string])[] = [
    [
      "Mail to ann.b+shop@mail.shop.example, please",
      "e-mail address",
      "ann.b+shop@mail.shop.example",
    ],
    ["/users/ann%40shop.example/edit?tab=1", "e-mail address", "ann@shop.example"],
    ["Card 4111 1111 1111 1111", "card number", "4111 1111 1111 1111"],
    ["3782-822463-10005.", "card number", "3782-822463-10005"],
    ["Call +49 170 1234567", "phone number", "+49 170 1234567"],
    ["(555) 123-4567", "phone number", "(555) 123-4567"],
    [`token=${jwt}`, "JSON web token", jwt],
    ["Bearer 0a1b2c3d4e5f60718293", "access token", "Bearer 0a1b2c3d4e5f60718293"],
    ["key AKIAIOSFODNN7EXAMPLE", "secret key", "AKIAIOSFODNN7EXAMPLE"],
    ["/reset/Zk3Xy9QpL2mN8vB4tR7wHs6D", "long random text", "Zk3Xy9QpL2mN8vB4tR7wHs6D"],
  ];
  for (const [text, what, value] of cases) {
    assert.deepEqual(findPersonalData(text), [{ what, value }], text);
  }
  assert.deepEqual(kindsIn("a@b.example and a@b.example, 4111111111111111"), [
    "e-mail address",
    "card number",
  ]);
});

Deno.test("ids, hashes, times, versions, names in code, masked texts → no personal data", () => {
  for (
    const text of [
      "0123456789abcdef0123456789abcdef",
      "550e8400-e29b-41d4-a716-446655440000",
      "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
      "sentry-trace_id=4bf92f3577b34da6a3ce929d0e0e4736,sentry-public_key=0e0e473600f067aa0ba902b7",
      "/assets/Zk3Xy9QpL2mN8vB4tR7wHs6D.js",
      "https://shop.example/_next/static/Zk3Xy9QpL2mN8vB4tR7wHs6D/_manifest.js?v=12",
      "https://0e0e473600f067aa0ba902b7@o1.ingest.sentry.io/1",
      "sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC",
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4",
      "1795262400000 1795262400000000 1795262400000000000 2026-11-22T23:05:48.123456+02:00",
      "4111 1111 1111 1112",
      "getUserById2AndItem3OfList4Foo MY_LONG_CONSTANT_1_OF_2_AND_3",
      "logo@2x.png react@19.3.0 f@app.js:1:2 @sentry/browser",
      "**** **** **** 1111, ***@***.***",
      "+1234567 bytes, 555-1234, 192.168.100.200, 1.2.3-4567",
    ]
  ) assert.deepEqual(findPersonalData(text), [], text);
});

Deno.test("hex ids, UUIDs, times in any text → never personal data", () => {
  const hex = fc.array(fc.constantFrom(..."0123456789abcdef"), { minLength: 8, maxLength: 64 })
    .map((digits) => digits.join("")).filter((digits) => /[a-f]/.test(digits));
  const time = fc.integer({ min: 1.2e12, max: 1.9e12 }).map(String);
  const harmless = fc.oneof(
    hex,
    fc.uuid(),
    time,
    fc.date({ noInvalidDate: true }).map((one) => one.toISOString()),
  );
  fc.assert(fc.property(fc.array(harmless), (words) => {
    assert.deepEqual(kindsIn(words.join(" ")), []);
  }));
});

Deno.test("any text → no exception; each value is in the text", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    for (const { value } of findPersonalData(`${text} 1@`)) {
      assert.ok(value.length > 0);
    }
  }));
  // A text made for backtracking takes no longer than others.
  for (const part of ["a@", "a.", "1 ", "eyJ", "+1 ", "aB1-", "AB12 ", "//a:", "/a.", "Bearer "]) {
    assert.deepEqual(findPersonalData(`1@${part.repeat(MAX_SEARCHED / 10)}`).slice(1), []);
  }
});
