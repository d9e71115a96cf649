import { join } from "node:path";
import { openSqliteSpool } from "./sqlite_spool.ts";
import { MAX_AGE_HOURS, MAX_BYTES, spoolTests } from "./testdata/contract_suite.ts";

const tests = spoolTests("SQLite spool", () => {
  const folder = Deno.makeTempDirSync({ prefix: "spool-" });
  const path = join(folder, "data", "spool.sqlite");
  return {
    open: () => openSqliteSpool({ path, maxBytes: MAX_BYTES, maxAgeHours: MAX_AGE_HOURS }),
    remove: () => Deno.removeSync(folder, { recursive: true }),
  };
});

for (const test of tests) Deno.test(test);
