import assert from "node:assert/strict";
import { startServer } from "../harness/server_process.ts";

for (const format of ["text", "json"]) {
  Deno.test({
    name: `output on a full disk, LOG_FORMAT=${format} → the server runs, and stops cleanly`,
    ignore: Deno.build.os !== "linux",
    async fn() {
      // Standard output shows the address; what follows cannot be written.
      await using server = await startServer({
        env: { LOG_FORMAT: format },
        before: "exec 2>/dev/full",
      });
      const { status } = await fetch(`${server.origin}/signal?throw=true`);
      assert.equal(status, 500);
      assert.equal((await fetch(`${server.origin}/monitoring`)).status, 200);
      assert.equal((await server.stop()).code, 0);
    },
  });
}
