/** Bundles `src/main.js` of a folder into `dist/`, minified, with source maps. Arguments: the bundler, the folder. */
const [bundler, root] = process.argv.slice(2);
// Not by its name: the type check would mix its types of Node with those of the project.
const { build, default: webpack } = await import(bundler);
if (bundler === "vite") {
  await build({ root, build: { sourcemap: true }, logLevel: "warn" });
} else {
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
