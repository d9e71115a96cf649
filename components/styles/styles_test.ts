import assert from "node:assert/strict";
import { readdirSync } from "node:fs";

/** WCAG 2.2, 1.4.3 Contrast (Minimum): text. */
const MIN_TEXT_CONTRAST = 4.5;
/** WCAG 2.2, 1.4.11 Non-text Contrast: borders of controls, marks. */
const MIN_SHAPE_CONTRAST = 3;

const css = Deno.readTextFileSync(new URL("tokens.css", import.meta.url));
const tokens = [...css.matchAll(/--(\w+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);/g)];
const schemes = {
  light: new Map(tokens.map(([, name, light]) => [name, light])),
  dark: new Map(tokens.map(([, name, , dark]) => [name, dark])),
};

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((offset) => {
    const channel = parseInt(hex.slice(offset, offset + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** `http` and `server` are also colours of log levels (`islands/logs/Level.tsx`). */
const TEXTS = ["ink", "quiet", "flows", "waits", "refused", "http", "server"];
const SHAPES = ["edge", "navigation", "resource", "rendering", "database"];
const MIN_CONTRAST: Readonly<Record<string, number>> = {
  ...Object.fromEntries(TEXTS.map((name) => [name, MIN_TEXT_CONTRAST])),
  ...Object.fromEntries(SHAPES.map((name) => [name, MIN_SHAPE_CONTRAST])),
};

/** Backgrounds, and lines that only separate. */
const WITHOUT_MINIMUM = ["frame", "paper", "lit", "picked", "rule"];

Deno.test("every colour token → has a minimum contrast, or is listed as having none", () => {
  const listed = [...Object.keys(MIN_CONTRAST), ...WITHOUT_MINIMUM].sort();
  assert.deepEqual([...schemes.dark.keys()].sort(), listed);
});

for (const [scheme, tokens] of Object.entries(schemes)) {
  Deno.test(`${scheme} scheme → each colour has its minimum contrast on each background`, () => {
    for (const [name, minimum] of Object.entries(MIN_CONTRAST)) {
      for (const background of ["paper", "lit", "frame"]) {
        const ratio = contrast(tokens.get(name)!, tokens.get(background)!);
        assert.ok(
          ratio >= minimum,
          `${name} on ${background}: ${ratio.toFixed(2)}, not ${minimum}`,
        );
      }
    }
  });
}

Deno.test("known pairs → the contrast that WCAG defines", () => {
  assert.equal(contrast("000000", "ffffff"), 21);
  assert.equal(contrast("777777", "ffffff").toFixed(2), "4.48");
});

const root = new URL("../../", import.meta.url);
/** The texts of all files of these folders whose name matches. */
const textsOf = (name: RegExp, ...folders: readonly string[]) =>
  folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" })
      .filter((file) => name.test(file) && !file.includes("testdata"))
      .map((file) => Deno.readTextFileSync(new URL(`${folder}/${file}`, root)))
  ).join("\n");
const sheets = textsOf(/\.css$/, "components", "islands", "static").replaceAll(/\/\*.*?\*\//gs, "");
const found = (text: string, pattern: RegExp) =>
  new Set(Array.from(text.matchAll(pattern), ([, name = ""]) => name));

Deno.test("each shared style sheet → is part of one of those that the page loads", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((name) => name.endsWith(".css"));
  assert.deepEqual(files.filter((name) => !sheets.includes(`/styles/${name}" layer`)), []);
});

Deno.test("custom properties that the style sheets use without a default → defined", () => {
  const used = found(sheets, /var\(--(\w+)\)/g);
  assert.deepEqual([...used.difference(found(sheets, /--(\w+):/g))], []);
});

/** Made of a kind: islands/traces/span_classes.ts. */
const COMPUTED = /^of-/;

Deno.test("classes of the style sheets → named by a source; no element selected by its position", () => {
  const source = textsOf(/(?<!_test)\.tsx?$/, "components", "islands", "routes", "monitoring");
  const selectors = sheets.matchAll(/(?<=^|[{};])[^{};@]+(?=\{)/g).toArray().join("\n");
  const classes = found(selectors, /\.([a-z][\w-]*)/g);
  const words = found(source, /([a-z][\w-]*)/g);
  assert.deepEqual([...classes.difference(words)].filter((name) => !COMPUTED.test(name)), []);
  assert.deepEqual([...found(selectors, /(:nth-(?:last-)?child\([^)]*\))/g)], []);
});
