import assert from "node:assert/strict";
import fc from "fast-check";
import { withoutAttributes } from "./selector.ts";

Deno.test("an element's description loses its attributes", () => {
  assert.equal(
    withoutAttributes('main > button#send.wide[type="submit"][title="Send to Ann"]'),
    "main > button#send.wide",
  );
  assert.equal(withoutAttributes("body > p"), "body > p");
});

Deno.test("a value that looks like the end of an attribute betrays nothing", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (label, title) => {
    const selector = `main > button.b[aria-label="${label}SECRET"][title="SECRET${title}"]`;
    assert.ok(!withoutAttributes(selector).includes("SECRET"));
  }));
});
