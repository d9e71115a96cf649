import "../build/production.ts";
import * as esbuild from "esbuild";
import { cpSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type App, type AppOptions, createApp } from "../app.ts";
import { build, type BuildOptions, type BuildReport } from "../build/build.ts";
import { FIXTURE_ROUTES } from "./fixture_routes.ts";

/** The fixture project: `server/testdata/site/`. */
export const SITE = fileURLToPath(new URL("site", import.meta.url));

/** Build options of the fixture project. */
export const SITE_OPTIONS = {
  pages: {
    "/": "routes/index.tsx",
    "/about": "routes/about.tsx",
    "/long": "routes/long.tsx",
    404: "routes/_404.tsx",
    500: "routes/_500.tsx",
  },
  client: "client.ts",
  variants: ["one", "two"],
  extra: { "extra-script": "self.extra = true;\n" },
} as const satisfies Partial<BuildOptions>;

/** A built fixture project, in a temporary folder. */
export class Fixture implements AsyncDisposable {
  private constructor(readonly folder: string, readonly report: BuildReport) {}

  static async build(options: Partial<BuildOptions> = {}): Promise<Fixture> {
    const folder = await Deno.makeTempDir({ prefix: "framework-" });
    const out = `${folder}/build`;
    const report = await build({ root: SITE, out, ...SITE_OPTIONS, ...options });
    return new Fixture(folder, report);
  }

  get out(): string {
    return `${this.folder}/build`;
  }

  async app(options: Partial<AppOptions> = {}): Promise<App> {
    return await createApp({
      build: new URL(`file://${this.out}/`),
      manifest: this.report.manifest,
      variant: "one",
      slots: { place: "here", client: { at: "start" } },
      routes: FIXTURE_ROUTES,
      ...options,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await esbuild.stop();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** A copy of the fixture project in a temporary folder, for tests that change its sources. Its build is in `.build`. */
export async function copiedSite() {
  const folder = await Deno.makeTempDir({ prefix: "site-" });
  const root = `${folder}/site`;
  cpSync(SITE, root, { recursive: true });
  // The copy imports the real framework.
  const framework = fileURLToPath(new URL("..", import.meta.url));
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = `${entry.parentPath}/${entry.name}`;
    const text = await Deno.readTextFile(path);
    const edited = text.replaceAll(/"(?:\.\.\/){2,}(?=client\/|page)/g, `"${framework}`);
    await Deno.writeTextFile(path, edited);
  }
  for (const name of ["deno.json", "deno.lock"]) await Deno.writeTextFile(`${root}/${name}`, "{}");
  return {
    root,
    build: (options?: Partial<BuildOptions>) => build({ root, ...SITE_OPTIONS, ...options }),
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
