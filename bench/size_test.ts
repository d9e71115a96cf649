import assert from "node:assert/strict";
import { assetsOf } from "../server/assets.ts";
import {
  type Manifest,
  MANIFEST_VERSION,
  type ManifestAsset,
  readManifest,
} from "../server/manifest.ts";
import { checkFiles, checkSizes, SIZE_PARTS } from "./size.ts";

const asset = (gzip: number, overrides: Partial<ManifestAsset> = {}): ManifestAsset => ({
  kind: "chunk",
  type: "text/javascript",
  hash: "",
  bytes: 2 * gzip,
  gzip,
  imports: [],
  dynamicImports: [],
  sources: {},
  ...overrides,
});

/*
 * page, both variants   react, client, shared
 * page of the inbox     list
 * core                  imports shared, sdk and react
 * recording             imports sdk and recorder
 * worker                imports nothing
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
      entryPoint: "monitoring/browser/recording_chunk.ts",
      imports: ["sdk", "recorder"],
    }),
    recorder: asset(33_000),
    worker: asset(4_000, { kind: "extra", name: "replay-worker" }),
  },
};
const build = { manifest, html: { inbox: 5_200, relay: 5_500 } };

Deno.test("each part → measured without earlier parts, in the larger variant", () => {
  const sizes = Object.entries(SIZE_PARTS).map(([name, part]) => [name, part.measure(build)]);
  assert.deepEqual(Object.fromEntries(sizes), {
    htmlAndStyle: 5_500,
    scriptsBeforeIslands: 70_000 + 1_000 + 3_000 + 2_000,
    telemetryCore: 30_000 + 40_000,
    recording: 500 + 33_000,
    recordingWorker: 4_000,
  });
});

Deno.test("part missing in the build → error, not zero bytes", () => {
  const { core: _, ...assets } = manifest.assets;
  const incomplete = { ...build, manifest: { ...manifest, assets } };
  assert.throws(
    () => SIZE_PARTS.telemetryCore.measure(incomplete),
    /has no chunk of monitoring\/browser\/start_telemetry.ts/,
  );
});

Deno.test("one script file too many → the check fails and names each file with its content", async () => {
  const manifest = await readManifest(new URL("../.build/", import.meta.url));
  const [core = ""] = assetsOf(manifest, "monitoring/browser/start_telemetry.ts");
  const split = (count: number): Manifest => {
    const names = Array.from({ length: count }, (_, at) => `PART${at}.js`);
    const parts = names.map((name) => [name, asset(9, { sources: { [`part_${name}`]: 9 } })]);
    const assets = { ...manifest.assets, ...Object.fromEntries(parts) };
    const imports = [...assets[core]!.imports, ...names];
    return { ...manifest, assets: { ...assets, [core]: { ...assets[core]!, imports } } };
  };
  const [, enough] = checkFiles(split(0));
  assert.deepEqual(enough, { isWithinBudget: true, line: "script files after load: 11 of 11" });
  const [first, tooMany] = checkFiles(split(1));
  assert.equal(first?.isWithinBudget, true);
  assert.equal(tooMany?.isWithinBudget, false);
  const lines = tooMany?.line.split("\n") ?? [];
  assert.equal(lines.length, 1 + 12);
  assert.match(lines.join("\n"), /PART0\.js: part_PART0\.js/);
  assert.match(lines.join("\n"), new RegExp(`${core}: monitoring/browser/start_telemetry\\.ts`));
});

Deno.test("built page → within every size budget", async () => {
  // `deno task test` builds the page before it runs tests.
  const sizes = await checkSizes(new URL("../.build/", import.meta.url));
  assert.equal(sizes.length, 7);
  assert.deepEqual(
    sizes.filter(({ isWithinBudget }) => !isWithinBudget).map(({ line }) => line),
    [],
  );
});
