import assert from "node:assert/strict";
import { changes } from "./changes.ts";

Deno.test("changes of sources are told, also of files that an editor replaces, and nothing else", async () => {
  const root = await Deno.makeTempDir({ prefix: "changes-" });
  try {
    await Deno.mkdir(`${root}/routes/deep`, { recursive: true });
    await Deno.mkdir(`${root}/.build`);
    await Deno.writeTextFile(`${root}/main.ts`, "");
    const seen = changes(root);
    const told = new Set<string>();
    const until = async (file: string) => {
      while (!told.has(file)) {
        const { value } = await next;
        for (const name of value ?? []) told.add(name);
        next = seen.next();
      }
    };
    // Watching begins with the first request.
    let next = seen.next();
    for (
      const file of [".build/manifest.json", "routes/.a.ts.swp", "routes/a_test.ts", "notes.txt"]
    ) {
      await Deno.writeTextFile(`${root}/${file}`, "x");
    }
    await Deno.writeTextFile(`${root}/routes/a.ts~`, "x");
    await Deno.writeTextFile(`${root}/routes/deep/b.tsx`, "x");
    await until("routes/deep/b.tsx");
    for (const text of ["once", "twice"]) {
      told.delete("main.ts");
      await Deno.writeTextFile(`${root}/main.ts.tmp`, text);
      await Deno.rename(`${root}/main.ts.tmp`, `${root}/main.ts`);
      await until("main.ts");
    }
    assert.deepEqual([...told].sort(), ["main.ts", "routes/deep/b.tsx"]);
    // Ends the wait that is under way, so that the watchers close with it.
    await Deno.writeTextFile(`${root}/main.ts`, "last");
    await next;
    await seen.return(undefined);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
