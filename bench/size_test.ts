import assert from "node:assert/strict";
import { type Manifest, MANIFEST_VERSION, type ManifestAsset } from "../server/manifest.ts";
import { isOver } from "./figures.ts";
import { bench, sizesOf } from "./size.ts";

const asset = (gzip: number, overrides: Partial<ManifestAsset> = {}): ManifestAsset => ({
  ...{ kind: "chunk", type: "text/javascript", hash: "", bytes: 2 * gzip, gzip },
  ...{ imports: [], sources: {}, ...overrides },
});
const entry = (gzip: number, entryPoint: string, ...imports: string[]) =>
  asset(gzip, { entryPoint, imports });

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
      sources: { "islands/kit/Menu.tsx": 900, "components/Panel.tsx": 2_000 },
    }),
    list: asset(2_000),
    core: entry(30_000, "monitoring/browser/start_telemetry.ts", "shared", "sdk", "react"),
    // A circle.
    sdk: asset(40_000, { imports: ["core"] }),
    recording: entry(500, "monitoring/browser/recording_chunk.ts", "sdk", "recorder"),
    recorder: asset(33_000),
    background: entry(200, "islands/background_code.ts", "common"),
    common: asset(300),
    highlights: entry(200, "islands/overview/Overview.tsx", "common"),
    switcher: entry(200, "islands/shell/Switcher.tsx"),
    receipts: entry(200, "islands/overview/RelayOverview.tsx"),
    data: entry(200, "islands/data/sent_envelopes.ts", "table"),
    strip: entry(200, "islands/shell/LivePipelineMark.tsx"),
    view: entry(6_000, "islands/logs/Logs.tsx", "shared", "table"),
    table: asset(7_000),
    worker: asset(4_000, { kind: "extra", name: "replay-worker" }),
  },
};
const HTML = [5_200, 5_500];

Deno.test("each part → measured without earlier parts, in the larger variant", () => {
  const sizes = sizesOf(manifest, HTML).map(({ value }) => value);
  assert.deepEqual(sizes, [
    5_500,
    70_000 + 1_000 + 3_000 + 2_000,
    4,
    // What both modes load (core, sdk, background, common), and receipts, data and table.
    4 + 4 + 3,
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
    () => sizesOf({ ...manifest, assets }, HTML),
    /has no chunk of monitoring\/browser\/start_telemetry.ts/,
  );
});

Deno.test("one script file too many → over, names each file with its content", () => {
  const first = [...manifest.first, "core"];
  const [, , files] = sizesOf({ ...manifest, first }, HTML);
  assert.equal(files?.value, 5);
  assert.ok(isOver(files!));
  const details = files?.details?.join("\n") ?? "";
  assert.match(details, /^shared: islands\/kit\/Menu\.tsx, components\/Panel\.tsx$/m);
});

Deno.test("built page → within every size budget", async () => {
  // `deno task test` builds the page before it runs tests.
  const sizes = await bench();
  assert.equal(sizes.length, 9);
  assert.deepEqual(sizes.filter(isOver).map(({ what }) => what), []);
});
