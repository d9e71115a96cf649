import assert from "node:assert/strict";
import { maskAttribute } from "./attributes.ts";

Deno.test("attributes that a person reads are masked, known or not", () => {
  const readable =
    "title alt placeholder aria-label aria-description label summary value data-name";
  for (const name of [...readable.split(" "), "content", "srcdoc", "something-new"]) {
    assert.equal(maskAttribute(name, "Ann B"), "*** *", name);
  }
});

Deno.test("attributes that make an element what it is are kept", () => {
  assert.equal(maskAttribute("class", "wide row"), "wide row");
  assert.equal(maskAttribute("ARIA-expanded", "true"), "true");
});
