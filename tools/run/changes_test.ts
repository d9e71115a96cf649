import assert from "node:assert/strict";
import { changes } from "./changes.ts";

Deno.test("source written or replaced → reported; temporary file, test, build → not reported", async () => {
  const root = await Deno.makeTempDir({ prefix: "changes-" });
  try {
    await Deno.mkdir(`${root}/routes/deep`, { recursive: true });
    await Deno.mkdir(`${root}/.build`);
    await Deno.writeTextFile(`${root}/main.ts`, "");
    const seen = changes(root);
    const reported = new Set<string>();
    const until = async (file: string) => {
      while (!reported.has(file)) {
        const { value } = await next;
        for (const name of value ?? []) reported.add(name);
        next = seen.next();
      }
    };
    // The generator starts watching at the first `next`.
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
      reported.delete("main.ts");
      await Deno.writeTextFile(`${root}/main.ts.tmp`, text);
      await Deno.rename(`${root}/main.ts.tmp`, `${root}/main.ts`);
      await until("main.ts");
    }
    assert.deepEqual([...reported].sort(), ["main.ts", "routes/deep/b.tsx"]);
    // Ends the pending `next`, so that the watchers can close.
    await Deno.writeTextFile(`${root}/main.ts`, "last");
    await next;
    await seen.return(undefined);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
