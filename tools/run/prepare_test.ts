import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { projectRoot } from "../project_files.ts";
import { readImports } from "../check/check_imports.ts";
import { temporaryFolder } from "../../tests/harness/temporary_folder.ts";
import { DEVELOPMENT_PACKAGES, installPackages } from "./prepare.ts";

interface Task {
  readonly command: string;
  readonly dependencies?: readonly string[];
}

Deno.test("no packages → those for the server are installed; unchanged lock → nothing runs", async () => {
  using folder = temporaryFolder();
  const root = folder.path;
  const files = ["deno.json", "deno.lock"];
  for (const name of files) await Deno.copyFile(`${projectRoot}/${name}`, `${root}/${name}`);
  let runs = 0;
  const install = () =>
    installPackages(root, async (child) => {
      runs++;
      return (await child.status).code;
    });
  const { warn } = console;
  console.warn = () => {};
  try {
    assert.equal(await install(), 0);
    assert.equal(await install(), 0);
  } finally {
    console.warn = warn;
  }
  assert.equal(runs, 1);
  const { imports } = JSON.parse(Deno.readTextFileSync(`${root}/deno.json`));
  for (const name of Object.keys(imports)) {
    const isInstalled = existsSync(`${root}/node_modules/${name}`);
    assert.equal(isInstalled, !DEVELOPMENT_PACKAGES.includes(name), name);
  }
  assert.deepEqual([...Deno.readDirSync(root)].map(({ name }) => name).sort(), [
    ...files,
    "node_modules",
  ]);
  for (const name of files) {
    const text = Deno.readTextFileSync(`${root}/${name}`);
    assert.equal(text, Deno.readTextFileSync(`${projectRoot}/${name}`), name);
  }
  const [installed] = [...Deno.readDirSync(`${root}/node_modules/.deno`)]
    .filter(({ name }) => name.startsWith("playwright") || name.startsWith("pure-rand"));
  assert.equal(installed, undefined, "a dependency of a package for development");
});

Deno.test("tasks that install no packages for development → import none of them", async () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync(`${projectRoot}/deno.json`));
  const imports = Map.groupBy(await readImports(projectRoot), ({ from }) => from);
  for (const [name, { command, dependencies = [] }] of Object.entries<Task>(tasks)) {
    const [module] = /\S+\.ts(?= |$)/.exec(command) ?? [];
    if (module === undefined || dependencies.includes("install")) continue;
    const modules = new Set([module]);
    for (const from of modules) {
      for (const { to, typeOnly } of imports.get(from) ?? []) if (!typeOnly) modules.add(to);
    }
    const found = DEVELOPMENT_PACKAGES.filter((name) => modules.has(`npm:${name}`));
    assert.deepEqual(found, [], `deno task ${name}`);
  }
});
