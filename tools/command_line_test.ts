import assert from "node:assert/strict";
import { readArguments, UserError, visibleText } from "./command_line.ts";

Deno.test("unknown option, unexpected or missing value → one line with the use", () => {
  const options = { url: { type: "string" }, json: { type: "boolean" } } as const;
  const refused = {
    "--log": "Unknown option '--log'.",
    "log": "Unexpected argument 'log'.",
    "--json=3": "Option '--json' does not take an argument.",
  };
  for (const [arg, reason] of Object.entries(refused)) {
    const read = () =>
      readArguments("tail", "deno task tail", { args: [arg], options, allowPositionals: false });
    assert.throws(read, new UserError(`Cannot tail: ${reason} Use: deno task tail`));
  }
});

Deno.test("text from others → cannot control the terminal, nor break the line", () => {
  const text = visibleText(
    "a\x1b[2J\x9b1m\r\n\tb\u0007\u202e\u2066\u200b\u{e0041}\u034f\u2028c\ud800",
  );
  assert.doesNotMatch(text, /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  assert.equal(text, "a\ufffd[2J\ufffd1m ⏎ b\ufffd ⏎ c\ufffd");
});
