import assert from "node:assert/strict";
import { startServer } from "./server_process.ts";

/** Runs `code` as a server's main module. */
async function withMain(code: string, run: (main: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/main.ts`, code);
    await run(`${folder}/main.ts`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

const SERVES = `
  console.error("first a word");
  const server = Deno.serve({
    hostname: Deno.env.get("HOST"),
    port: Number(Deno.env.get("PORT")),
    onListen: ({ port }) => console.log("Listening on http://127.0.0.1:" + port + "/"),
  }, () => new Response(Deno.env.get("INBOX_TOKEN") + " " + Deno.env.get("DATA_DIR")));
  Deno.addSignalListener("SIGTERM", async () => { await server.shutdown(); console.log("bye"); Deno.exit(3); });
`;

Deno.test("a server is up when it has said so, with its environment and a data folder", async () => {
  await withMain(SERVES, async (main) => {
    const server = await startServer({ main, env: { INBOX_TOKEN: "abc" } });
    try {
      const answer = await (await fetch(server.origin)).text();
      assert.equal(answer, `abc ${server.dataDir}`);
      assert.match(server.output(), /first a word/);
      assert.ok((await Deno.stat(server.dataDir)).isDirectory);
    } finally {
      const { code } = await server.stop();
      assert.equal(code, 3, "asked by SIGTERM, ended by itself");
    }
    assert.match(server.output(), /bye/);
    await assert.rejects(Deno.stat(server.dataDir), Deno.errors.NotFound);
  });
});

Deno.test("a data folder of one's own outlives the server", async () => {
  await withMain(SERVES, async (main) => {
    const dataDir = await Deno.makeTempDir();
    try {
      const server = await startServer({ main, dataDir });
      await server.stop();
      assert.ok((await Deno.stat(dataDir)).isDirectory);
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  });
});

Deno.test("a server that does not start is reported with what it printed", async () => {
  await withMain(`console.error("Cannot start: no"); Deno.exit(4);`, async (main) => {
    await assert.rejects(startServer({ main }), /ended with 4:\nCannot start: no/);
  });
});

Deno.test("a configuration that does not fit is refused before anything starts", async () => {
  await assert.rejects(startServer({ env: { PORT: "many" } }), /PORT is "many"/);
});
