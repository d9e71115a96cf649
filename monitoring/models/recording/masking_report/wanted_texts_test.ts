import assert from "node:assert/strict";
import { readWanted, WantedTexts } from "./wanted_texts.ts";

const isFound = (wanted: string, text: string) => new WantedTexts([wanted]).in(text).length > 0;

Deno.test("text in another case, with other blanks, escaped → found", () => {
  for (
    const [wanted, text] of [
      ["Secret tea", "my SECRET\n  TEA!"],
      ["ann@shop.example", "/?mail=ann%40shop.example#top"],
      ["Secret tea", "/search?q=secret+tea&page=2"],
      ["Ünïcode", "u\u0308nïcode".toUpperCase()],
      ["4111 1111 1111 1111", "4111111111111111"],
      ["+49 170 1234567", "0049-170-1234567 or 491701234567"],
    ] as const
  ) assert.ok(isFound(wanted, text), `${wanted} in ${text}`);
  assert.equal(isFound("secret tea", "secrettea"), false);
  assert.equal(isFound("2026 11", "202611"), false);
});

Deno.test("lines typed → texts, each once; too short ones are counted", () => {
  assert.deepEqual(readWanted("  canary\n\nab\ncanary\n tea time \n"), {
    texts: ["canary", "tea time"],
    tooShort: 1,
  });
});
