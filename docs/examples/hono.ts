/** A Hono application whose page sends its telemetry to the relay at /monitoring. */
import { createRelay, type Relay } from "@sightglass/server/relay";
import { Hono } from "hono";

export function createApp(relay: Relay) {
  // The bindings are the second argument of `app.fetch`, which `Deno.serve` gives it.
  const app = new Hono<{ Bindings: Deno.ServeHandlerInfo }>();
  app.get("/", (c) => c.text("Hello"));
  app.all("/monitoring", (c) => relay.handler(c.req.raw, c.env));
  return app;
}

if (import.meta.main) {
  const relay = await createRelay({
    dsns: [Deno.env.get("SENTRY_DSN") ?? ""],
    dataDir: ".data",
  });
  const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 8000) }, createApp(relay).fetch);
  Deno.addSignalListener("SIGTERM", async () => {
    await Promise.all([relay.close(), server.shutdown()]);
    Deno.exit();
  });
}
