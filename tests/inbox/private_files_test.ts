/** Permissions of the files of inbox and spool, written by a real server. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { startServer } from "../harness/server_process.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";

/** The environment in which a server opens the database. */
const DATABASES = { inbox: {}, spool: { SENTRY_DSN: "https://key@o1.ingest.sentry.io/1" } };

interface DataFolder extends Disposable {
  /** A folder that other users may read. */
  readonly dataDir: string;
  /** The folder that contains it. */
  readonly parent: string;
}

function makeDataFolder(): DataFolder {
  const { path: parent, [Symbol.dispose]: dispose } = temporaryFolder();
  const dataDir = join(parent, "data");
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  return { dataDir, parent, [Symbol.dispose]: dispose };
}

/** The permissions of all files in a folder, in octal digits. */
function permissionsIn(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).sort().map((name) => {
      const { mode } = statSync(join(folder, name));
      return [name, (mode & 0o777).toString(8)];
    }),
  );
}

/** Starts a server and makes it write to its database. */
async function startAndWrite(dataDir: string, env: Record<string, string>) {
  // With this umask, stricter permissions are set by the server.
  const server = await startServer({ dataDir, env, before: "umask 000" });
  if (env.SENTRY_DSN === undefined) {
    const body = envelopeOf({ dsn: "https://inbox@sightglass.invalid/1" }, ["event", {}]);
    const stored = await fetch(`${server.origin}/monitoring`, { method: "POST", body });
    assert.equal(stored.status, 200, await stored.text());
  }
  return server;
}

for (const [database, env] of Object.entries(DATABASES)) {
  const fileName = `${database}.sqlite`;

  Deno.test(`${database} in a folder that others can read → its files are 0600`, async () => {
    using folder = makeDataFolder();
    await using _server = await startAndWrite(folder.dataDir, env);
    assert.deepEqual(permissionsIn(folder.dataDir), {
      [fileName]: "600",
      [`${fileName}-shm`]: "600",
      [`${fileName}-wal`]: "600",
      [`${fileName}.reserve`]: "600",
    });
  });

  Deno.test(`${database} files that others can read → 0600 after the start, logged in one line`, async () => {
    using folder = makeDataFolder();
    const { dataDir } = folder;
    {
      await using _server = await startServer({ dataDir, env });
    }
    const file = join(dataDir, fileName);
    for (const path of [file, `${file}.reserve`]) chmodSync(path, 0o644);
    await using server = await startServer({ dataDir, env });
    for (const [name, permissions] of Object.entries(permissionsIn(dataDir))) {
      assert.equal(permissions, "600", name);
    }
    const lines = server.output().split("\n").filter((line) => line.includes("0600"));
    assert.equal(lines.length, 1, server.output());
    assert.match(lines[0] ?? "", new RegExp(`DATA_DIR/${database}\\.sqlite`));
  });

  Deno.test(`${database} file is a symbolic link → the start fails with one line, the link is not followed`, async () => {
    using folder = makeDataFolder();
    const { dataDir, parent } = folder;
    const target = join(parent, "target");
    const link = join(dataDir, fileName);
    Deno.symlinkSync(target, link);
    await assert.rejects(startServer({ dataDir, env }), (error: Error) => {
      const [, ...lines] = error.message.trimEnd().split("\n");
      assert.deepEqual(lines, [
        `Cannot open the ${database}: ${link} is a symbolic link, and links are not followed.` +
        " Remove it, or set DATA_DIR to the folder that holds the file itself.",
      ]);
      return true;
    });
    assert.equal(existsSync(target), false);
  });
}

Deno.test("DATA_DIR is a link → the server starts, its files are 0600", async () => {
  using folder = makeDataFolder();
  const link = join(folder.parent, "link");
  Deno.symlinkSync("data", link);
  await using _server = await startServer({ dataDir: link });
  assert.equal(permissionsIn(folder.dataDir)["inbox.sqlite"], "600");
});
