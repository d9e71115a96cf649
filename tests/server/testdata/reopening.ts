/** The fallback server for versions of Deno without the internals that limit connections. */
import { ReopeningServer } from "../../../server/reopening_server.ts";

const server = new ReopeningServer({
  port: Number(Deno.env.get("PORT")),
  hostname: "127.0.0.1",
  handler: () => Response.json({ is_healthy: true }),
  onLost: () => console.log("Lost"),
});
console.log(`Listening on http://127.0.0.1:${server.addr.port}/`);
