/** Bundles `src/main.js` of a folder into `dist/`, minified, with source maps. Arguments: the bundler, the folder. */
const [bundler, root] = process.argv.slice(2);
if (bundler === "vite") {
  const { build } = await import("vite");
  await build({ root, build: { sourcemap: true }, logLevel: "warn" });
} else {
  const { default: webpack } = await import("webpack");
  const compiler = webpack({
    mode: "production",
    context: root,
    entry: "./src/main.js",
    output: { path: `${root}/dist` },
    devtool: "source-map",
  });
  compiler.run((error, stats) => {
    if (!error && !stats.hasErrors()) return;
    console.error(error ?? stats.toString());
    process.exitCode = 1;
  });
}
