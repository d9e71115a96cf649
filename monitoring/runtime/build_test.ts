import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundlePackages } from "./build.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

Deno.test("server's telemetry → each package that it imports is in the import map", async () => {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    // With `auto` packages are named, and not listed file by file.
    args: ["info", "--json", "--node-modules-dir=auto", "monitoring/runtime/telemetry.ts"],
    cwd: ROOT,
  }).output();
  const { modules }: { modules: readonly { npmPackage?: string; kind: string }[] } = JSON.parse(
    new TextDecoder().decode(stdout),
  );
  const imported = modules.filter(({ kind }) => kind === "npm");
  const { "imports.json": map = "" } = await bundlePackages(ROOT);
  assert.deepEqual(
    imported.map(({ npmPackage = "" }) => npmPackage.replace(/(?<=.)@.*/, "")).sort(),
    Object.keys(JSON.parse(map).imports),
  );
});
