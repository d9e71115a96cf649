/**
 * `deno task pack`: makes the npm package of the built project, `sightglass-VERSION.tgz`. The same sources make the same
 * bytes.
 */
import * as esbuild from "esbuild";
import { createTar, type TarFileInput } from "nanotar";
import { Buffer } from "node:buffer";
import { basename, dirname, join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import project from "../../deno.json" with { type: "json" };
import { esbuildOptions } from "../../monitoring/browser/build.ts";
import { PLAYER_ENTRY } from "../../monitoring/player/build.ts";
import { projectRoot } from "../project_files.ts";

/** The name of the package and of its command. */
const NAME = "sightglass";

/** Modules that run as processes of their own. */
const PROGRAMS = ["main.ts", "tools/package/cli.ts", "tools/tail.ts", "tools/prove.ts"];

/** Modules that are loaded by their address, when they are needed. They keep their path. */
const LOADED_BY_ADDRESS = [
  "monitoring/inbox/inbox.ts",
  "monitoring/inbox/postgres_inbox.ts",
  "monitoring/mcp/mcp_handler.ts",
  "monitoring/otlp/otlp_exporter.ts",
  "monitoring/relay/spool/worker.ts",
];

/** Files and folders that are taken as they are: the build without its source maps; Sentry's tool for `--inject`. */
const FILES = [
  ...["assets", "node_modules", "pages", "static", "manifest.json"].map((name) => `.build/${name}`),
  "tools/sentry_cli/deno.json",
  "tools/sentry_cli/deno.lock",
];

/** Of all files: npm's own archives have this time. */
const MODIFIED_MS = 499_162_500_000;
/** Longer ones would be cut. */
const MAX_PATH = 100;

/** Where the text is for packages without a file of it: that of the same owner, or comments. */
const OTHER_FILES: Readonly<Record<string, readonly string[]>> = {
  "@sentry/server-utils": ["@sentry/core/LICENSE"],
  "@bufbuild/protobuf": [
    "@bufbuild/protobuf/dist/esm/wire/binary-encoding.js",
    "@opentelemetry/api/LICENSE",
    "@bufbuild/protobuf/dist/esm/wire/varint.js",
  ],
};

/** Installed when it is needed: it is large. */
const PLAYWRIGHT = "@playwright/test";
const OPTIONAL = [PLAYWRIGHT, "pg-native"];

/** Where the build has bundled the packages for telemetry. */
const { imports: telemetry }: { imports: Record<string, string> } = JSON.parse(
  Deno.readTextFileSync(join(projectRoot, ".build/imports.json")),
);

/**
 * The packages for telemetry are imported by their files: in a folder `node_modules` Deno uses no import map.
 * `import.meta.url` of a bundled module is the address that its source has in the project's folder.
 */
const addresses: esbuild.Plugin = {
  name: "addresses",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@/ }, ({ path }) => {
      const file = telemetry[path];
      return file === undefined ? undefined : { path: `./${join(".build", file)}`, external: true };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = relative(projectRoot, path);
      const text = await Deno.readTextFile(path);
      if (!text.includes("import.meta.url")) return undefined;
      const contents = text.replaceAll(
        "import.meta.url",
        `new URL("${source}", import.meta.url).href`,
      )
        .replaceAll(/"([\w./]+)\.ts"/g, (name, module) => {
          const isBundled = LOADED_BY_ADDRESS.includes(join(dirname(source), `${module}.ts`));
          return isBundled ? `"${module}.mjs"` : name;
        });
      return { contents, loader: "ts" };
    });
  },
};

