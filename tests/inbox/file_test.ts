import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { admitted, envelopeOf } from "../../monitoring/inbox/testdata/envelopes.ts";
import { Inbox } from "../../monitoring/inbox/inbox.ts";
import { startInboxServer } from "./_inbox_server.ts";
import { EventReader } from "./_event_reader.ts";
import { temporaryFolder } from "../harness/temporary_folder.ts";
import { until } from "../harness/until.ts";

const MAX_BYTES = 1024 * 1024;

/** Runs a test with a closed inbox file that contains 20 envelopes. */
async function withFile(work: (file: string, folder: string) => Promise<void>): Promise<void> {
  using folder = temporaryFolder();
  const file = join(folder.path, "inbox.sqlite");
  const inbox = new Inbox({ path: file, maxBytes: MAX_BYTES });
  const envelope = admitted(envelopeOf({}, ["attachment", new Uint8Array(20_000)]));
  for (let n = 0; n < 20; n++) await inbox.store(envelope);
  inbox.close();
  await work(file, folder.path);
}

const rowsOf = async (url: string) => (await (await fetch(url)).json()).envelopes;

Deno.test("file corrupt while a stream is open → cleared event, then new rows", async () => {
  await withFile(async (file) => {
    // Not the first pages, so that the server starts without an error.
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 130 * 4_096);
    writeFileSync(file, bytes);
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const inbox = new Inbox({ path: file, maxBytes: MAX_BYTES, onNotice });
    {
      assert.deepEqual(notices, []);
      await using server = startInboxServer({ inbox });
      await using reader = await EventReader.open(`${server.url}?since=20`);
      assert.deepEqual(await reader.next(), { id: "21", event: "cleared", data: "{}" });
      assert.equal(notices.length, 1);
      assert.deepEqual(await rowsOf(server.url), []);
      await server.store(1);
      assert.deepEqual(await reader.ids(1), [22], "ids continue after the lost ones");
    }
    inbox.close();
  });
});

Deno.test("log deleted while nothing is called → noticed and saved", async () => {
  await withFile(async (file) => {
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const inbox = new Inbox({ path: file, maxBytes: MAX_BYTES, onNotice });
    await inbox.store(admitted(envelopeOf({})));
    rmSync(`${file}-wal`);
    await until("it is noticed", () => notices.length > 0);
    assert.match(notices.join(), /^The files of .*: nothing is lost\.$/);
    assert.equal(inbox.extent().envelopes, 21);
    inbox.close();
  });
});

Deno.test("file cannot be read or written → 503 with a message", async () => {
  await withFile(async (file) => {
    const inbox = new Inbox({ path: file, maxBytes: MAX_BYTES });
    const full = () => {
      throw new Error("database or disk is full");
    };
    const logged: unknown[] = [];
    const { error } = console;
    console.error = (...values: unknown[]) => logged.push(values.join(" "));
    try {
      Object.assign(inbox, { list: full, clear: full });
      await using server = startInboxServer({ inbox });
      for (const method of ["GET", "DELETE"]) {
        const response = await fetch(server.url, { method });
        assert.equal(response.status, 503);
        assert.equal(response.headers.get("content-type"), "application/json");
        const body = await response.json();
        assert.equal(body.error, "inbox_unavailable");
        assert.match(body.detail, /^[A-Z][ -~]+\.$/);
      }
    } finally {
      console.error = error;
      inbox.close();
    }
    assert.equal(logged.length, 2);
    assert.match(String(logged[0]), /disk is full/);
  });
});
