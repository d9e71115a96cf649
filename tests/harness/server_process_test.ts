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
  console.error("first line");
  const server = Deno.serve({
    hostname: Deno.env.get("HOST"),
    port: Number(Deno.env.get("PORT")),
    onListen: ({ port }) => console.log("Listening on http://127.0.0.1:" + port + "/"),
  }, () => new Response(Deno.env.get("INBOX_TOKEN") + " " + Deno.env.get("DATA_DIR")));
  Deno.addSignalListener("SIGTERM", async () => { await server.shutdown(); console.log("bye"); Deno.exit(3); });
`;

Deno.test("server listens → its environment, a data folder until it stops", async () => {
  await withMain(SERVES, async (main) => {
    const server = await startServer({ main, env: { INBOX_TOKEN: "abc" } });
    try {
      const answer = await (await fetch(server.origin)).text();
      assert.equal(answer, `abc ${server.dataDir}`);
      assert.match(server.output(), /first line/);
      assert.ok((await Deno.stat(server.dataDir)).isDirectory);
    } finally {
      const { code } = await server.stop();
      assert.equal(code, 3, "it handles SIGTERM itself");
    }
    assert.match(server.output(), /bye/);
    await assert.rejects(Deno.stat(server.dataDir), Deno.errors.NotFound);
  });
});

Deno.test("given data folder → it outlives the server", async () => {
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

Deno.test("server that ends at the start → error with its output", async () => {
  await withMain(`console.error("Cannot start: no"); Deno.exit(4);`, async (main) => {
    await assert.rejects(startServer({ main }), /ended with 4:\nCannot start: no/);
  });
});

Deno.test("invalid configuration → refused before any process starts", async () => {
  await assert.rejects(startServer({ env: { PORT: "many" } }), /PORT is "many"/);
});
