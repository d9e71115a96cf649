import * as esbuild from "esbuild";

/**
 * Minifies TypeScript like the build.
 *
 * @param sourcefile path relative to the script's folder
 * @returns the script, and its source map as JSON
 */
export async function minify(
  source: string,
  sourcefile: string,
): Promise<{ readonly script: string; readonly map: string }> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: source, loader: "ts", sourcefile },
    bundle: true,
    format: "esm",
    minify: true,
    sourcemap: "external",
    outdir: "/out",
    write: false,
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  const script = textOf(".js");
  return { script, map: JSON.stringify({ x_script: script, ...JSON.parse(textOf(".map")) }) };
}
