import assert from "node:assert/strict";
import { printable, readOrigin } from "./prove.ts";
import { UserError } from "./command_line.ts";

Deno.test("address of a deployment → its origin", () => {
  assert.equal(readOrigin(["https://status.example.com"]), "https://status.example.com");
  assert.equal(readOrigin(["http://127.0.0.1:8000/#/traces"]), "http://127.0.0.1:8000");
});

Deno.test("no address of a page → refused with what would be right", () => {
  const refused = [
    [],
    ["https://a.example", "https://b.example"],
    ["example.com"],
    ["ftp://example.com/"],
    ["https://example.com/monitoring"],
  ];
  const message = /^Cannot prove: give one .* address.* Use: deno task prove https:\/\/HOST\/$/;
  for (const args of refused) {
    assert.throws(() => readOrigin(args), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, message);
      return true;
    });
  }
});

Deno.test("a page's text → nothing in it controls the terminal, and it ends", () => {
  assert.equal(printable("a\nb – ✓"), "a\nb – ✓");
  assert.equal(printable("a\tb\n\tb"), `a${" ".repeat(22)}b\n${" ".repeat(23)}b`);
  assert.equal(printable("\x1b[2J\x9b1m\r\u202e"), "\ufffd[2J\ufffd1m ⏎");
  assert.ok(printable("a".repeat(1e6)).length < 1e5);
});
