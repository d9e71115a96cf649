/** Real servers whose SQLite files are harmed by another program, and which are then killed. */
import assert from "node:assert/strict";
import {
  closeSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { Inbox } from "../../monitoring/inbox/inbox.ts";
import { envelopeOf, hexId } from "../../monitoring/inbox/testdata/envelopes.ts";
import { openSqliteSpool } from "../../monitoring/relay/spool/sqlite_spool.ts";
import { type ServerProcess, startServer } from "../harness/server_process.ts";
import { DSN } from "../relay/_start_relay.ts";
import { readTexts } from "./_spooled_texts.ts";
import { postTo, startRelaying } from "../harness/relaying_server.ts";
import { answers, type StandInIngest, startStandInIngest } from "../harness/stand_in_ingest.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

/** Envelopes that are acknowledged before the harm, and after it. */
const COUNT = 40;
/** Bytes of an envelope with which some of them are in the database, the others in its log. */
const LARGE = 300_000;

interface Harm {
  readonly situation: string;
  /** Default: a few. */
  readonly payloadBytes?: number;
  /** @param file the database */
  harm(file: string): void;
  /** Where the earlier envelopes are. Default: lost, or set aside. */
  readonly earlier?: "in the file" | "in the moved folder";
  readonly notice: RegExp;
}

/** What the server logs. */
const CHANGED = /files of .* were changed by another process: nothing is lost\./;
const LOG_LOST = /by another process: (the newest envelopes may be lost|it was renamed to)/;
const SET_ASIDE = /was damaged by another process: it was renamed to/;
const REPLACED = /was moved, deleted or replaced by another process: the server continues/;

const HARMS: readonly Harm[] = [
  {
    situation: "-wal and -shm deleted",
    harm: (file) => ["-wal", "-shm"].forEach((suffix) => rmSync(file + suffix)),
    earlier: "in the file",
    notice: CHANGED,
  },
  {
    situation: "-shm deleted",
    harm: (file) => rmSync(`${file}-shm`),
    earlier: "in the file",
    notice: CHANGED,
  },
  {
    situation: "database truncated to nothing, all of it in the log",
    harm: (file) => truncateSync(file),
    earlier: "in the file",
    notice: CHANGED,
  },
  {
    situation: "database truncated to nothing",
    payloadBytes: LARGE,
    harm: (file) => truncateSync(file),
    notice: SET_ASIDE,
  },
  {
    situation: "database truncated to half",
    payloadBytes: LARGE,
    harm: (file) => truncateSync(file, statSync(file).size / 2),
    notice: SET_ASIDE,
  },
  {
    situation: "log overwritten",
    harm: (file) => overwrite(`${file}-wal`),
    notice: LOG_LOST,
  },
  {
    situation: "log truncated to nothing",
    harm: (file) => truncateSync(`${file}-wal`),
    notice: LOG_LOST,
  },
  {
    situation: "log truncated to half",
    harm: (file) => truncateSync(`${file}-wal`, statSync(`${file}-wal`).size / 2),
    notice: LOG_LOST,
  },
  {
    situation: "database deleted",
    harm: (file) => rmSync(file),
    notice: REPLACED,
  },
  {
    situation: "folder moved",
    harm: (file) => renameSync(dirname(file), movedFrom(dirname(file))),
    earlier: "in the moved folder",
    notice: REPLACED,
  },
];

const movedFrom = (folder: string) => `${folder}-moved`;

/** Writes noise over a file's bytes, as `dd conv=notrunc` does. */
function overwrite(path: string): void {
  const file = openSync(path, "r+");
  // The server may notice the first of them, and put the file aside.
  const { size } = fstatSync(file);
  for (let at = 0; at < size; at += 4_096) {
    writeSync(file, crypto.getRandomValues(new Uint8Array(4_096)), 0, 4_096, at);
  }
  closeSync(file);
}

interface Store {
  readonly name: "spool" | "inbox";
  /** Status of an acknowledgement. */
  readonly status: number;
  start(ingest: StandInIngest, dataDir: string): Promise<ServerProcess>;
  /** Ids of the events in the file of a server that was killed. */
  read(path: string): Promise<readonly string[]>;
}

/** Takes nothing, so envelopes stay in the spool. */
function startRefusingIngest(): StandInIngest {
  const ingest = startStandInIngest();
  ingest.behave(answers(503));
  return ingest;
}

const STORES: readonly Store[] = [
  {
    name: "spool",
    status: 202,
    start: (ingest, dataDir) => startRelaying(ingest, { dataDir }),
    async read(path) {
      const spool = await openSqliteSpool({ path, maxBytes: 1e9, maxAgeHours: 24 });
      const texts = await readTexts(spool, DSN);
      return texts.map((text) => JSON.parse(text.split("\n", 1)[0]!).event_id);
    },
  },
  {
    name: "inbox",
    status: 200,
    start: (_, dataDir) => startServer({ dataDir }),
    read(path) {
      const inbox = new Inbox({ path, maxBytes: 1e9 });
      const { envelopes } = inbox.list({ since: 0, limit: 1_000 });
      inbox.close();
      return Promise.resolve(envelopes.map(({ event_id }) => event_id ?? ""));
    },
  },
];

let made = 0;

/** Posts until so many envelopes are acknowledged. Returns their ids. */
async function acknowledged(
  server: ServerProcess,
  { name, status }: Store,
  payloadBytes = 100,
): Promise<string[]> {
  const ids: string[] = [];
  const payload = new Uint8Array(payloadBytes);
  await until(`the ${name} has taken ${COUNT} envelopes`, async () => {
    while (ids.length < COUNT) {
      const id = hexId(++made);
      const body = envelopeOf({ event_id: id, dsn: DSN }, ["attachment", payload]);
      const response = await postTo(server, body);
      await response.body?.cancel();
      if (response.status !== status) {
        assert.equal(response.status, 503);
        return false;
      }
      ids.push(id);
    }
    return true;
  });
  return ids;
}

for (const store of STORES) {
  for (const { situation, payloadBytes, harm, earlier, notice } of HARMS) {
    Deno.test(`${store.name}: ${situation}, then killed → nothing acknowledged later is lost`, async () => {
      using folder = temporaryFolder();
      const file = join(folder.path, "data", `${store.name}.sqlite`);
      await using ingest = startRefusingIngest();
      await using server = await store.start(ingest, dirname(file));
      const before = await acknowledged(server, store, payloadBytes);
      harm(file);
      const after = await acknowledged(server, store, payloadBytes);
      await server.stop("SIGKILL");
      const found = new Set(await store.read(file));
      assert.deepEqual(after.filter((id) => !found.has(id)), []);
      if (earlier !== undefined) {
        const moved = join(movedFrom(dirname(file)), basename(file));
        const kept = earlier === "in the file" ? found : new Set(await store.read(moved));
        assert.deepEqual(before.filter((id) => !kept.has(id)), []);
      }
      const lines = server.output().split("\n").filter((line) => notice.test(line));
      assert.equal(lines.length, 1, server.output());
      assert.doesNotMatch(server.output(), /disk is full/);
    });
  }

  Deno.test(`${store.name} of two servers: -wal and -shm deleted, then killed → nothing is lost`, async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, `${store.name}.sqlite`);
    await using ingest = startRefusingIngest();
    await using one = await store.start(ingest, folder.path);
    await using other = await store.start(ingest, folder.path);
    const acknowledgedByBoth = async () =>
      (await Promise.all([one, other].map((server) => acknowledged(server, store)))).flat();
    const before = await acknowledgedByBoth();
    for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix);
    const after = await acknowledgedByBoth();
    for (const server of [one, other]) await server.stop("SIGKILL");
    const found = new Set(await store.read(file));
    assert.deepEqual([...before, ...after].filter((id) => !found.has(id)), []);
  });

  Deno.test(`${store.name}: folder moved, no other can be made → 503, not reported as a full disk`, async () => {
    using folder = temporaryFolder();
    const dataDir = join(folder.path, "data");
    await using ingest = startRefusingIngest();
    await using server = await store.start(ingest, dataDir);
    await acknowledged(server, store);
    // Else it may create the folder in between.
    Deno.kill(server.pid, "SIGSTOP");
    renameSync(dataDir, movedFrom(dataDir));
    writeFileSync(dataDir, "A file in place of the folder.");
    Deno.kill(server.pid, "SIGCONT");
    const refused = await postTo(server, envelopeOf({ dsn: DSN }, ["event", {}]));
    assert.equal(refused.status, 503, await refused.text());
    assert.equal((await fetch(`${server.origin}/monitoring`)).status, 503);
    rmSync(dataDir);
    await acknowledged(server, store);
    assert.equal((await fetch(`${server.origin}/monitoring`)).status, 200);
    const { name } = store;
    const problem = `Cannot open the ${name}: DATA_DIR/${name}.sqlite cannot be used`;
    assert.ok(server.output().includes(problem), server.output());
    assert.ok(!server.output().includes(folder.path), "local paths are not logged");
    assert.doesNotMatch(server.output(), /disk is full/);
  });
}
