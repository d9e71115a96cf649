import assert from "node:assert/strict";
import type { FoundFrame } from "../../models/error/source_finder.ts";
import { explainMissingSource, type MapOrigins } from "./error_content.ts";

const frame = (file: string, found: Partial<FoundFrame> = {}): FoundFrame => ({
  function: null,
  file,
  line: 1,
  column: 1,
  own: true,
  source: null,
  variables: { shown: [], more: 0 },
  script: null,
  hasMap: false,
  ...found,
});
const mapped = frame("shop.ts", {
  source: { first: 1, lines: ["x"], marked: 0 },
  script: "/a.js:1:1",
  hasMap: true,
});

const SHOP = "http://127.0.0.1:4517";
const NONE = { configured: [], fetchable: [] };
const IDS = new Map([["/a.js", "id"], [`${SHOP}/b.js`, "id"]]);

const explain = (frames: FoundFrame[], origins: MapOrigins = NONE) =>
  explainMissingSource(frames, IDS, origins);

Deno.test("source lines found, or none to be expected → nothing to do", () => {
  assert.equal(explain([]), "");
  assert.equal(explain([mapped]), "");
  assert.equal(explain([frame("native"), mapped]), "");
  assert.match(explain([frame("cart.py")]), /^The event contains no source lines/);
});

Deno.test("map fetched by the script's address → stated: the script may have been built again", () => {
  const fetched = { ...mapped, script: `${SHOP}/c.js:1:1` };
  const again = /\/c.js has no debug id: .* fetched by its address. If .* built again .* wrong/;
  assert.match(explain([frame("native"), fetched]), again);
  assert.match(explain([frame(`${SHOP}/c.js`, { hasMap: true })]), again);
  assert.equal(explain([{ ...mapped, script: `${SHOP}/b.js:1:1` }]), "");
});

Deno.test("debug id, its map is not in the inbox → upload it", () => {
  const upload = /^The source map of \/a.js is not in the inbox: .*deno task sourcemaps --to/;
  assert.match(explain([frame("/a.js")]), upload);
  assert.match(explain([mapped, frame("/a.js")]), upload);
  // Code of the bundler, which no map has.
  assert.equal(explain([mapped, frame("/a.js", { hasMap: true })]), "");
});

Deno.test("map without its sources → build it with them", () => {
  assert.match(explain([{ ...mapped, source: null }]), /^The source map lacks .*sourcesContent/);
});

Deno.test("no debug id → the command adds them; origin not named, on this machine → name it", () => {
  const withoutId = /^\/c.js has no debug id: .*deno task sourcemaps --to URL FOLDER adds them/;
  const local = explain([frame(`${SHOP}/c.js?v=1`)]);
  assert.match(local, withoutId);
  assert.ok(local.endsWith(`name ${SHOP} in SOURCE_MAP_ORIGINS.`), local);
  const remote = explain([frame("https://shop.example/c.js")]);
  assert.match(remote, withoutId);
  assert.doesNotMatch(remote, /SOURCE_MAP_ORIGINS/);
});

Deno.test("origin named → reload a page that has not posted since the start, else fetch", () => {
  for (const name of ["b", "c"]) {
    const frames = [frame(`${SHOP}/${name}.js`)];
    const silent = explain(frames, { configured: [SHOP], fetchable: [] });
    assert.match(silent, /^No page of http:\/\/127.0.0.1:4517 has posted since .* start: reload/);
    const posted = explain(frames, { configured: [SHOP], fetchable: [SHOP] });
    assert.match(posted, new RegExp(`^No source map for /${name}.js: fetch it`));
  }
});
