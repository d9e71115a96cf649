/** Permissions of the files of inbox and spool, written by a real server. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startServer } from "../../tools/run/server_process.ts";
import { temporaryFolder } from "../temporary_folder.ts";

const RELAY = { SENTRY_DSN: "https://key@o1.ingest.sentry.io/1" };
const STORES = { inbox: {}, spool: RELAY };

/** Runs a test with an existing folder that others may read. */
async function withFolder(work: (dataDir: string, outside: string) => Promise<void>) {
  using folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  await work(dataDir, folder.path);
}

/** The permissions of every file of a database. */
function modes(dataDir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(dataDir).sort().map((name) => {
      const { mode } = statSync(join(dataDir, name));
      return [name, (mode & 0o777).toString(8)];
    }),
  );
}

/** A server that has written to its database. */
async function started(dataDir: string, env: Record<string, string>) {
  // With this umask, stricter permissions are set by the server.
  const server = await startServer({ dataDir, env, before: "umask 000" });
  if (env.SENTRY_DSN === undefined) {
    const body = envelopeOf({ dsn: "https://inbox@sightglass.invalid/1" }, ["event", {}]);
    const stored = await fetch(`${server.origin}/monitoring`, { method: "POST", body });
    assert.equal(stored.status, 200, await stored.text());
  }
  return server;
}

for (const [store, env] of Object.entries(STORES)) {
  Deno.test(`${store} in a folder that others can read → its files are 0600`, async () => {
    await withFolder(async (dataDir) => {
      await using _server = await started(dataDir, env);
      const file = `${store}.sqlite`;
      assert.deepEqual(modes(dataDir), {
        [file]: "600",
        [`${file}-shm`]: "600",
        [`${file}-wal`]: "600",
        [`${file}.reserve`]: "600",
      });
    });
  });

  Deno.test(`${store} files that others can read → 0600 after the start, logged in one line`, async () => {
    await withFolder(async (dataDir) => {
      {
        await using _server = await startServer({ dataDir, env });
      }
      const file = join(dataDir, `${store}.sqlite`);
      const aside = `${file}.corrupt-2026-01-01T00-00-00.000Z`;
      writeFileSync(aside, "corrupt");
      for (const name of [file, `${file}.reserve`, aside]) chmodSync(name, 0o644);
      await using server = await startServer({ dataDir, env });
      for (const [name, mode] of Object.entries(modes(dataDir))) assert.equal(mode, "600", name);
      const lines = server.output().split("\n").filter((line) => line.includes("0600"));
      assert.equal(lines.length, 1, server.output());
      assert.match(lines[0] ?? "", new RegExp(`DATA_DIR/${store}\\.sqlite`));
    });
  });

  Deno.test(`${store} file that is a symbolic link → the start fails with one line, nothing is followed`, async () => {
    for (const suffix of ["", "-wal", "-shm", "-journal", ".reserve"]) {
      await withFolder(async (dataDir, outside) => {
        const target = join(outside, "target");
        const link = join(dataDir, `${store}.sqlite${suffix}`);
        Deno.symlinkSync(target, link);
        await assert.rejects(startServer({ dataDir, env }), (error: Error) => {
          const [, ...lines] = error.message.trimEnd().split("\n");
          assert.deepEqual(lines, [
            `Cannot open the ${store}: ${link} is a symbolic link, and links are not followed.` +
            " Remove it, or set DATA_DIR to the folder that holds the file itself.",
          ]);
          return true;
        });
        assert.equal(existsSync(target), false);
      });
    }
  });
}

Deno.test("link to a file of another folder → that file is left as it is", async () => {
  await withFolder(async (dataDir, outside) => {
    const target = join(outside, "notes.sqlite");
    const db = new DatabaseSync(target);
    db.exec("CREATE TABLE notes (text)");
    db.close();
    const before = Deno.readFileSync(target);
    Deno.symlinkSync("../notes.sqlite", join(dataDir, "inbox.sqlite"));
    await assert.rejects(startServer({ dataDir }), /inbox\.sqlite is a symbolic link/);
    assert.deepEqual(Deno.readFileSync(target), before);
    assert.equal(modes(outside)["notes.sqlite"], (statSync(target).mode & 0o777).toString(8));
  });
});

Deno.test("DATA_DIR is itself a link, as an operator may set it up → the server starts", async () => {
  await withFolder(async (dataDir, outside) => {
    const link = join(outside, "link");
    Deno.symlinkSync("data", link);
    await using _server = await startServer({ dataDir: link });
    assert.equal(modes(dataDir)["inbox.sqlite"], "600");
  });
});
