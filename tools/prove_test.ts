import assert from "node:assert/strict";
import { printable, readOrigin } from "./prove.ts";
import { UserError } from "./command_line.ts";

Deno.test("address of a deployment → its origin", () => {
  assert.equal(readOrigin(["https://status.example.com"]), "https://status.example.com");
  assert.equal(readOrigin(["http://127.0.0.1:8000/#/traces"]), "http://127.0.0.1:8000");
});

Deno.test("no address of a page → refused with what would be right", () => {
  const refused: readonly [readonly string[], RegExp][] = [
    [[], /one address is needed, not 0/],
    [["https://a.example", "https://b.example"], /one address is needed, not 2/],
    [["example.com"], /"example\.com" is not an http or https address/],
    [["ftp://example.com/"], /is not an http or https address/],
    [["https://user:secret@example.com/"], /contains a user or a password/],
    [["https://example.com/monitoring"], /has a path/],
  ];
  for (const [args, message] of refused) {
    assert.throws(() => readOrigin(args), (error: unknown) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, message);
      assert.match(error.message, /Use: deno task prove https:\/\/HOST\/$/);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  }
});

Deno.test("a page's text → nothing in it controls the terminal, and it ends", () => {
  assert.equal(printable("a\nb – ✓"), "a\nb – ✓");
  assert.equal(printable("\x1b[2J\x9b1m\r\u202e"), "\ufffd[2J\ufffd1m\ufffd\ufffd");
  assert.ok(printable("a".repeat(1e6)).length < 1e5);
});
