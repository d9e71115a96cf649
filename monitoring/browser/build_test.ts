import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { esbuildOptions, extraAssets } from "./build.ts";

Deno.test("recording worker → extracted as JavaScript", () => {
  const source = extraAssets()["replay-worker"];
  new Function(source.replace("postMessage({id:void 0", "void ({id:void 0"));
  assert.ok(source.length > 5_000 && source.length < 20_000, `${source.length}`);
});

Deno.test("bundle → the recorder in its own chunk, no debug messages of the SDK", async () => {
  try {
    const { metafile, outputFiles } = await esbuild.build({
      ...esbuildOptions,
      entryPoints: [fileURLToPath(new URL("./mod.ts", import.meta.url))],
      bundle: true,
      splitting: true,
      format: "esm",
      minify: true,
      write: false,
      metafile: true,
      platform: "browser",
      external: ["react"],
      outdir: "out",
    });
    const withRecorder = Object.values(metafile.outputs).filter(({ inputs }) =>
      Object.keys(inputs).some((path) => path.includes("@sentry/replay/"))
    );
    assert.equal(withRecorder.length, 1);
    assert.match(withRecorder[0]?.entryPoint ?? "", /recording_chunk\.ts$/);
    for (const { text } of outputFiles) {
      assert.ok(!text.includes("Sentry responded with status code"));
      assert.ok(!text.includes("DEBUG_BUILD"));
    }
  } finally {
    await esbuild.stop();
  }
});
