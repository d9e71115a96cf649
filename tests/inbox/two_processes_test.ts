import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { admitted, eventEnvelope } from "../../monitoring/inbox/testdata/envelopes.ts";
import { openInbox } from "../../monitoring/inbox/store.ts";

const SCRIPT = fileURLToPath(new URL("_second_process.ts", import.meta.url));

/** Runs it with the permissions that a server has: its data, nothing else. */
async function runSecond(folder: string, file: string, count: number): Promise<void> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      `--allow-read=${folder}`,
      `--allow-write=${folder}`,
      SCRIPT,
      file,
      String(count),
    ],
  }).output();
  const decoder = new TextDecoder();
  assert.equal(decoder.decode(stdout).trim(), "done", decoder.decode(stderr));
}

Deno.test("two processes on one DATA_DIR: both begin at once, both store, nothing is lost", async () => {
  const folder = Deno.makeTempDirSync({ prefix: "inbox-" });
  const file = join(folder, "data", "inbox.sqlite");
  try {
    const count = 100;
    const others = [runSecond(folder, file, count), runSecond(folder, file, count)];
    const inbox = openInbox({ path: file, maxBytes: 1024 * 1024 });
    for (let n = 0; n < count; n++) {
      await inbox.store(admitted(eventEnvelope(n)));
      // Gives the child's output a turn.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    await Promise.all(others);
    const { cursor, envelopes } = inbox.list({ since: 0, limit: 500 });
    assert.equal(cursor, 3 * count);
    assert.equal(envelopes.length, 3 * count);
    inbox.clear();
    assert.equal(inbox.list({ since: 0, limit: 500 }).envelopes.length, 0);
    inbox.close();
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
