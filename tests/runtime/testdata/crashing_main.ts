/**
 * A server of the same parts as `main.ts`, which crashes when asked to: nothing in the real one does that
 * on purpose.
 */
import { join } from "node:path";
import { CONFIG_VARIABLES, loadConfig } from "../../../config.ts";
import { openInbox } from "../../../monitoring/inbox/store.ts";
import { createRelay } from "../../../monitoring/relay/relay.ts";
import { startRuntime } from "../../../monitoring/runtime/mod.ts";
import { serve } from "../../../server/mod.ts";

const config = loadConfig(
  Object.fromEntries(CONFIG_VARIABLES.map((name) => [name, Deno.env.get(name)])),
);
const runtime = await startRuntime({
  dsn: config.dsn.text,
  environment: config.environment,
  root: new URL("../../../", import.meta.url).href,
  deliver: (request) => relay.receive(request, undefined),
  statusOf: () => 500,
});
const store = config.mode === "inbox"
  ? openInbox({ path: join(config.dataDir, "inbox.sqlite"), maxBytes: config.inboxMaxBytes })
  : undefined;
const relay = createRelay({ ...config, store, spool: undefined });

serve({
  port: config.port,
  hostname: config.hostname,
  handler(request) {
    if (request.url.endsWith("/reject")) void Promise.reject(new Error("nobody handles this"));
    if (request.url.endsWith("/throw")) {
      queueMicrotask(() => {
        throw new Error("nobody catches this");
      });
    }
    return new Response("on its way");
  },
  onStopping() {},
  onAnswered: (ms) => runtime.stop(ms),
  onStopped: () => store?.close(),
});
