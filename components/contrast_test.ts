import assert from "node:assert/strict";

/** WCAG 2.2, 1.4.3: text. */
const TEXT = 4.5;
/** WCAG 2.2, 1.4.11: borders of controls, marks. */
const SHAPE = 3;

const css = Deno.readTextFileSync(new URL("styles/tokens.css", import.meta.url));
const [light = "", dark = ""] = css.match(/:root\s*\{[^}]*\}/g) ?? [];
const tokens = (block: string) =>
  new Map([...block.matchAll(/--(\w+):\s*#([0-9a-f]{6});/g)].map(([, name, hex]) => [name, hex]));
const schemes = {
  light: tokens(light),
  dark: new Map([...tokens(light), ...tokens(dark)]),
};

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

for (const [scheme, colours] of Object.entries(schemes)) {
  for (const ground of ["paper", "lit"]) {
    for (
      const [ink, least] of [
        ["ink", TEXT],
        ["quiet", TEXT],
        ["flows", TEXT],
        ["waits", TEXT],
        ["refused", TEXT],
        ["edge", SHAPE],
      ] as const
    ) {
      Deno.test(`${scheme}: ${ink} on ${ground} → contrast of at least ${least}`, () => {
        const [above, below] = [colours.get(ink), colours.get(ground)];
        assert.ok(above && below, `${ink} and ${ground} are tokens of styles/tokens.css`);
        assert.ok(contrast(above, below) >= least, `it is ${contrast(above, below).toFixed(2)}`);
      });
    }
  }
}

Deno.test("known pairs → the contrast that WCAG defines", () => {
  assert.equal(contrast("000000", "ffffff"), 21);
  assert.equal(contrast("777777", "ffffff").toFixed(2), "4.48");
});
