import * as esbuild from "esbuild";
import { join } from "node:path";
import { esbuildOptions } from "../../monitoring/browser/build.ts";
import { projectRoot } from "../project_files.ts";

/** Where the text is for packages without a file of it: that of the same owner, or comments. */
const OTHER_FILES: Readonly<Record<string, readonly string[]>> = {
  "@sentry/server-utils": ["@sentry/core/LICENSE"],
  "@bufbuild/protobuf": [
    "@bufbuild/protobuf/dist/esm/wire/binary-encoding.js",
    "@opentelemetry/api/LICENSE",
    "@bufbuild/protobuf/dist/esm/wire/varint.js",
  ],
};

/** The licences of the packages that modules import, with their names and versions. @throws {Error} a package has none */
export async function licencesOf(entryPoints: string[], external: string[]): Promise<string> {
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
