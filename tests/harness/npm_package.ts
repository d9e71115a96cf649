/** The npm package, made and unpacked, and its command without npm. */
import { join } from "node:path";
import { projectRoot } from "../../tools/project_files.ts";
import { runDeno, runProgram } from "./run_program.ts";
import { watchProcess } from "./watched_process.ts";

/** Makes the package in a folder. Returns its file's path. */
export async function pack(folder: string): Promise<string> {
  const args = ["run", "-A", "tools/package/pack.ts", folder];
  const { code, output } = await runDeno(args, { cwd: projectRoot });
  if (code !== 0) throw new Error(`Cannot pack: ${output}`);
  return join(
    folder,
    [...Deno.readDirSync(folder)].find(({ name }) => name.endsWith(".tgz"))!.name,
  );
}

/** Variables of a user whose folders are below `folder`, and who has configured nothing. */
export const userIn = (folder: string) => ({
  HOME: join(folder, "home"),
  XDG_DATA_HOME: "",
  DENO_DIR: "",
});

/** The files below a folder, with their paths in it. */
export function filesBelow(folder: string, below = ""): string[] {
  return [...Deno.readDirSync(join(folder, below))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(folder, join(below, name)) : [join(below, name)]
  ).sort();
}

/** The unpacked package in `folder`, beside npm's package of Deno: this Deno. */
export class NpmPackage {
  readonly bin: string;
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.bin = join(folder, "node_modules/sightglass/bin.cjs");
  }

  static async unpack(folder: string): Promise<NpmPackage> {
    const result = new NpmPackage(folder);
    for (const name of ["node_modules/sightglass", "node_modules/deno", "home", "project"]) {
      await Deno.mkdir(join(folder, name), { recursive: true });
    }
    const target = join(folder, "node_modules/sightglass");
    await runProgram("tar", ["xzf", await pack(folder), "--strip-components=1", "-C", target]);
    await Deno.writeTextFile(
      join(folder, "node_modules/deno/install_api.cjs"),
      `module.exports = { runInstall: () => ${JSON.stringify(Deno.execPath())} };`,
    );
    return result;
  }

  /** The folder in which commands run. */
  get project(): string {
    return join(this.#folder, "project");
  }

  /** Starts the command with these arguments. */
  start(args: readonly string[], env: Record<string, string> = {}) {
    return watchProcess([this.bin, ...args], {
      program: "node",
      cwd: this.project,
      env: { ...userIn(this.#folder), ...env },
    });
  }

  /** Runs the command to its end. */
  async run(args: readonly string[], env: Record<string, string> = {}) {
    const { closed, text } = this.start(args, env);
    const { code } = await closed;
    return { code, text: text() };
  }
}
