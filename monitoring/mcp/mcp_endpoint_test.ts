import assert from "node:assert/strict";
import { runDeno } from "../../tests/harness/run_program.ts";

/** The used part of a module in `deno info --json`. Only `code` is loaded; type-only imports are not. */
interface LoadedModule {
  readonly specifier: string;
  readonly dependencies?: readonly { readonly code?: { readonly specifier?: string } }[];
}

Deno.test("server start → does not load the protocol's library", async () => {
  const cwd = new URL("../../", import.meta.url);
  const { stdout } = await runDeno(["info", "--json", "main.ts"], { cwd });
  const { roots, modules } = JSON.parse(stdout);
  const byName = new Map<string, LoadedModule>(
    modules.map((module: LoadedModule) => [module.specifier, module]),
  );
  // Also visits names that are added during the iteration.
  const loaded = new Set<string>(roots);
  for (const name of loaded) {
    for (const { code } of byName.get(name)?.dependencies ?? []) {
      if (code?.specifier) loaded.add(code.specifier);
    }
  }
  const names = [...loaded].filter((name) => /\/monitoring\/mcp\/|modelcontextprotocol/.test(name));
  assert.deepEqual(names.map((name) => name.replace(/.*\//, "")), ["mcp_endpoint.ts"]);
});
