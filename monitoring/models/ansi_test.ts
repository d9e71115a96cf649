import assert from "node:assert/strict";
import fc from "fast-check";
import { MAX_RUNS, readAnsi } from "./ansi.ts";

const ESC = "\x1b";
const stylesOf = (codes: string) => readAnsi(`${ESC}[${codes}mtext`).styles[0]?.[1] ?? "";

Deno.test("colours and styles → plain text and style runs", () => {
  assert.deepEqual(readAnsi(`a ${ESC}[1;31mred${ESC}[0m b ${ESC}[4mline${ESC}[24m`), {
    text: "a red b line",
    styles: [[2, "bold red"], [5, ""], [8, "underline"]],
  });
  assert.deepEqual(readAnsi("plain"), { text: "plain", styles: [] });
});

Deno.test("bright, 256 and true colours → the nearest hue of the palette; greys → none", () => {
  const hues = {
    "92": "green",
    "38;5;9": "red",
    "38;5;208": "yellow",
    "38;5;27": "blue",
    "38;5;240": "",
    "38;2;255;0;255": "magenta",
    "38;2;20;200;210": "cyan",
    "38;2;99;99;99": "",
    "37": "",
    "90": "faint",
    "97;41": "badge red",
    "38:5:9": "red",
    "38;5;1;4": "underline red",
  };
  for (const [codes, names] of Object.entries(hues)) assert.equal(stylesOf(codes), names, codes);
});

Deno.test("cursor movements, titles, links, unknown sequences → removed", () => {
  const link = `${ESC}]8;;https://shop.test${ESC}\\`;
  const texts = [
    `${ESC}[2K${ESC}[1Gdone`,
    `${ESC}]0;title\x07done`,
    `${link}done${ESC}]8;;${ESC}\\`,
    `${ESC}Pq#0${ESC}\\done`,
    `${ESC}(Bdone`,
    `\x9b2Jdone`,
    `${ESC}[?25ldone${ESC}[?25h`,
  ];
  for (const text of texts) {
    assert.deepEqual(readAnsi(text), { text: "done", styles: [] }, JSON.stringify(text));
  }
});

Deno.test("any text → runs in ascending order within the text", () => {
  const part = fc.constantFrom(ESC, "[", "]", "m", "1", "31", ";", "\x07", "\\", "a", "P", "\x9b");
  fc.assert(fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
    const { text, styles } = readAnsi(parts.join(""));
    styles.reduce((before, [at]) => {
      assert.ok(at > before && at < text.length, `run at ${at} after ${before} of ${text.length}`);
      return at;
    }, -1);
  }));
});

Deno.test("more style changes than allowed → the first ones, and the whole text", () => {
  const { text, styles } = readAnsi(`${ESC}[31ma${ESC}[0mb`.repeat(MAX_RUNS));
  assert.equal(styles.length, MAX_RUNS);
  assert.equal(text, "ab".repeat(MAX_RUNS));
});
