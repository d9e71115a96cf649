import assert from "node:assert/strict";
import { type Manifest, MANIFEST_VERSION, type ManifestAsset } from "../server/manifest.ts";
import { isOver } from "./figures.ts";
import { readBuild, sizesOf } from "./size.ts";

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
 * page                  react, client, shared, list
 * core                  imports shared, sdk and react
 * recording             imports sdk and recorder
 * worker                imports nothing
 * view                  imports shared and table
 */
const manifest: Manifest = {
  version: MANIFEST_VERSION,
  buildId: "",
  dev: false,
  inputs: [],
  first: ["react", "client", "shared", "list"],
  pages: [],
  statics: {},
  assets: {
    react: asset(70_000, { kind: "vendor" }),
    client: asset(1_000, { kind: "client" }),
    shared: asset(3_000, {
      sources: { "islands/shared/Menu.tsx": 900, "components/Panel.tsx": 2_000 },
    }),
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
    connect: asset(200, { entryPoint: "islands/overview/Connect.tsx" }),
    highlights: asset(200, { entryPoint: "islands/overview/Highlights.tsx" }),
    tabCount: asset(200, { entryPoint: "islands/shared/TabCount.tsx" }),
    strip: asset(200, { entryPoint: "islands/strip/LivePipelineStrip.tsx" }),
    view: asset(6_000, {
      kind: "island",
      entryPoint: "islands/logs/Logs.tsx",
      imports: ["shared", "table"],
    }),
    table: asset(7_000),
    worker: asset(4_000, { kind: "extra", name: "replay-worker" }),
  },
};
const build = { manifest, html: [5_200, 5_500] };

Deno.test("each part → measured without earlier parts, in the larger variant", () => {
  const sizes = sizesOf(build).map(({ value }) => value);
  assert.deepEqual(sizes, [
    5_500,
    70_000 + 1_000 + 3_000 + 2_000,
    4,
    30_000 + 40_000,
    500 + 33_000,
    4_000,
    6_000 + 7_000,
    2,
  ]);
});

Deno.test("part missing in the build → error, not zero bytes", () => {
  const { core: _, ...assets } = manifest.assets;
  assert.throws(
    () => sizesOf({ ...build, manifest: { ...manifest, assets } }),
    /has no chunk of monitoring\/browser\/start_telemetry.ts/,
  );
});

Deno.test("one script file too many → over, names each file with its content", () => {
  const first = [...manifest.first, "core"];
  const [, , files] = sizesOf({ ...build, manifest: { ...manifest, first } });
  assert.equal(files?.value, 5);
  assert.ok(isOver(files!));
  const details = files?.details?.join("\n") ?? "";
  assert.match(details, /^core: monitoring\/browser\/start_telemetry\.ts/m);
  assert.match(details, /^shared: components\/Panel\.tsx, islands\/shared\/Menu\.tsx$/m);
});

Deno.test("built page → within every size budget", async () => {
  // `deno task test` builds the page before it runs tests.
  const sizes = sizesOf(await readBuild(new URL("../.build/", import.meta.url)));
  assert.equal(sizes.length, 8);
  assert.deepEqual(sizes.filter(isOver).map(({ what }) => what), []);
});
