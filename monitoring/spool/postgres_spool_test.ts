import { parsePostgresUrl } from "../storage/postgres_address.ts";
import {
  type PrivatePostgres,
  startPostgresBeforeAll,
} from "../storage/testdata/private_postgres.ts";
import { openPostgresSpool } from "./postgres_spool.ts";
import { MAX_AGE_HOURS, MAX_BYTES, spoolTests } from "./testdata/contract_suite.ts";

/** A run takes some hundred transactions, each synced to disk; SQLite has more runs. */
const MODEL_RUNS = 4;

let postgres: PrivatePostgres;
/** Without server binaries the tests are listed as ignored. */
const ignore = startPostgresBeforeAll((started) => postgres = started);

const tests = spoolTests("PostgreSQL spool", () => {
  const address = parsePostgresUrl(postgres.url())!;
  return {
    open: () => openPostgresSpool({ address, maxBytes: MAX_BYTES, maxAgeHours: MAX_AGE_HOURS }),
    remove: async () => void await postgres.admin("DROP SCHEMA sightglass CASCADE", "spool"),
  };
}, MODEL_RUNS);

for (const test of tests) Deno.test({ ...test, ignore });
