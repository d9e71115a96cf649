import assert from "node:assert/strict";
import { withoutAnsi } from "./ansi.ts";

const ESC = "\x1b";

Deno.test("colours, cursor movements, titles, links, unknown sequences → removed", () => {
  const link = `${ESC}]8;;https://shop.test${ESC}\\`;
  const texts = [
    "done",
    `${ESC}[1;31mdo${ESC}[38:2;20;200;210mne${ESC}[0m`,
    `${ESC}[2K${ESC}[1Gdone`,
    `${ESC}]0;title\x07done`,
    `${link}done${ESC}]8;;${ESC}\\`,
    `${ESC}Pq#0${ESC}\\done`,
    `${ESC}(Bdone`,
    `\x9b2Jdone`,
    `${ESC}[?25ldone${ESC}[?25h`,
  ];
  for (const text of texts) assert.equal(withoutAnsi(text), "done", JSON.stringify(text));
});
