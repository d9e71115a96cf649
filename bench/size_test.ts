import assert from "node:assert/strict";
import { type Manifest, MANIFEST_VERSION, type ManifestAsset } from "../server/manifest.ts";
import { checkSizes, SIZE_BUDGETS } from "./size.ts";

const asset = (gzip: number, more: Partial<ManifestAsset> = {}): ManifestAsset => ({
  kind: "chunk",
  type: "text/javascript",
  hash: "",
  bytes: 2 * gzip,
  gzip,
  imports: [],
  dynamicImports: [],
  sources: {},
  ...more,
});

/*
 * page (both variants): react, client, shared       inbox alone: list
 * core ── shared, sdk            recording ── sdk, film
 */
const page = (variant: string, assets: string[]) => ({
  path: "/",
  variant,
  file: `${variant}.html`,
  scripts: [],
  styles: [],
  assets,
});
const manifest: Manifest = {
  version: MANIFEST_VERSION,
  buildId: "",
  dev: false,
  pages: [
    page("inbox", ["react", "client", "shared", "list"]),
    page("relay", ["react", "client", "shared"]),
  ],
  handlers: [],
  statics: {},
  assets: {
    react: asset(70_000, { kind: "vendor" }),
    client: asset(1_000, { kind: "client" }),
    shared: asset(3_000),
    list: asset(2_000, { kind: "island" }),
    core: asset(30_000, {
      entryPoint: "monitoring/browser/start_telemetry.ts",
      imports: ["shared", "sdk", "react"],
    }),
    sdk: asset(40_000),
    recording: asset(500, {
      entryPoint: "monitoring/browser/start_recording.ts",
      imports: ["sdk", "film"],
    }),
    film: asset(33_000),
    worker: asset(4_000, { kind: "extra", name: "replay-worker" }),
  },
};
const build = { manifest, html: { inbox: 5_200, relay: 5_500 } };

Deno.test("each part → measured without earlier parts, in the larger variant", () => {
  const weights = SIZE_BUDGETS.map(({ measure }) => measure(build));
  assert.deepEqual(weights, [5_500, 76_000, 70_000, 33_500, 4_000]);
});

Deno.test("part missing in the build → error, not zero bytes", () => {
  const { core: _, ...assets } = manifest.assets;
  const incomplete = { ...build, manifest: { ...manifest, assets } };
  assert.throws(
    () => SIZE_BUDGETS.map(({ measure }) => measure(incomplete)),
    /has no chunk of monitoring\/browser\/start_telemetry.ts/,
  );
});

Deno.test("the built page is within every budget of bytes", async () => {
  // `deno task test` builds the page before it runs tests.
  const sizes = await checkSizes(new URL("../.build/", import.meta.url));
  assert.equal(sizes.length, 5);
  assert.deepEqual(sizes.filter(({ holds }) => !holds).map(({ line }) => line), []);
});
