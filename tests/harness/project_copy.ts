import { dirname } from "node:path";
import { projectFiles, projectRoot } from "../../tools/project_files.ts";

/**
 * Makes a copy of the project, changes it, and builds it.
 *
 * @param root an empty folder
 * @param change changes the copy's files
 * @throws {Error} the build failed
 */
export async function buildCopy(root: string, change: () => Promise<unknown>): Promise<void> {
  for (const path of projectFiles(projectRoot, [""])) {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    await Deno.copyFile(`${projectRoot}/${path}`, `${root}/${path}`);
  }
  await Deno.symlink(`${projectRoot}/node_modules`, `${root}/node_modules`);
  await change();
  const args = ["run", "-A", "tools/build.ts"];
  const build = new Deno.Command(Deno.execPath(), { args, cwd: root, stdin: "null" });
  const { success, stderr } = await build.output();
  if (!success) throw new Error(`Cannot build a copy:\n${new TextDecoder().decode(stderr)}`);
}