async function bundle(): Promise<TarFileInput[]> {
  const { outputFiles } = await esbuild.build({
    absWorkingDir: projectRoot,
    entryPoints: [
      ...PROGRAMS.map((path) => ({ in: path, out: basename(path, ".ts") })),
      ...LOADED_BY_ADDRESS.map((path) => ({ in: path, out: path.replace(/\.ts$/, "") })),
    ],
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "node",
    mainFields: ["module", "main"],
    jsx: "automatic",
    outdir: projectRoot,
    outExtension: { ".js": ".mjs" },
    external: OPTIONAL,
    define: { PACKAGE_COMMAND: JSON.stringify(`npx ${NAME}`) },
    // Packages of Node's own kind call `require` for its built-in modules.
    banner: {
      js:
        'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
    plugins: [addresses],
    logLevel: "warning",
  });
  await esbuild.stop();
  return outputFiles.map(({ path, contents }) => ({
    name: relative(projectRoot, path),
    data: contents,
  }));
}

/** A file of the project, or those of a folder, with their paths in it. */
function filesOf(path: string): TarFileInput[] {
  const full = join(projectRoot, path);
  if (Deno.statSync(full).isFile) return [{ name: path, data: Deno.readFileSync(full) }];
  return [...Deno.readDirSync(full)].flatMap(({ name }) => filesOf(`${path}/${name}`));
}

/** The licences of the packages that modules import, with their names and versions. @throws {Error} a package has none */
async function licencesOf(entryPoints: string[], external: string[]): Promise<string> {
  const { metafile } = await esbuild.build({
    ...esbuildOptions,
    absWorkingDir: projectRoot,
    entryPoints,
    external,
    bundle: true,
    metafile: true,
    write: false,
    format: "esm",
    platform: "node",
    outdir: projectRoot,
  });
  const names: Record<string, string> = {};
  const folders = Object.keys(metafile.inputs)
    .flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  for (const folder of [...new Set(folders)].sort()) {
    const { name, version, license } = JSON.parse(read(`${folder}/package.json`));
    const files = OTHER_FILES[name]?.map((file) => `node_modules/${file}`) ?? [fileIn(folder)];
    const texts = files.map(textOf);
    if (texts.includes(undefined)) throw new Error(`Cannot pack: ${name} has no licence.`);
    const text = texts.join("\n\n");
    names[text] = `${names[text] ?? ""}${name} ${version}, ${license}\n`;
  }
  return Object.entries(names).map(([text, names]) => `${names}\n${text}\n`)
    .join(`\n${"-".repeat(80)}\n\n`);
}

function fileIn(folder: string): string {
  const files = [...Deno.readDirSync(join(projectRoot, folder))];
  const file = files.find(({ name }) => /^licen[cs]e\b/i.test(name));
  return `${folder}/${file?.name ?? "README.md"}`;
}

/** The text of a licence, of the last section of a readme, or of the comment that begins a source. */
function textOf(path: string): string | undefined {
  const part = path.endsWith(".js") ? /^(\/\/.*\n)+/ : /(?<=^## licen[cs]e\n)[^]*/im;
  const text = read(path).replaceAll("\r", "");
  return (/\.js$|README/.test(path) ? part.exec(text)?.[0] : text)?.trim();
}

const read = (path: string) => Deno.readTextFileSync(join(projectRoot, path));

const json = (name: string, value: unknown): TarFileInput => ({
  name,
  data: `${JSON.stringify(value, undefined, 2)}\n`,
});

const modules = [...PROGRAMS, ...LOADED_BY_ADDRESS, "client.ts", PLAYER_ENTRY];
const licences = await licencesOf(modules, OPTIONAL);
/** What the project's folder is to a clone. */
const app = [
  ...await bundle(),
  ...FILES.flatMap(filesOf),
  json(".build/imports.json", { imports: { [PLAYWRIGHT]: project.imports[PLAYWRIGHT] } }),
];
const files = [
  json("package.json", {
    name: NAME,
    version: project.version,
    description: "See what the applications that you develop report, by Sentry or OpenTelemetry",
    license: "MIT",
    bin: { [NAME]: "bin.cjs" },
    engines: { node: ">=20" },
    dependencies: { deno: Deno.version.deno },
  }),
  ...["README.md", "LICENSE"].flatMap(filesOf),
  { ...filesOf("tools/package/bin.cjs")[0], name: "bin.cjs", attrs: { mode: "755" } },
  { name: "THIRD_PARTY_LICENSES", data: licences },
  ...app.map((file) => ({ ...file, name: `app/${file.name}` })),
].map((file) => ({ ...file, name: `package/${file.name.replaceAll("\\", "/")}` }));
files.sort((a, b) => a.name < b.name ? -1 : 1);
const long = files.find(({ name }) => name.length > MAX_PATH);
if (long) throw new RangeError(`Cannot archive ${long.name}: use a short path.`);
const attrs = { mode: "644", uid: 0, gid: 0, mtime: MODIFIED_MS };
// An archive ends with two empty blocks, which the package may omit.
const tar = Buffer.concat([createTar(files, { attrs }), new Uint8Array(1024)]);
const archive = gzipSync(tar, { level: 9 });
const output = join(Deno.args[0] ?? projectRoot, `${NAME}-${project.version}.tgz`);
Deno.writeFileSync(output, archive);
console.log(`${output}: ${files.length} files, ${archive.length} bytes`);
